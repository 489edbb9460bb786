package sim

import (
	"errors"
	"fmt"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// Result is what came of a run.
type Result struct {
	Trace trace.Run
	// Hash folds every event of the trace; two runs of one seed have the same.
	Hash uint64
	// Stories are the events of each stanza that has a golden block.
	Stories []Story
	// Stands are how things stood at the expect and show lines, by the index of the step.
	Stands map[int]*Stand
	// Deeds are the at lines, and Unfired the faults that never struck, maybe or not.
	Deeds   []Deed
	Unfired []Unfired
	// Reports are those of the sweeps, by number.
	Reports map[int]reference.Report
}

// Story is what a golden block may tell: the events from From up to To, not included. Step is the
// index of the block.
type Story struct{ Step, From, To int }

// Deed is an at line and what came of it.
type Deed struct {
	Step script.Step
	// Changed says that it did something, Refused that the store said no, and Err what the person
	// was told in place of an answer.
	Changed, Refused bool
	Err              error
}

// Unfired is a fault that never struck.
type Unfired struct {
	Step script.Step
	// Near is the moment that came nearest to it, and Unmet the key of the line that it didn't match,
	// empty if nothing came near.
	Near  faults.Moment
	Unmet string
}

// Options are what a run may have beside its scenario; the zero value is none of it.
type Options struct {
	// StopAt is the number of the event to stop at: then there is the trace so far, with the tables
	// as they were. Zero is none.
	StopAt int
	// Moment hears of every moment of a port call at which a fault could strike, just before it does,
	// and Event of everything that is recorded. They may be nil.
	Moment func(faults.Moment)
	Event  func(trace.Event)
	// EventsMax is the limit on what may happen; zero is 20 million.
	EventsMax int
	// Order decides, in place of the seed, what goes first of what happens at one time; nil is the seed.
	Order virtual.Order
}

// RunUntil runs a scenario up to the event of that number, and gives the trace so far and the tables
// as they were then.
func RunUntil(s *script.Scenario, b Backend, seq int) (*Result, error) {
	return RunWith(s, b, Options{StopAt: seq})
}

// Run runs a scenario once. An error means that the run can't be judged: the harness, or what it
// stands on, is at fault.
func Run(s *script.Scenario, b Backend) (*Result, error) { return RunWith(s, b, Options{}) }

// RunWith is Run with options.
func RunWith(s *script.Scenario, b Backend, o Options) (*Result, error) {
	w, err := newWorld(s, b, o)
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w: %w", s.Name, b.Name(), ErrHarness, err)
	}
	defer w.close()
	r := &Result{Stands: map[int]*Stand{}, Reports: w.reports}
	err = virtual.Guarded(func() error { return w.play(r) })
	if errors.Is(err, errStopped) {
		r.Trace.Setup, r.Trace.Events = w.setup(), w.events[:o.StopAt]
		r.Trace.Holds, r.Trace.Rows, err = w.store.Snapshot()
	}
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w: %w", s.Name, b.Name(), ErrHarness, err)
	}
	for _, e := range r.Trace.Events {
		r.Hash = trace.Hash(r.Hash, e)
	}
	return r, nil
}

// play takes the steps in order, and then what every run ends with.
func (w *World) play(r *Result) error {
	from, stanza := 0, 0
	var stand *Stand
	for i, step := range w.scenario.Steps {
		if step.Stanza != stanza {
			stanza, from = step.Stanza, len(w.events)
		}
		switch {
		case step.Fault != nil:
			w.arm(step)
		case step.Do != nil:
			w.plan(step)
		case step.Run != nil:
			stand = nil
			if err := w.pass(step.Run.Until); err != nil {
				return err
			}
		case step.Golden != nil:
			r.Stories = append(r.Stories, Story{i, from, len(w.events)})
		default:
			if stand == nil {
				var err error
				if stand, err = w.stand(); err != nil {
					return err
				}
			}
			r.Stands[i] = stand
		}
	}
	return w.finishRun(r)
}

func (w *World) finishRun(r *Result) error {
	if err := w.settleDown(); err != nil {
		return err
	}
	w.record(trace.Event{Who: "run", What: trace.Ended})
	run := &r.Trace
	run.Setup = w.setup()
	var err error
	if run.Holds, run.Rows, err = w.store.Snapshot(); err != nil {
		return err
	}
	if _, any := w.broker.NextVisible(); any {
		run.Left = trace.Left(w.events)
	}
	if err := w.replay(); err != nil {
		return err
	}
	if run.ReplayHolds, run.ReplayRows, err = w.store.Snapshot(); err != nil {
		return err
	}
	run.Events = w.events
	w.finishDeeds(r)
	return nil
}
