package main

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/program"
	"github.com/seathold/seathold/reference/watch"
)

// serve answers the hook until it is told to end. A sweep that is running then goes on for a grace.
func serve(p *program.Program, s settings.Hook, sweeps *sweeps) error {
	callers, err := newCallers(s)
	if err != nil {
		return err
	}
	signals, stop := p.Signals(s.Grace)
	defer stop()
	if err := p.Start(); err != nil {
		return err
	}
	h := &hook{sweeps: sweeps, callers: callers, ready: p.Ready.Err, counts: watch.NewHook(p.Registry), work: signals.Work}
	server, err := p.Serve("listen", s.Listen, routes(h, p.Ready), p.Policy.SweepBudget+2*p.Policy.StoreTimeout)
	if err != nil {
		return err
	}
	<-signals.Accept.Done()
	// No new calls; those under way are waited for, and their sweep ends with signals.Work.
	ctx, cancel := context.WithTimeout(context.Background(), s.Grace+5*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		p.Log.Warn("program.cut-off", "error", err)
	}
	p.Log.Info("program.drained")
	return nil
}
