package sim

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/provider"
	"github.com/seathold/seathold/sim/trace"
)

// Stand is how things stand where an expect or a show line is reached.
type Stand struct {
	// Events is how many there have been.
	Events int
	Holds  []reference.Hold
	Rows   []reference.Row
	// Accepted is what the providers accepted, email first.
	Accepted []provider.Acceptance
	// Queued is whether there are messages in the queue; Left are their names, as far as the trace
	// knows them. Dead are the dead letters.
	Queued bool
	Left   []string
	Dead   []DeadLetter
}

// DeadLetter is a message that was set aside, by its name.
type DeadLetter struct{ Message, Reason string }

// stand looks at how things stand now.
func (w *World) stand() (*Stand, error) {
	w.noteDead()
	s := &Stand{Events: len(w.events)}
	var err error
	if s.Holds, s.Rows, err = w.store.Snapshot(); err != nil {
		return nil, err
	}
	for _, v := range w.providers {
		s.Accepted = append(s.Accepted, v.Accepted()...)
	}
	letters, err := w.broker.List(context.Background(), "", 1<<30)
	if err != nil {
		return nil, err
	}
	for _, d := range letters {
		s.Dead = append(s.Dead, DeadLetter{w.nameOf(d.MessageID, d.Payload).name, d.Reason})
	}
	_, s.Queued = w.broker.NextVisible()
	if s.Queued {
		s.Left = trace.Left(w.events)
	}
	return s, nil
}

// finishDeeds reports the lines of the scenario that did something to the world, or should have.
func (w *World) finishDeeds(r *Result) {
	for _, a := range w.troubles {
		if a.fired <= 0 {
			near, unmet, _ := a.Nearest()
			r.Unfired = append(r.Unfired, Unfired{a.step, near, unmet})
		}
	}
	for _, d := range w.deeds {
		r.Deeds = append(r.Deeds, Deed{d.step, d.changed, d.refused, d.err})
	}
}

// setup is what a checker has to know about the world.
func (w *World) setup() trace.Setup {
	s := w.scenario
	out := trace.Setup{
		Start: s.Start, Policy: s.Policy, Period: s.Policy.SweepPeriod, Queue: s.Queue.Latency, Holds: s.Holds, Rows: s.Rows,
		Latency: map[reference.Channel]time.Duration{}, Keys: map[reference.Channel]time.Duration{},
	}
	for _, n := range s.Nodes {
		out.Slots += n.Slots
	}
	for _, p := range s.Providers {
		out.Latency[p.Channel], out.Keys[p.Channel] = p.Latency, p.Keys
	}
	return out
}
