package faults

import (
	"slices"
	"time"
)

// Span is when f may strike or act in a world that starts then: from from on, and before until. A
// zero until is no end. Of an instant, until is when what it began is over by itself, where the
// line says so.
func (f Fault) Span(start time.Time) (from, until time.Time) {
	from = start
	switch {
	case f.From.Set():
		from = f.From.In(start)
	case f.At.Set():
		from = f.At.In(start)
	}
	switch {
	case f.Until.Set():
		until = f.Until.In(start)
	case f.Manner() == AtInstant:
		until = from.Add(max(f.By, f.Restart, 0))
	}
	return from, until
}

// Begin is when f may first strike or act.
func (f Fault) Begin(start time.Time) time.Time {
	from, _ := f.Span(start)
	return from
}

// Roles are whom lines of f's kind may name besides nodes by their name.
func (f Fault) Roles() []string {
	k, _ := kindOf(f.Kind)
	if f.Kind == Outage {
		return append([]string{roleWorker, roleSweep, roleLearner, roleOperator}, k.who...)
	}
	return slices.DeleteFunc(slices.Clone(k.who), func(who string) bool { return who == anyNode })
}

// Periodic says that the line bounds f by a period or to one sweep, in which it then strikes every
// call that matches, if nth= doesn't say otherwise.
func (f Fault) Periodic() bool { return f.At.Set() || f.From.Set() || f.Until.Set() }

// Armed is a fault in a world that has started. It counts what it struck.
type Armed struct {
	Fault       Fault
	from, until time.Time
	strikes     bool
	phase       Phase
	// point is where it strikes; empty is every call of whom it names.
	point  Point
	nth    Nth
	effect func(Fault, Moment) Effect
	// sweep is the one that at= picked, once it is there.
	sweep          string
	matches, fired int
	// near is the moment that met the most conditions without being struck, and met how many.
	near Moment
	met  int
}

// Armed gives f a world that starts then.
func (f Fault) Armed(start time.Time) *Armed {
	k, _ := kindOf(f.Kind)
	a := &Armed{Fault: f, phase: f.Phase, point: f.Point, nth: f.Nth, effect: k.effect}
	a.from, a.until = f.Span(start)
	a.strikes = f.Manner() == AtCalls && k.effect != nil
	if a.phase == "" {
		a.phase = Before
	}
	if a.point == "" {
		a.point = k.strikesAt
	}
	if f.PerItem != 0 {
		a.point = SweepPublish
	}
	once := f.Point != "" || k.strikesAt != ""
	if !a.nth.Set() && (!once || f.Periodic()) {
		a.nth = Nth{from: 1}
	}
	return a
}

// Strike says what f does to that moment of a call, if anything. It has to be asked at every
// moment once, in their order, for it counts those that match.
func (a *Armed) Strike(m Moment) (Effect, bool) {
	if !a.strikes {
		return Effect{}, false
	}
	met := a.meets(&m)
	if met == len(conditions) {
		a.matches++
		if a.nth.Has(a.matches) {
			a.fired++
			return a.effect(a.Fault, m), true
		}
	}
	if met > a.met {
		a.met, a.near = met, m
	}
	return Effect{}, false
}

// Fired is how many calls were struck.
func (a *Armed) Fired() int { return a.fired }

// Nearest gives, for a fault that struck nothing, the first moment that came nearest, and the
// condition it did not meet: who, or a key of the line. Ok is false if no such call was made.
func (a *Armed) Nearest() (m Moment, unmet string, ok bool) {
	if a.met == 0 {
		return Moment{}, "", false
	}
	switch {
	case a.met == len(conditions):
		unmet = "nth"
	case conditions[a.met] != timely:
		unmet = conditions[a.met]
	case a.Fault.At.Set():
		unmet = "at"
	case a.near.At.Before(a.from):
		unmet = "from"
	default:
		unmet = "until"
	}
	return a.near, unmet, true
}

// conditions are what a moment must meet, in the order in which meets looks at them.
var conditions = [...]string{aCall, "who", "on", "channel", timely}

const timely = "time" // at, from or until

// meets counts the conditions that m meets before the first that it doesn't.
func (a *Armed) meets(m *Moment) int {
	f := &a.Fault
	switch {
	case m.Phase != a.phase || a.point != "" && m.Point != a.point:
		return 0
	case !f.concerns(m):
		return 1
	case f.On != "" && f.On != m.Hold:
		return 2
	case f.Channel != "" && f.Channel != m.Channel:
		return 3
	case !a.inTime(m):
		return 4
	}
	return len(conditions)
}

// concerns says whether the call is of or by whom f names.
func (f *Fault) concerns(m *Moment) bool {
	if len(f.Nodes) > 0 && !f.cutsOff(m) {
		return false
	}
	switch f.Who {
	case "", m.Role, m.Node:
		return true
	case portStore, portQueue, portProvider:
		return m.Point.Port() == f.Who
	}
	return false
}

// cutsOff says whether the caller is one of the nodes that an outage is for.
func (f *Fault) cutsOff(m *Moment) bool {
	for _, n := range f.Nodes {
		if n == m.Node || n == m.Role {
			return true
		}
	}
	return false
}

// inTime says whether f may strike by now. With at= it picks the first sweep that began then or
// later, and strikes that one however long it runs.
func (a *Armed) inTime(m *Moment) bool {
	if a.Fault.At.Set() {
		if a.sweep == "" && !m.Began.Before(a.from) {
			a.sweep = m.Node
		}
		return a.sweep == m.Node
	}
	return !m.At.Before(a.from) && (a.until.IsZero() || m.At.Before(a.until))
}
