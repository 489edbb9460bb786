// Command holdworker takes messages from the queue, sends what is still to be sent, expires what has
// run out, and acknowledges last: see holdworker --help, and package reference for what it promises.
//
// Exit codes: 0 it was told to end, and ended with nothing in hand; 1 it could not begin, or had
// something in hand when its grace was over, which is delivered again; 2 its settings can't be.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	_ "time/tzdata" // reminders are worded in the learner's zone, and the machine may have none

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/connect"
	"github.com/seathold/seathold/reference/settings/program"
	"github.com/seathold/seathold/reference/watch"
)

const name = "holdworker"

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }

func run(args, environment []string, stdout, stderr io.Writer) int {
	commandLine := settings.Named(name)
	read, err := commandLine.Read(args, environment, stdout)
	if errors.Is(err, settings.ErrHelped) {
		return settings.ExitDone
	}
	if err == nil {
		err = start(commandLine.Into.(*settings.Worker), read, stderr)
	}
	if err != nil {
		return settings.Complain(stderr, name, err)
	}
	return settings.ExitDone
}

// start checks what can be checked before anything is begun, and then works.
func start(s *settings.Worker, read *settings.Read, stderr io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	p, err := program.Open(program.Config{
		Name: name, Read: read, LogLevel: s.LogLevel, Database: s.Database, Connections: s.Connections(),
		Queue: s.Queue, Watch: s.Watch, Policy: s.Policy.Reference(), Channels: len(s.Chosen()), Stderr: stderr,
		LockTimeout: s.Policy.LockTimeout,
	})
	if err != nil {
		return err
	}
	defer p.Close()
	watched := watch.NewWorker(p.Registry, p.Log, p.Ledger, time.Now)
	routes, err := connect.Routes(s.Channels, s.Slots.Slots, p.Clock, watched.Exchanged)
	if err != nil {
		return err
	}
	if err := p.Check(context.Background()); err != nil {
		return err
	}
	signals, stop := p.Signals(s.Grace)
	defer stop()
	if err := p.Start(); err != nil {
		return err
	}
	warn(p, s)
	return work(p, s, signals, func(slot *watch.Slot) *reference.Worker {
		return &reference.Worker{
			Store: slot, Queue: slot, Routes: routes, Clock: p.Clock, Waiter: p.Waiter,
			Tokens: process.RandomTokens{}, Policy: p.Policy, Observer: slot,
		}
	}, watched)
}

// warn says what works, and will surprise.
func warn(p *program.Program, s *settings.Worker) {
	need := time.Duration(len(s.Chosen())) * s.SendTimeout
	if s.Grace < need {
		p.Log.Warn("program.warning", "about", "grace", "text", fmt.Sprintf(
			"grace %s is shorter than %d channels × send timeout %s = %s: a slow message may be cut off at SIGTERM, and be delivered again",
			s.Grace, len(s.Chosen()), s.SendTimeout, need))
	}
}

// leftMax is how long slots may take to notice that their work was cancelled.
const leftMax = 2 * time.Second

// work runs the slots until they are told to end.
func work(p *program.Program, s *settings.Worker, signals program.Signals, of func(*watch.Slot) *reference.Worker, watched *watch.Worker) error {
	var slots sync.WaitGroup
	for i := range s.Slots.Slots {
		worker := of(watched.Slot(p.Queue, p.Store, i+1))
		// Run returns when accept ends, and has nothing to say but that.
		slots.Go(func() { _ = worker.Run(signals.Work, signals.Accept) })
	}
	done := make(chan struct{})
	go func() { slots.Wait(); close(done) }()
	select {
	case <-done:
	case <-signals.Work.Done():
		timer := time.NewTimer(leftMax)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
		}
	}
	if left := watched.InHand(); left > 0 {
		p.Log.Warn("program.cut-off", "in_hand", left)
		return &settings.Problem{
			What: fmt.Sprintf("the grace of %s was over with %d messages in hand", s.Grace, left), Exit: settings.ExitFailed,
			Hint: "nothing is lost: they are delivered again when their visibility ends",
		}
	}
	p.Log.Info("program.drained")
	return nil
}
