package sim

import (
	"context"
	"slices"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// armed is a fault of the scenario, waiting for its moment.
type armed struct {
	*faults.Armed
	fault faults.Fault
	line  string
	step  script.Step
	fired int
	// until is when it ends, for one that lasts.
	until time.Time
}

// arm makes a fault of the scenario ready, and schedules it if it waits for no call.
func (w *World) arm(step script.Step) {
	f := *step.Fault
	a := &armed{Armed: f.Armed(w.scenario.Start), fault: f, line: f.String(), step: step}
	w.troubles = append(w.troubles, a)
	from, until := f.Span(w.scenario.Start)
	a.until = until
	switch f.Manner() {
	case faults.AtCalls:
		w.armed = append(w.armed, a)
		if !until.IsZero() && until.After(w.Now()) {
			w.At(from, func() { w.faultBegins(a, f.On, f.Channel) })
			w.faultEnds("", a.line, until)
		}
	case faults.AtInstant:
		w.At(from, func() { w.instant(a) })
	case faults.Throughout:
		if f.Kind != faults.Skew { // clocks decide nothing, so a wrong one excuses nothing
			w.At(from, func() { w.faultBegins(a, f.On, f.Channel) })
			w.faultEnds("", a.line, until)
		}
		w.At(from, func() { w.change(a, true) })
		if !until.IsZero() {
			w.At(until, func() { w.change(a, false) })
		}
	}
}

// instant is a fault that happens to the world at its time.
func (w *World) instant(a *armed) {
	switch a.fault.Kind {
	case faults.Crash, faults.Stall:
		for _, n := range w.living(a.fault.Who) {
			w.strikes(a)
			if a.fault.Kind == faults.Crash {
				n.crash(a.line, a.fault.Restart)
			} else {
				n.stall(a.line, a.fault.By)
			}
		}
		w.idle.Kick()
	case faults.Double:
		w.cron.doubles = append(w.cron.doubles, a)
	case faults.Retry:
		w.cron.retries = append(w.cron.retries, a)
	case faults.Redrive:
		if w.redrive(a.fault.On) > 0 {
			w.strikes(a)
			w.faultEnds("", a.line, w.Now())
		}
	}
}

// change begins or ends a fault that lasts.
func (w *World) change(a *armed, on bool) {
	switch a.fault.Kind {
	case faults.Lock:
		if on {
			w.locks = append(w.locks, a)
		} else {
			w.locks = without(w.locks, a)
		}
	case faults.Skew:
		if on {
			w.skews = append(w.skews, a)
		} else {
			w.skews = without(w.skews, a)
		}
		for _, n := range w.living(a.fault.Who) {
			a.fired++
			n.Skew = w.skewOf(n.Role, n.Name)
		}
	case faults.Pause:
		if on {
			w.cron.paused++
			a.fired = -w.skipped
			w.record(trace.Event{Who: "cron", What: trace.CronPaused, Fault: a.line})
			return
		}
		w.cron.paused--
		a.fired += w.skipped
		w.record(trace.Event{Who: "cron", What: trace.CronResumed, Fault: a.line})
	}
}

func without(list []*armed, a *armed) []*armed {
	return slices.DeleteFunc(slices.Clone(list), func(other *armed) bool { return other == a })
}

// living are the nodes at work now that a fault names: one by its name, or all of a role.
func (w *World) living(who string) []*node {
	var out []*node
	for _, n := range w.nodes {
		if n.Up() && n.Running() > 0 && (n.Name == who || n.Role == who) {
			out = append(out, n)
		}
	}
	return out
}

// skewOf is how wrong the clock of a node is now.
func (w *World) skewOf(role, name string) time.Duration {
	var sum time.Duration
	for _, n := range w.scenario.Nodes {
		if n.Name == name {
			sum += n.Skew
		}
	}
	for _, a := range w.skews {
		if a.fault.Who == name || a.fault.Who == role {
			a.fired++
			sum += a.fault.By
		}
	}
	return sum
}

func (w *World) lockOn(hold reference.HoldID) *armed {
	for _, a := range w.locks {
		if a.fault.On == hold {
			return a
		}
	}
	return nil
}

// strikes notes that a fault has fired, and that it is active from now on.
func (w *World) strikes(a *armed) {
	a.fired++
	w.faultBegins(a, a.fault.On, a.fault.Channel)
	if a.fault.Kind == faults.Double || a.fault.Kind == faults.Retry {
		w.faultEnds("", a.line, w.Now().Add(a.fault.By))
	}
}

// begins notes that a fault struck a call, and until when it is active by that. One that lasts for
// a period has its begin and its end on the schedule already.
func (w *World) begins(p *process, a *armed, m faults.Moment, e faults.Effect) {
	if !a.until.IsZero() && !e.Lose && !e.Poison && !e.Postpone { // lost or held back it stays after the period
		return
	}
	if e.Crash || e.Stall > 0 {
		w.faultBegins(a, "", "")
		if e.Crash && m.Role != "worker" {
			w.faultEnds("", a.line, w.Now())
		}
		return
	}
	w.faultBegins(a, m.Hold, m.Channel)
	until := w.Now().Add(e.Delay + e.Later)
	if e.Lose || e.Poison {
		until = w.nextKey(p.publishing.kind, p.publishing.window)
	}
	w.faultEnds(m.Hold, a.line, until)
}

// nextKey is when the message of a window gets another key, if it is published now: until then a
// lost message stays lost, for a broker may remember its key.
func (w *World) nextKey(kind reference.Kind, window reference.Window) time.Time {
	p, due := w.scenario.Policy, window.ExpiresAt
	if kind == reference.Remind {
		due = due.Add(-p.Lead)
	}
	return due.Add(reference.NextKeyAge(w.Now().Sub(due), p.Renominate, p.Backstop))
}

func (w *World) faultBegins(a *armed, hold reference.HoldID, channel reference.Channel) {
	w.record(trace.Event{Who: "fault", What: trace.FaultBegin, Hold: hold, Channel: channel, Fault: a.line})
}

// faultEnds records when it comes the end of a fault, on the hold that it began on if there is one.
func (w *World) faultEnds(on reference.HoldID, line string, at time.Time) {
	if line == "" {
		return
	}
	w.healsAt(at)
	end := func() { w.record(trace.Event{Who: "fault", What: trace.FaultEnd, Hold: on, Fault: line}) }
	if at.After(w.Now()) {
		w.At(at, end)
	} else {
		end()
	}
}

// healsAt notes that something is wrong until then.
func (w *World) healsAt(t time.Time) {
	if t.After(w.heal) {
		w.heal = t
	}
}

// redrive puts dead letters back: all, or those on one hold. It says how many there were.
func (w *World) redrive(on reference.HoldID) int {
	w.noteDead()
	letters, err := w.broker.List(context.Background(), "", 1<<30)
	if err != nil {
		w.fail(err)
		return 0
	}
	var ids []string
	for _, d := range letters {
		m := w.nameOf(d.MessageID, d.Payload)
		if on != "" && m.window.Hold != on {
			continue
		}
		ids = append(ids, d.MessageID)
		delete(w.dead, m.name)
		w.record(trace.Event{Who: "operator", What: trace.Redriven, Hold: m.window.Hold, Window: m.window.ExpiresAt, Kind: m.kind, Message: m.name})
	}
	moved, err := w.broker.Redrive(context.Background(), ids)
	if err != nil {
		w.fail(err)
	}
	w.idle.Kick()
	return moved
}
