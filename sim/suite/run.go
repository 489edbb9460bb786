package suite

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
)

// Load parses and checks scenarios before any is run: files as named, and every *.txt of a folder,
// in the order of their names. The error joins all that is wrong with any of them.
func Load(paths []string) ([]*script.Scenario, error) {
	var scenarios []*script.Scenario
	var errs error
	for _, p := range paths {
		files, err := expand(p)
		errs = errors.Join(errs, err)
		for _, f := range files {
			s, err := script.ParseFile(f)
			errs = errors.Join(errs, err)
			scenarios = append(scenarios, s)
		}
	}
	if errs == nil && len(scenarios) == 0 {
		errs = fmt.Errorf("no scenario in %v: name files, or a folder that has *.txt files", paths)
	}
	if errs != nil {
		return nil, errs
	}
	return scenarios, nil
}

func expand(p string) ([]string, error) {
	info, err := os.Stat(p)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read scenario: %w", err)
	case !info.IsDir():
		return []string{p}, nil
	}
	return filepath.Glob(filepath.Join(p, "*.txt"))
}

// Runner runs scenarios.
type Runner struct {
	Backend sim.Backend
	// Model, if there is one, must give the same trace as Backend.
	Model sim.Backend
	// Again runs scenarios a second time from nothing, in a fresh process. It may be nil.
	Again *Process
	// Program and Flags are how next commands in failures begin.
	Program, Flags string
	// Typed is the command that was just typed; no next command repeats it.
	Typed string
	// Say hears every result as it comes; it may be nil.
	Say func(Outcome)
}

// Outcome is one run of one scenario, judged.
type Outcome struct {
	report.Result
	Scenario *script.Scenario
	Run      *sim.Result
	// Text is its failures as a person reads them; empty if there are none.
	Text string
}

// Run runs every scenario in every way that the runner is for. An error is the harness's, or the
// fresh process's.
func (r Runner) Run(scenarios []*script.Scenario) ([]Outcome, error) {
	var again map[string]report.Result
	if r.Again != nil {
		var err error
		if again, err = r.Again.results(r.Backend.Name(), scenarios); err != nil {
			return nil, err
		}
	}
	var outcomes []Outcome
	for _, s := range scenarios {
		o, err := r.one(s, again[s.File])
		if err != nil {
			return outcomes, err
		}
		if r.Say != nil {
			r.Say(o)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}

func (r Runner) one(s *script.Scenario, second report.Result) (Outcome, error) {
	o, err := r.first(s)
	if err != nil {
		return o, err
	}
	if r.Model != nil {
		model, err := sim.Run(s, r.Model)
		if err != nil {
			return o, err
		}
		o.compare(report.Pass{Name: r.Model.Name(), Start: s.Start, Events: model.Trace.Events}, model.Hash)
	}
	if r.Again != nil {
		o.Pass = 2
		if second.Hash != o.Hash || second.Events != o.Events {
			events, err := r.Again.events(r.Backend.Name(), s)
			if err != nil {
				return o, err
			}
			o.compare(report.Pass{Name: "pass 2, in a fresh process", Start: s.Start, Events: events}, second.Hash)
		}
	}
	if !o.OK() {
		in := fmt.Sprintf("%s, seed %d", r.Backend.Name(), s.Seed)
		o.Text = report.Text(o.Failures, report.Options{Scenario: s, Run: o.Run.Trace, In: in, Program: r.Program, Flags: r.Flags, Typed: r.Typed})
	}
	return o, nil
}

// first runs and judges a scenario once.
func (r Runner) first(s *script.Scenario) (Outcome, error) {
	began := time.Now()
	run, err := sim.Run(s, r.Backend)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Scenario: s, Run: run}
	o.Result = report.Result{
		Scenario: s.Name, Store: r.Backend.Name(), Pass: 1, Events: len(run.Trace.Events), Hash: run.Hash,
		Simulated: run.Trace.End().Sub(s.Start), Failures: Judge(s, run), Wall: time.Since(began),
	}
	return o, nil
}

// compare adds a failure if the other run's trace is not the same.
func (o *Outcome) compare(other report.Pass, hash uint64) {
	mine := report.Pass{Name: o.Store, Start: o.Scenario.Start, Events: o.Run.Trace.Events}
	if f, same := report.Diverged(mine, other); !same {
		o.Failures = append(o.Failures, f)
	} else if hash != o.Hash {
		o.Failures = append(o.Failures, report.Failure{
			Kind: report.KindDiverged, Promise: "P9", Pos: script.Pos{File: o.Scenario.File, Line: 1, Col: 1},
			Sentence: fmt.Sprintf("%s and %s give the same events, but another hash", o.Store, other.Name),
		})
	}
}

// Rewrite puts the golden text that the run gave into the scenario's file. It refuses a run in which
// anything but golden text is wrong: goldens narrate, they don't judge.
func Rewrite(o Outcome) (changed bool, err error) {
	for _, f := range o.Failures {
		if f.Kind != report.KindGolden {
			return false, fmt.Errorf("%s is not rewritten: %s", o.Scenario.File, f.Sentence)
		}
	}
	src, err := os.ReadFile(o.Scenario.File)
	if err != nil {
		return false, err
	}
	out, err := o.Scenario.Rewrite(src, Tell(o.Scenario, o.Run))
	if err != nil || string(out) == string(src) {
		return false, err
	}
	return true, os.WriteFile(o.Scenario.File, out, 0o644)
}

// Width is how wide the column of names has to be.
func Width(scenarios []*script.Scenario) int {
	width := 0
	for _, s := range scenarios {
		width = max(width, len(s.Name))
	}
	return cmp.Or(width, 1)
}
