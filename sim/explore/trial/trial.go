// Package trial makes one run of a search and judges it: by the promises alone, for what a search
// makes up has neither expectations nor golden text.
package trial

import (
	"fmt"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/promise"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// Subject is what is searched: a store, and what else a run may have. Runs on memory may be made at
// the same time; others take turns.
type Subject struct {
	Backend sim.Backend
	Options sim.Options
}

// Reference is the pipeline of package reference on memory.
func Reference() Subject { return Subject{Backend: sim.Memory{}} }

// Trial is one run and what it broke.
type Trial struct {
	Scenario *script.Scenario
	Run      *sim.Result
	// Violations are of promises only, without what the scenario's policy allows.
	Violations []promise.Violation
	Stats      promise.Stats
}

// Run makes a run. An error is the harness's, or that of what it stands on.
func (u Subject) Run(s *script.Scenario) (*Trial, error) { return u.RunWith(s, u.Options) }

// RunWith makes a run with other options than the subject's.
func (u Subject) RunWith(s *script.Scenario, o sim.Options) (*Trial, error) {
	r, err := sim.RunWith(s, u.Backend, o)
	if err != nil {
		return nil, err
	}
	judged := promise.Judge(r.Trace)
	t := &Trial{Scenario: s, Run: r, Stats: judged.Stats}
	for _, v := range judged.Violations {
		if !allowed(s, r.Trace, v) {
			t.Violations = append(t.Violations, v)
		}
	}
	return t, nil
}

// Moments makes a run and gives the moments of port calls at which a fault could have struck.
func (u Subject) Moments(s *script.Scenario) (*Trial, []faults.Moment, error) {
	var all []faults.Moment
	o := u.Options
	o.Moment = func(m faults.Moment) { all = append(all, m) }
	t, err := u.RunWith(s, o)
	return t, all, err
}

// Same makes the run once more, and says how the two differ, if they do.
func (u Subject) Same(t *Trial) (difference string, err error) {
	again, err := sim.RunWith(t.Scenario, u.Backend, u.Options)
	if err != nil || again.Hash == t.Run.Hash {
		return "", err
	}
	i, _ := trace.FirstDifference(t.Run.Trace.Events, again.Trace.Events)
	return fmt.Sprintf("two runs of %s differ from event %d on", t.Scenario.Name, i+1), nil
}

// allowed says that the run's policy accepts what a promise forbids: under send-first a crash, a timeout
// or a lapse may double. What it takes for that is on record: the reminder was granted in doubt, and not
// to a slot that had the receipt of its own earlier send.
func allowed(s *script.Scenario, run trace.Run, v promise.Violation) bool {
	if v.Promise != "P1" || s.Policy.Order != reference.SendFirst {
		return false
	}
	doubt, knew := false, false
	var receipt *trace.Event // of the last send whose caller saw it accepted, and lives
	for i := range run.Events {
		e := &run.Events[i]
		if e.Seq > v.Seq {
			break
		}
		about := e.Hold == v.Hold && e.Channel == v.Channel && e.Window.Equal(v.Window)
		switch {
		case e.What == trace.NodeCrash && receipt != nil && receipt.Who == e.Who:
			receipt = nil
		case !about:
		case e.What == trace.What(faults.WorkerClaim) && e.Answer == string(reference.Granted) && e.Doubt != "":
			doubt, knew = true, receipt != nil && receipt.Who == e.Who && receipt.Slot == e.Slot
		case e.What == trace.What(faults.ProviderSend) && e.Answer == "accepted":
			if receipt = e; e.Err != "" {
				receipt = nil
			}
		case e.What == trace.Reply && e.Err != "":
			receipt = nil
		}
	}
	return doubt && !knew
}

// Broken is a way of breaking a promise.
type Broken struct{ Promise, Class string }

// Of gives the way in which v broke its promise.
func Of(v promise.Violation) Broken { return Broken{v.Promise, v.Class} }

// String gives P1 accepted twice.
func (b Broken) String() string { return b.Promise + " " + b.Class }

// Broke gives the first violation of that way.
func (t *Trial) Broke(b Broken) (promise.Violation, bool) {
	for _, v := range t.Violations {
		if Of(v) == b {
			return v, true
		}
	}
	return promise.Violation{}, false
}

// Fired says that the fault of that step struck something.
func (t *Trial) Fired(f *faults.Fault) bool {
	for _, u := range t.Run.Unfired {
		if u.Step.Fault == f {
			return false
		}
	}
	return true
}

// Simulated is how much virtual time the run took.
func (t *Trial) Simulated() time.Duration { return t.Run.Trace.End().Sub(t.Scenario.Start) }
