package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seathold/seathold/reference/settings"
)

// Signals is how a process is told to end.
type Signals struct {
	// Accept ends at the first signal: no new work from there on.
	Accept context.Context
	// Work ends a grace later: what is in hand is left as it is.
	Work context.Context
}

// Signals begins to heed signals; the caller calls stop at the end.
func (p *Program) Signals(grace time.Duration) (s Signals, stop func()) {
	got := make(chan os.Signal, 2)
	signal.Notify(got, syscall.SIGTERM, os.Interrupt)
	work, endWork := context.WithCancel(context.Background())
	accept, endAccept := context.WithCancel(work)
	go func() {
		select {
		case which := <-got:
			p.Log.Info("program.stop", "signal", which.String(), "grace", grace.String())
		case <-work.Done():
			return
		}
		p.Ready.Leave()
		endAccept()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		for {
			select {
			case which := <-got:
				p.Log.Warn("program.exit", "signal", which.String())
				os.Exit(settings.ExitFailed)
			case <-timer.C:
				endWork()
			case <-work.Done():
				// Whoever ends now doesn't need signals, and one more still ends it at once.
				signal.Reset(syscall.SIGTERM, os.Interrupt)
				return
			}
		}
	}()
	return Signals{accept, work}, func() { signal.Stop(got); endWork() }
}
