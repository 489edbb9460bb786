package explore

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

//go:embed bases/*.txt
var bases embed.FS

// BaseNames are the bases that there are without a file.
func BaseNames() []string {
	files, err := fs.Glob(bases, "bases/*.txt")
	if err != nil {
		panic(err) // the pattern is our own
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".txt"))
	}
	return names
}

// BuiltIn parses a base by its name.
func BuiltIn(name string) (*script.Scenario, error) {
	src, err := bases.ReadFile("bases/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("base %q: there are %s", name, strings.Join(BaseNames(), ", "))
	}
	return script.Parse(name+".txt", src)
}

// Base is a scenario to search around, and what its run is like as it stands.
type Base struct {
	*script.Scenario
	// Ref is how a command names it.
	Ref string
	// Moments are those of port calls, in their order, and Events what happened.
	Moments []faults.Moment
	Events  []trace.Event
	// Broken says that it breaks a promise as it stands, and Unfired are those of its faults that strike
	// nothing then.
	Broken  bool
	Unfired []script.Step
}

// NewBase runs a scenario once. What it expects and tells is left out: that is about this very run.
func NewBase(u trial.Subject, s *script.Scenario, ref string) (*Base, error) {
	bare := *s
	bare.Steps = slices.DeleteFunc(slices.Clone(s.Steps), func(step script.Step) bool {
		return step.Expect != nil || step.Golden != nil || step.Show != nil
	})
	t, moments, err := u.Moments(&bare)
	if err != nil {
		return nil, err
	}
	b := &Base{Scenario: &bare, Ref: ref, Moments: moments, Events: t.Run.Trace.Events, Broken: len(t.Violations) > 0}
	for _, u := range t.Run.Unfired {
		if !u.Step.Fault.Maybe {
			b.Unfired = append(b.Unfired, u.Step)
		}
	}
	return b, nil
}

// AsItStands gives the one case that is the base itself.
func AsItStands(b *Base) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		yield(Case{Name: b.Name + ", as it stands", make: func() (*script.Scenario, error) { return b.Scenario, nil }})
	}
}

// count says how often a call of that point came to that phase; role narrows it down, unless empty.
func (b *Base) count(phase faults.Phase, point faults.Point, role string) int {
	n := 0
	for i := range b.Moments {
		m := &b.Moments[i]
		if m.Phase == phase && m.Point == point && (role == "" || m.Role == role) {
			n++
		}
	}
	return n
}

// instants are the different times of the moments that are chosen, in their order.
func (b *Base) instants(chosen func(*faults.Moment) bool) []time.Time {
	var all []time.Time
	for i := range b.Moments {
		m := &b.Moments[i]
		if n := len(all); chosen(m) && (n == 0 || !all[n-1].Equal(m.At)) {
			all = append(all, m.At)
		}
	}
	return all
}

// times are the different times of the events that are chosen, in their order.
func (b *Base) times(chosen func(*trace.Event) bool) []time.Time {
	var all []time.Time
	for i := range b.Events {
		e := &b.Events[i]
		if e.What == trace.Ended {
			break
		}
		if n := len(all); chosen(e) && (n == 0 || !all[n-1].Equal(e.At)) {
			all = append(all, e.At)
		}
	}
	return all
}

// heldBy are the holds that are held at the start, and those that are created before t.
func (b *Base) heldBy(t time.Time) []reference.HoldID {
	var ids []reference.HoldID
	for _, h := range b.Holds {
		if h.State == reference.Held {
			ids = append(ids, h.ID)
		}
	}
	for _, step := range b.Steps {
		if step.Do != nil && step.Do.Verb == "create" && step.Do.At.Before(t) {
			ids = append(ids, step.Do.New.ID)
		}
	}
	return ids
}

// offset writes a time of the world as +3m2s from the start.
func (b *Base) offset(t time.Time) string {
	return "+" + faults.FormatDuration(t.Sub(b.Start))
}

// added is the position of steps that no file has: those that a search adds.
var added = script.Pos{}

// with is the base with one fault line more; the line is without its verb.
func (b *Base) with(line string) (*script.Scenario, *faults.Fault, error) {
	f, err := faults.ParseLine(line)
	if err != nil {
		return nil, nil, fmt.Errorf("the search made up a fault that is none: %w", err)
	}
	s := *b.Scenario
	s.Steps = slices.Insert(slices.Clone(b.Steps), b.firstStep(), script.Step{Text: "fault " + line, Stanza: 1, Fault: &f})
	return &s, &f, nil
}

// firstStep is the index of the first step that is no row of the holds table.
func (b *Base) firstStep() int {
	i := slices.IndexFunc(b.Steps, func(s script.Step) bool { return s.Do == nil || s.Do.Verb != "create" })
	if i < 0 {
		return len(b.Steps)
	}
	return i
}

// doing is the base with one at line more.
func (b *Base) doing(do script.Do) *script.Scenario {
	s := *b.Scenario
	i := b.firstStep()
	for i < len(b.Steps) && !after(&b.Steps[i], do.At) {
		i++
	}
	s.Steps = slices.Insert(slices.Clone(b.Steps), i, script.Step{Text: "at " + b.offset(do.At) + " " + do.Verb, Stanza: 1, Do: &do})
	return &s
}

// after says that nothing can be done at t below that step.
func after(step *script.Step, t time.Time) bool {
	return step.Do != nil && step.Do.At.After(t) || step.Run != nil && !step.Run.Until.Before(t)
}
