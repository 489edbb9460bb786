package marks

import (
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

func (w *watch) claim(e *trace.Event) {
	if e.Err != "" && strings.HasPrefix(strings.TrimPrefix(e.Fault, "maybe "), string(faults.Lock)+" ") {
		w.hit(lockWaited)
	}
	if e.NoEffect {
		return
	}
	r, h := w.row(e.Hold, e.Window, e.Channel), w.hold(e.Hold)
	switch reference.Answer(e.Answer) {
	case reference.Granted:
		w.granted(e, r)
	case reference.Settled:
		w.hit(claimSettled)
		if w.wasRedriven(e.Message) {
			w.hit(redriveSettled)
		}
	case reference.SettledHere:
		w.settledHere(e, r, h)
	case reference.Busy:
		if r.token == "" {
			w.hit(claimNotBefore)
		} else {
			w.hit(claimBusy)
		}
	case reference.Late:
		w.hit(claimLate)
	case reference.Closed:
		w.closed(e, h)
	case reference.Early:
		w.hit(claimEarly)
	case reference.Ahead:
		w.hit(claimAhead)
	case reference.NoHold:
		w.hit(claimNoHold)
	}
}

func (w *watch) granted(e *trace.Event, r *row) {
	switch {
	case r.token == e.Token && r.token != "":
		w.hit(claimAgain)
		return
	case e.Doubt == reference.Lapsed:
		w.hit(claimLapsed)
	case e.Doubt == reference.Timeout:
		w.hit(claimTimeout)
	case r.exists:
		w.hit(claimFree)
	default:
		w.hit(claimGranted)
	}
	if e.Doubt != "" && w.run.Setup.Policy.Order == reference.SendFirst && w.run.Setup.Keys[e.Channel] == 0 {
		w.hit(sendFirstAgain)
	}
	if e.Doubt != "" && w.run.Setup.Keys[e.Channel] > 0 {
		w.hit(retakeInside)
	}
	if w.wasRedriven(e.Message) {
		w.hit(redriveHeld)
	}
	if !r.exists {
		r.first = e.At
	}
	r.exists, r.token, r.lease, r.doubt, r.node = true, e.Token, e.Until, e.Doubt, e.Who
}

func (w *watch) settledHere(e *trace.Event, r *row, h *seat) {
	switch e.Outcome.Reason {
	case reference.Missed:
		w.hit(hereMissed)
	case reference.Throttled:
		w.hit(hereThrottled)
	case reference.Lapsed:
		w.hit(hereLapsed)
	case reference.Timeout:
		w.hit(hereTimeout)
	}
	p := w.run.Setup.Policy
	stands := h.state == reference.Held && h.expires.Equal(e.Window) && e.At.Before(e.Window.Add(-p.Cutoff))
	if stands && w.run.Setup.Keys[e.Channel] > 0 && p.Order == reference.ClaimFirst {
		w.hit(retakeOutside)
	}
	if h.state == reference.Expired && w.wasRedriven(e.Message) {
		w.hit(redriveExpired)
	}
	w.record(r, e.Outcome)
}

func (w *watch) closed(e *trace.Event, h *seat) {
	switch {
	case h.state == reference.Expired:
		w.hit(claimExpired)
		if w.wasRedriven(e.Message) {
			w.hit(redriveExpired)
		}
	case h.state != reference.Held:
		w.hit(claimClosed)
	case h.expires.After(e.Window):
		w.hit(claimExtended)
	}
}

func (w *watch) send(e *trace.Event) {
	switch {
	case e.What == trace.Collapsed:
		w.hit(keyRepeat)
		return
	case e.Answer == "too-late":
		w.hit(startPassed)
		if n := w.node(e.Who); n.late == e.Token {
			w.hit(stallSends)
		}
		return
	}
	r, h := w.row(e.Hold, e.Window, e.Channel), w.hold(e.Hold)
	if h.state != reference.Held && h.state != reference.Expired || h.expires.After(e.Window) {
		w.hit(sendAfterChange)
	}
	switch e.Answer {
	case "not-accepted":
		r.refused = true
	case "accepted":
		if r.refused {
			w.hit(retried)
		}
	}
}

func (w *watch) settle(e *trace.Event) {
	if e.NoEffect {
		if w.owing == nil {
			w.owing, w.owed = map[reference.Token]hand{}, map[reference.Token]bool{}
		}
		w.owing[e.Token] = hand{who: e.Who, slot: e.Slot}
		return
	}
	if w.owed[e.Token] && reference.SettleAnswer(e.Answer) == reference.Recorded {
		w.hit(owedRecorded)
	}
	r := w.row(e.Hold, e.Window, e.Channel)
	switch reference.SettleAnswer(e.Answer) {
	case reference.AlreadyFinal:
		w.hit(settledAlready)
	case reference.NotYours:
		w.hit(settledNotYours)
	case reference.Recorded:
		if e.Outcome.Verdict == reference.Sent {
			w.sentRecorded(e, r)
		}
		o := e.Outcome.WithDoubt(r.doubt)
		if o != e.Outcome {
			w.hit(doubtKept)
		}
		w.record(r, o)
	}
}

func (w *watch) sentRecorded(e *trace.Event, r *row) {
	if r.outcome.Verdict == reference.Unknown {
		w.hit(lateSent)
	}
	if r.open() && r.token != e.Token {
		w.hit(sentOverOther)
	}
	if w.hold(e.Hold).second {
		w.hit(secondWindow)
	}
}

// record notes an outcome.
func (w *watch) record(r *row, o reference.Outcome) {
	r.exists, r.outcome = true, o
	switch {
	case o.Verdict == reference.Sent:
		w.hit(outcomeSent)
	case o.Reason == reference.Rejected:
		w.hit(outcomeRejected)
	case o.Reason == reference.Throttled:
		w.hit(outcomeThrottled)
	case o.Reason == reference.Stalled:
		w.hit(outcomeStalled)
	case o.Reason == reference.Timeout:
		w.hit(outcomeTimeout)
	case o.Reason == reference.Lapsed:
		w.hit(outcomeLapsed)
	}
}

func (w *watch) release(e *trace.Event) {
	r := w.row(e.Hold, e.Window, e.Channel)
	if e.NoEffect {
		return
	}
	if !r.open() || r.token != e.Token {
		w.hit(uncertainAsked)
		return
	}
	r.token = ""
	if r.doubt == "" {
		r.doubt = e.Doubt
	}
	r.notBefore = e.Until
}

func (w *watch) expire(e *trace.Event) {
	switch {
	case e.NoEffect || e.Hold == "":
		return
	case e.Answer == string(reference.ExpiryEarly):
		w.hit(expireEarly)
		return
	case e.Answer == string(reference.ExpiryAhead):
		w.hit(expireAhead)
		return
	case e.Answer == string(reference.ExpiryDone):
		w.hit(expireDone)
		return
	case e.Answer != string(reference.ExpiredNow):
		return
	}
	backstop := strings.HasPrefix(string(e.What), "sweep")
	if backstop {
		w.hit(backstopExpired)
	}
	w.hold(e.Hold).state = reference.Expired
	for _, c := range reference.Channels {
		r := w.row(e.Hold, e.Window, c)
		switch {
		case r.open() && r.token != "":
			w.hit(expireOpen)
			if backstop {
				w.hit(backstopOpen)
			}
		case r.open() && r.doubt == "":
			w.hit(expireFree)
			r.outcome = r.dropped()
		case !r.exists:
			w.hit(outcomeMissed)
			r.exists, r.outcome = true, r.dropped()
		}
	}
}

func (r *row) dropped() reference.Outcome {
	if r.notBefore.IsZero() {
		return reference.Outcome{Verdict: reference.Dropped, Reason: reference.Missed}
	}
	return reference.Outcome{Verdict: reference.Dropped, Reason: reference.Throttled}
}
