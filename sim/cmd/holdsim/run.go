package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/onpostgres"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/suite"
)

func runCommand(a *app, args []string) (int, error) {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	store := f.String("store", "memory", "")
	passes := f.Int("passes", 2, "")
	rewrite := f.Bool("rewrite", false, "")
	asJSON := f.Bool("json", false, "")
	stopAt := f.Int("stop-at", 0, "")
	all := f.Bool("all", false, "")
	files, err := flags(f, args)
	if err != nil {
		return 0, err
	}
	switch {
	case *passes != 1 && *passes != 2:
		return 0, usageError{fmt.Sprintf("run: -passes %d is neither 1 nor 2", *passes), ""}
	case *stopAt < 0:
		return 0, usageError{fmt.Sprintf("run: -stop-at %d is no event", *stopAt), "events count from 1"}
	case *all && *stopAt == 0:
		return 0, usageError{"run: -all goes with -stop-at", "holdsim trace prints all events of a run"}
	}
	began := time.Now()
	scenarios, err := load(files)
	if err != nil {
		return 0, err
	}
	b, err := a.backend(*store)
	if err != nil {
		return 0, err
	}
	if *stopAt > 0 {
		return a.stopAt(b, scenarios, *stopAt, *all)
	}
	width, outcomes := suite.Width(scenarios), []suite.Outcome(nil)
	r := suite.Runner{Backend: b, Program: a.program, Typed: strings.Join(append([]string{a.program, "run"}, args...), " ")}
	if *store != "memory" {
		r.Model, r.Flags = sim.Memory{}, "-store "+*store
	}
	if *passes == 2 && !*rewrite {
		if r.Again, err = freshProcess(b); err != nil {
			return 0, err
		}
	}
	r.Say = a.sayEach(width, *asJSON, *rewrite)
	if outcomes, err = r.Run(scenarios); err != nil {
		return 0, err
	}
	if *rewrite {
		return a.rewrite(outcomes)
	}
	if !*asJSON {
		r.Summary(a.stdout, outcomes, time.Since(began))
	}
	for _, o := range outcomes {
		if !o.OK() {
			return exitFailed, nil
		}
	}
	return exitHeld, nil
}

// sayEach prints results; of failures that break the same promises the first is told in full, for the
// others are most likely its work, too.
func (a *app) sayEach(width int, asJSON, quiet bool) func(suite.Outcome) {
	told := map[string]bool{}
	return func(o suite.Outcome) {
		broken := o.Broken()
		if !told[broken] || o.OK() || asJSON || quiet {
			told[broken] = true
			a.say(o, width, asJSON, quiet)
			return
		}
		first, _, _ := strings.Cut(o.Text, "\n")
		fmt.Fprintf(a.stdout, "%s\n  %s\n\n", o.Line(width), first)
	}
}

// say prints one result.
func (a *app) say(o suite.Outcome, width int, asJSON, quiet bool) {
	switch {
	case asJSON:
		line, err := o.JSON()
		if err != nil {
			panic(err) // the type is our own, and can always be encoded
		}
		fmt.Fprintf(a.stdout, "%s\n", line)
	case quiet:
	case o.OK():
		fmt.Fprintln(a.stdout, o.Line(width))
	default:
		fmt.Fprintf(a.stdout, "%s\n\n%s\n", o.Line(width), o.Text)
	}
}

func (a *app) rewrite(outcomes []suite.Outcome) (int, error) {
	code := exitHeld
	for _, o := range outcomes {
		changed, err := suite.Rewrite(o)
		switch {
		case err != nil:
			fmt.Fprintf(a.stderr, "holdsim: %v\n", err)
			code = exitFailed
		case changed:
			fmt.Fprintf(a.stdout, "rewrote %s\n", o.Scenario.File)
		}
	}
	return code, nil
}

// freshProcess is this program again, on the same server.
func freshProcess(b sim.Backend) (*suite.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program, for the second pass: %w", err)
	}
	p := &suite.Process{Path: self, Args: []string{"again"}}
	if pg, ok := b.(*onpostgres.Backend); ok {
		p.Env = []string{"SEATHOLD_POSTGRES=" + pg.ServerURL()}
	}
	return p, nil
}

// againCommand is the second pass; the first pass calls it.
func againCommand(a *app, args []string) (int, error) {
	return exitHeld, suite.Answer(a.stdout, args, a.backend)
}

// shownBefore is how many events up to one are printed, if not all.
const shownBefore = 40

// stopAt prints the events up to one, the last of them or all, and the tables as they were then.
func (a *app) stopAt(b sim.Backend, scenarios []*scenario, seq int, all bool) (int, error) {
	if len(scenarios) != 1 {
		return 0, usageError{"run: -stop-at goes with one file", ""}
	}
	s := scenarios[0]
	r, err := sim.RunUntil(s, b, seq)
	if err != nil {
		return 0, err
	}
	narrator, before := report.NewNarrator(s.Start), max(0, len(r.Trace.Events)-shownBefore)
	if all {
		before = 0
	}
	if before > 0 {
		fmt.Fprintf(a.stdout, "     …  %d before; -all shows them\n", before)
	}
	narrator.Skip(r.Trace.Events[:before])
	for _, e := range r.Trace.Events[before:] {
		fmt.Fprintf(a.stdout, "%6d  %s\n", e.Seq, narrator.Line(e))
	}
	if n := len(r.Trace.Events); n < seq {
		fmt.Fprintf(a.stdout, "the run ended at event %d\n", n)
	}
	fmt.Fprintln(a.stdout)
	for _, h := range r.Trace.Holds {
		fmt.Fprintln(a.stdout, report.HoldLine(h, s.Start))
	}
	for _, row := range r.Trace.Rows {
		fmt.Fprintln(a.stdout, report.RowLine(row, s.Start))
	}
	return exitHeld, nil
}
