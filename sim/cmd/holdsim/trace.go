package main

import (
	"flag"
	"fmt"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
)

type scenario = script.Scenario

func checkCommand(a *app, args []string) (int, error) {
	files, err := flags(flag.NewFlagSet("check", flag.ContinueOnError), args)
	if err != nil {
		return 0, err
	}
	scenarios, err := load(files)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(a.stdout, "%d scenarios can be run\n", len(scenarios))
	return exitHeld, nil
}

func traceCommand(a *app, args []string) (int, error) {
	f := flag.NewFlagSet("trace", flag.ContinueOnError)
	store := f.String("store", "memory", "")
	hold := f.String("hold", "", "")
	files, err := flags(f, args)
	if err != nil {
		return 0, err
	}
	scenarios, err := load(files)
	if err != nil {
		return 0, err
	}
	if len(scenarios) != 1 {
		return 0, usageError{"trace: one file at a time", ""}
	}
	s, id := scenarios[0], reference.HoldID(*hold)
	if id != "" && !knows(s, id) {
		return 0, usageError{fmt.Sprintf("trace: %s has no hold %s", s.File, id), "the hold ids are in its holds table, or in its fixture"}
	}
	b, err := a.backend(*store)
	if err != nil {
		return 0, err
	}
	r, err := sim.Run(s, b)
	if err != nil {
		return 0, err
	}
	for _, line := range report.Describe(s) {
		fmt.Fprintln(a.stdout, line)
	}
	fmt.Fprintln(a.stdout)
	narrator := report.NewNarrator(s.Start)
	for _, e := range r.Trace.Events {
		line := narrator.Line(e)
		if id == "" || e.Hold == id {
			fmt.Fprintf(a.stdout, "%6d  %s\n", e.Seq, line)
		}
	}
	return exitHeld, nil
}

// knows says whether the hold is there at the start, or created later.
func knows(s *scenario, id reference.HoldID) bool {
	for _, h := range s.Holds {
		if h.ID == id {
			return true
		}
	}
	for _, step := range s.Steps {
		if step.Do != nil && step.Do.New.ID == id {
			return true
		}
	}
	return false
}
