// Command holdsweep finds what is due and puts a message about each in the queue: see
// holdsweep --help, and package reference for what it promises.
//
// Exit codes: 0 it was told to end, or the one sweep was whole; 1 it could not begin, or the one
// sweep was not whole; 2 its settings can't be.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	_ "time/tzdata" // schedules name zones, and the machine may have none

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/program"
	"github.com/seathold/seathold/reference/watch"
)

const name = "holdsweep"

// connectionsMax is what a sweep, and those who look on, can use.
const connectionsMax = 4

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }

func run(args, environment []string, stdout, stderr io.Writer) int {
	commandLine := settings.Named(name)
	read, err := commandLine.Read(args, environment, stdout)
	if errors.Is(err, settings.ErrHelped) {
		return settings.ExitDone
	}
	if err == nil {
		err = start(commandLine.Into.(*settings.Sweep), read, stdout, stderr)
	}
	if err != nil {
		return settings.Complain(stderr, name, err)
	}
	return settings.ExitDone
}

// start checks what can be checked before anything is begun, and then does what the command says.
func start(s *settings.Sweep, read *settings.Read, stdout, stderr io.Writer) error {
	when, err := check(s, read, time.Now())
	if err != nil {
		return err
	}
	p, err := program.Open(program.Config{
		Name: name, Read: read, LogLevel: s.LogLevel, Database: s.Database, Connections: connectionsMax,
		Queue: s.Queue, Watch: s.Watch, Policy: s.Policy.Reference(), Channels: len(reference.Channels), Stderr: stderr,
	})
	if err != nil {
		return err
	}
	defer p.Close()
	watched := watch.NewSweep(p.Registry, p.Log, p.Ledger, time.Now)
	sweeps := &sweeps{log: p.Log, watched: watched, policy: p.Policy, sweeper: &reference.Sweeper{
		Store: watched.Store(p.Store), Queue: watch.Publisher{Publisher: p.Queue, Log: p.Log}, Clock: p.Clock,
		Tokens: process.RandomTokens{}, Policy: p.Policy, Observer: watched,
	}}
	if read.Command == "serve" {
		// It answers that it isn't ready until the database is there: see package program.
		return serve(p, s.Serve.Hook, sweeps)
	}
	if err := p.Check(context.Background()); err != nil {
		return err
	}
	if read.Command == "once" {
		return once(p, sweeps, stdout)
	}
	return keepSchedule(p, sweeps, when)
}

// check refuses settings that can't be together. It gives the schedule, where there is one.
func check(s *settings.Sweep, read *settings.Read, now time.Time) (*schedule, error) {
	var when *schedule
	var err error
	switch read.Command {
	case "serve":
		err = s.Serve.Hook.Check()
	case "every":
		if err = s.Every.Schedule.Check(); err == nil {
			when, err = every(s.Every.Period, s.Every.Schedule, now)
		}
	case "cron":
		if err = s.Cron.Schedule.Check(); err == nil {
			when, err = onCron(s.Cron.Spec, s.Cron.Zone, s.Cron.Schedule, now)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case when == nil:
		return nil, s.Check(-1)
	}
	if from := read.Source("sweep-period"); from != "default" && s.SweepPeriod > 0 && when.gap > s.SweepPeriod+when.Jitter {
		return nil, &settings.Problem{
			What: fmt.Sprintf("%s has gaps of %s, and %s says that sweeps come every %s", read.Command, when.gap-when.Jitter, from, s.SweepPeriod),
			Hint: "workers and alerts go by what it says: set it to what is so", Exit: settings.ExitUsage,
		}
	}
	return when, s.Check(when.gap)
}
