package marks

import (
	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

func (w *watch) person(e *trace.Event) {
	h := w.hold(e.Hold)
	if e.NoEffect || e.Answer != "done" {
		if e.What == trace.What(faults.HoldConfirm) && !e.NoEffect && h.state == reference.Held && !e.At.Before(h.expires) {
			w.hit(confirmRefused)
		}
		return
	}
	for k, r := range w.rows { // any order: a mark is hit or not
		if k.hold == e.Hold && k.window == h.expires.Unix() && r.open() && r.token != "" {
			w.hit(personBetween)
		}
	}
	switch e.What {
	case trace.What(faults.HoldConfirm):
		h.state = reference.Confirmed
	case trace.What(faults.HoldCancel):
		h.state = reference.Cancelled
	case trace.What(faults.HoldCreate):
		h.state, h.expires = reference.Held, e.Window
	case trace.What(faults.HoldExtend):
		w.hit(extendedHold)
		h.expires, h.second = e.Until, true
		h.published = map[reference.Kind]string{}
	}
}

func (w *watch) broker(e *trace.Event) {
	switch e.What {
	case trace.BrokerLost:
		w.sent[e.Message] = true
		return
	case trace.BrokerDead:
		w.hit(brokerDead)
		return
	case trace.BrokerGone:
		if e.N > 0 {
			w.hit(purged)
		}
		return
	case trace.Redriven:
		w.redrive = append(w.redrive, e.Message)
		return
	}
	h := w.hold(e.Hold)
	switch {
	case e.NoEffect || e.Who == "broker":
	case e.Answer == "duplicate":
		w.hit(keySwallowed)
		if w.sent[e.Message] {
			w.hit(keySwallowedLost)
		}
	case e.Answer == "accepted":
		if before := h.published[e.Kind]; before != "" && before != e.Message {
			w.hit(renominated)
		}
		h.published[e.Kind] = e.Message
		if e.Kind == reference.Remind && (h.state != reference.Held || h.expires.After(e.Window)) {
			w.hit(openNominated)
		}
	}
}

func (w *watch) wasRedriven(message string) bool {
	for _, m := range w.redrive {
		if m == message {
			return true
		}
	}
	return false
}

func (w *watch) consumer(e *trace.Event) {
	if e.NoEffect {
		return
	}
	for i, h := range w.hands {
		if h.who == e.Who && h.slot == e.Slot {
			w.hands = append(w.hands[:i], w.hands[i+1:]...)
			break
		}
	}
	switch {
	case e.What == trace.What(faults.WorkerReceive):
		for token, h := range w.owing { // any order: all of the slot's
			w.owed[token] = w.owed[token] || h.who == e.Who && h.slot == e.Slot
		}
		if e.N > 1 {
			w.hit(redelivered)
		}
		for _, h := range w.hands {
			if h.message == e.Message {
				w.hit(heldTwice)
			}
		}
		w.hands = append(w.hands, hand{e.Who, e.Slot, e.Message})
	case e.Answer == "not-ours":
		w.hit(ackNotOurs)
	case e.What == trace.What(faults.WorkerDeadLetter):
		w.hit(workerDead)
	}
}

func (w *watch) sweep(e *trace.Event) {
	switch e.What {
	case trace.SweepStart:
		if w.sweeps++; w.sweeps > 1 {
			w.hit(sweepsOverlap)
		}
	case trace.SweepEnd:
		w.sweeps--
		w.sweepEnded(e)
	case trace.What(faults.SweepDue):
		if w.pages == nil {
			w.pages = map[string]int{}
		}
		if e.N > 0 && !e.NoEffect {
			w.pages[e.Who+string(e.Kind)]++
		}
		if w.pages[e.Who+string(e.Kind)] > 1 {
			w.hit(twoPages)
		}
	case trace.CronPaused:
		w.paused = true
	case trace.CronResumed:
		w.paused = false
	case trace.CronTimedOut:
		w.hit(cronTimedOut)
	}
	if e.What == trace.SweepStart && !w.paused {
		w.cameDue(e)
	}
}

func (w *watch) sweepEnded(e *trace.Event) {
	switch e.Answer {
	case "crashed":
		w.hit(sweepCrashed)
	case "undrained":
		w.hit(sweepUndrained)
	case "diverged":
		w.hit(sweepDiverged)
	}
}

// cameDue notes a hold that is due for longer than a sweep would have left it alone.
func (w *watch) cameDue(e *trace.Event) {
	p := w.run.Setup.Policy
	for id, h := range w.holds { // any order: a mark is hit or not
		due := h.expires.Add(-p.Lead)
		if h.state == reference.Held && h.published[reference.Remind] == "" && id != "" && e.At.Sub(due) > w.run.Setup.Period && due.After(w.run.Setup.Start) {
			w.hit(cronPaused)
		}
	}
}
