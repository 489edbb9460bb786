package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/suite"
	"github.com/seathold/seathold/sim/trace"
)

// Way is what a defect was noticed by: a promise (P1 … P9), or else one of the following.
type Way string

// The ways beside the promises.
const (
	Expectation Way = "expectation" // an expect line didn't hold
	Restless    Way = "restless"    // the run hit a limit: it doesn't come to rest
)

// Finding is one thing that was noticed.
type Finding struct {
	By Way
	// Class is how the promise was broken, and Sentence what happened.
	Class, Sentence string
	// After is how long after the start it happened, in virtual time, and Events how many events it
	// took; both are zero for a run that doesn't come to rest.
	After  time.Duration
	Events int
}

// compare has what says most first: a promise before an expectation, and then the sooner one.
func (f Finding) compare(o Finding) int {
	return cmp.Or(cmp.Compare(f.By.rank(), o.By.rank()), cmp.Compare(f.After, o.After), cmp.Compare(f.Events, o.Events), cmp.Compare(f.By, o.By))
}

func (w Way) rank() int {
	switch w {
	case Expectation:
		return 1
	case Restless:
		return 2
	}
	return 0
}

// Kill is one defect caught by one base.
type Kill struct {
	// By is all that it was noticed by, in order, and First the broken promise that was noticed first,
	// or else whatever was.
	By    []Way
	First Finding
}

// try is one run that the reference passed.
type try struct {
	*script.Scenario
	judge     func(*script.Scenario, *sim.Result) []report.Failure
	eventsMax int
}

// A run with a defect may have many times the events of the reference's before it counts as
// restless.
const (
	eventsFactor = 50
	eventsMin    = 100_000
)

// prepare has the reference pass every run of a base.
func prepare(b Base) ([]try, error) {
	judge := b.Judge
	if judge == nil {
		judge = suite.Judge
	}
	tries := make([]try, len(b.Runs))
	for i, s := range b.Runs {
		t := try{withoutGolden(s), judge, 0}
		r, err := sim.Run(t.Scenario, sim.Memory{})
		if err != nil {
			return nil, err
		}
		if failures := t.failures(r); len(failures) > 0 {
			return nil, &ReferenceError{b.Name, failures}
		}
		t.eventsMax = eventsMin + eventsFactor*len(r.Trace.Events)
		tries[i] = t
	}
	return tries, nil
}

// withoutGolden is s without the text that it tells.
func withoutGolden(s *script.Scenario) *script.Scenario {
	silent := *s
	silent.Steps = nil
	for _, step := range s.Steps {
		if step.Golden == nil {
			silent.Steps = append(silent.Steps, step)
		}
	}
	return &silent
}

// failures are those that kill.
func (t try) failures(r *sim.Result) []report.Failure {
	var kill []report.Failure
	for _, f := range t.judge(t.Scenario, r) {
		switch f.Kind {
		case report.KindPromise, report.KindReplay, report.KindDiverged:
			kill = append(kill, f)
		case report.KindExpect:
			// A promise that the scenario says is broken, and that the defect keeps, is no fault of its.
			if step := t.step(f.Pos); step.Expect == nil || step.Expect.Subject != "broken" {
				kill = append(kill, f)
			}
		}
	}
	return kill
}

func (t try) step(pos script.Pos) script.Step {
	i := t.stepIndex(pos)
	if i < 0 {
		return script.Step{}
	}
	return t.Steps[i]
}

func (t try) stepIndex(pos script.Pos) int {
	for i, step := range t.Steps {
		if step.Pos == pos {
			return i
		}
	}
	return -1
}

// killed puts a defect to the runs of a base, and gives nil if it survives them all.
func killed(d defects.Defect, tries []try) (*Kill, error) {
	var all *Kill
	for _, t := range tries {
		findings, err := t.put(d)
		if err != nil {
			return nil, fmt.Errorf("defect %s: %w", d.Name, err)
		}
		for _, f := range findings {
			if all == nil {
				all = &Kill{First: f}
			}
			all.By = append(all.By, f.By)
			if f.compare(all.First) < 0 {
				all.First = f
			}
		}
	}
	if all != nil {
		all.By = sorted(all.By)
	}
	return all, nil
}

// put runs a defect, and a second time if nothing was noticed: two runs must be the same.
func (t try) put(d defects.Defect) ([]Finding, error) {
	on, o := On(d), sim.Options{EventsMax: t.eventsMax}
	r, err := sim.RunWith(t.Scenario, on, o)
	if errors.Is(err, sim.ErrRestless) {
		return []Finding{{By: Restless, Sentence: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, f := range t.failures(r) {
		out = append(out, t.finding(r, f))
	}
	if len(out) > 0 {
		return out, nil
	}
	again, err := sim.RunWith(t.Scenario, on, o)
	if err != nil || again.Hash == r.Hash {
		return nil, err
	}
	i, _ := trace.FirstDifference(r.Trace.Events, again.Trace.Events)
	e := r.Trace.Events[min(i, len(r.Trace.Events)-1)]
	return []Finding{{By: "P9", Class: "two runs differ", Sentence: fmt.Sprintf("two runs differ from event %d on", e.Seq), After: e.At.Sub(t.Start), Events: e.Seq}}, nil
}

func (t try) finding(r *sim.Result, f report.Failure) Finding {
	events := r.Trace.Events
	out := Finding{By: Way(f.Promise), Class: f.Class, Sentence: f.Sentence, Events: f.Seq}
	at := f.At
	switch {
	case f.Kind == report.KindExpect:
		out.By, out.Class = Expectation, "expect "+t.step(f.Pos).Expect.Subject
		if stand := r.Stands[t.stepIndex(f.Pos)]; stand != nil && stand.Events > 0 {
			out.Events = stand.Events
			at = events[stand.Events-1].At
		}
	case out.Events == 0:
		for out.Events < len(events) && !events[out.Events].At.After(at) {
			out.Events++
		}
	}
	if !at.IsZero() {
		out.After = at.Sub(t.Start)
	}
	return out
}

// promisesOf gives those ways that are promises.
func promisesOf(ways []Way) []Way {
	var out []Way
	for _, w := range ways {
		if w.rank() == 0 {
			out = append(out, w)
		}
	}
	return out
}
