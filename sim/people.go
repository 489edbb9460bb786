package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// deed is an at line, and what came of it.
type deed struct {
	step script.Step
	// changed says that it did something; err is what the person was told instead.
	changed bool
	err     error
	// refused says that the store said no.
	refused bool
}

// plan has somebody do what an at line says.
func (w *World) plan(step script.Step) {
	d := &deed{step: step}
	w.deeds = append(w.deeds, d)
	w.AtTie(step.Do.At, w.ties, step.Text, func() { w.perform(d) })
}

func (w *World) perform(d *deed) {
	do := d.step.Do
	switch do.Verb {
	case "confirm", "cancel", "extend", "create":
		w.asPerson(d)
	case "publish":
		d.err = w.publish(do)
		d.changed = d.err == nil
	case "redrive":
		d.changed = w.redrive(do.Hold) > 0
	case "purge":
		d.changed = w.purge() > 0
	case "sweep":
		w.startSweep()
		d.changed = true
	case "pause":
		w.cron.paused++
		d.changed = true
		w.pauses++
		w.record(trace.Event{Who: "operator", What: trace.CronPaused})
		w.record(trace.Event{Who: "fault", What: trace.FaultBegin, Fault: pausedByHand})
	case "resume":
		w.resume(d)
	case "deploy":
		for _, n := range w.living(do.Who) {
			n.drain()
			d.changed = true
		}
	default:
		w.fail(fmt.Errorf("%s: at %s is not something that this simulator can do", d.step.Pos, do.Verb))
	}
}

// publish puts a message into the queue that no sweep of this run nominated: one of an older version,
// of a delayed publish, or of somebody's script.
func (w *World) publish(do *script.Do) error {
	h, err := w.store.Get(context.Background(), do.Hold)
	if errors.Is(err, reference.ErrNoHold) && do.New.ID != "" {
		h, err = do.New, nil // it will be
	}
	if err != nil {
		return err
	}
	window := h.Window()
	if !do.To.IsZero() {
		window.ExpiresAt = do.To
	}
	payload, err := reference.Message{Kind: do.Kind, Window: window, Learner: h.Learner, Section: h.Section, Zone: h.Zone}.Encode()
	if err != nil {
		return err
	}
	e := trace.Event{Who: "operator", What: trace.What(faults.SweepPublish), Kind: do.Kind, Hold: window.Hold, Window: window.ExpiresAt}
	r := w.post(reference.Entry{Payload: payload}, &struck{}, &e)
	w.record(e)
	return r.Err
}

// pausedByHand is how a cron that an at line paused goes in traces, as if it were a fault.
const pausedByHand = "pause cron"

func (w *World) resume(d *deed) {
	if w.pauses == 0 {
		return
	}
	w.pauses--
	w.cron.paused--
	d.changed = true
	w.record(trace.Event{Who: "operator", What: trace.CronResumed})
	w.faultEnds("", pausedByHand, w.Now())
}

// asPerson makes one call of Holds, from a client of its own.
func (w *World) asPerson(d *deed) {
	n := w.newNode("learner", "learner")
	w.spawn(n, 0, func(p *process) {
		do, holds := d.step.Do, reference.Holds{Store: storePort{p}}
		var err error
		switch do.Verb {
		case "confirm":
			err = holds.Confirm(n.Context(), do.Hold)
		case "cancel":
			err = holds.Cancel(n.Context(), do.Hold)
		case "create":
			err = holds.Create(n.Context(), do.New)
		case "extend":
			err = w.extend(p, holds, do)
		}
		d.err = err
		d.changed = err == nil || p.event.Answer == answerDone && !p.event.NoEffect // the reply was lost
		d.refused = err != nil && p.event.Answer == answerRefused || errors.Is(err, reference.ErrNotLater) || errors.Is(err, reference.ErrInvalid)
	})
}

// extend names the window that the person sees.
func (w *World) extend(p *process, holds reference.Holds, do *script.Do) error {
	h, err := holds.Get(p.node.Context(), do.Hold)
	if err != nil {
		return err
	}
	return holds.Extend(p.node.Context(), h.Window(), do.To)
}

// purge throws away what is in the queue.
func (w *World) purge() int {
	w.noteDead()
	n := w.broker.Purge()
	w.record(trace.Event{Who: "operator", What: trace.BrokerGone, N: n})
	until := w.Now()
	for _, m := range w.posted {
		if next := w.nextKey(m.kind, m.window); m.window.ExpiresAt.After(w.Now()) && next.After(until) {
			until = next
		}
	}
	w.record(trace.Event{Who: "fault", What: trace.FaultBegin, Fault: "purge"})
	w.faultEnds("", "purge", until)
	return n
}
