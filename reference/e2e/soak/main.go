// Command soak puts the pipeline under load and breaks what it can, and then holds everything that
// happened against the promises: 2 sweeps and 4 workers, the real programs, on a throw-away Postgres
// (see package pgserver), with windows of seconds.
//
// While learners create, confirm, cancel and extend thousands of holds, every second or so a program
// is killed by SIGKILL, or stopped for a while; Postgres is crashed and cut off in turns;
// acknowledged messages are delivered again; the providers lose answers, fail, throttle, are slow and
// are not there. Then all of it ends, what is left is worked off, every message of the run is
// delivered once more, and it is judged: by package audit on the tables and the providers' logs, and
// by package witness on what happened.
//
//	go run ./reference/e2e/soak -duration 60s -seed 1
//
// The seed decides what is chosen, and not what runs when: no two runs are the same. What it did and
// found is printed. Exit codes: 0 no promise was broken; 1 one was, or it could not be found out; 2 the
// command line can't be.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const durationMin = 20 * time.Second

// options are the command line.
type options struct {
	duration time.Duration
	seed     uint64
	rate     int
	keep     bool
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&o.duration, "duration", time.Minute, "how long there is trouble; 20s is the least")
	flags.Uint64Var(&o.seed, "seed", 1, "what choices go by")
	flags.IntVar(&o.rate, "rate", 50, "how many holds are created a second")
	flags.BoolVar(&o.keep, "keep", false, "keep the directory with the programs' logs")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || o.duration < durationMin || o.rate < 1:
		fmt.Fprintf(stderr, "soak: -duration %s must be %s or more, -rate %d at least 1, and there are no arguments\nhint: soak -help\n", o.duration, durationMin, o.rate)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	clean, err := soakOnce(ctx, o, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "soak: %v\n", err)
	}
	if err != nil || !clean {
		return 1
	}
	return 0
}

// soakOnce goes through all phases of one run, and says whether every promise was kept.
func soakOnce(ctx context.Context, o options, stdout, stderr io.Writer) (clean bool, err error) {
	w, err := build(ctx, o, stderr)
	if w != nil {
		defer func() { err = errors.Join(err, w.close()) }()
	}
	if err != nil {
		return false, err
	}
	for _, phase := range []func(context.Context) error{w.trouble, w.heal, w.workOff, w.goOn, w.deliverAgain, w.judge} {
		if err := phase(ctx); err != nil {
			return false, err
		}
	}
	w.report(stdout)
	return len(w.broken) == 0, nil
}
