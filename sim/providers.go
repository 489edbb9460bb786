package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/provider"
	"github.com/seathold/seathold/sim/trace"
)

// What a provider answers to a send, as events say it.
const (
	answerAccepted    = "accepted"
	answerRepeat      = "repeat"
	answerRejected    = "rejected"
	answerNotAccepted = "not-accepted"
	answerTooLate     = "too-late"
	answerNothing     = "unknown" // nothing was accepted, and the caller can't know
)

// senderPort is reference.Sender as one process sees it.
type senderPort struct {
	p        *process
	provider *provider.Provider
}

// KeyHorizon is how long the provider remembers reminder keys.
func (s senderPort) KeyHorizon() time.Duration { return s.provider.Horizon }

// Send makes the call, if it may still be started, and waits for the reply as long as n says.
func (s senderPort) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	p, w := s.p, s.p.world
	m := faults.Moment{Point: faults.ProviderSend, Hold: n.Reminder.Hold, Channel: n.Reminder.Channel}
	e := trace.Event{
		Who: p.node.Name, Slot: p.slot, What: trace.What(m.Point), Hold: m.Hold, Channel: m.Channel,
		Window: n.Reminder.ExpiresAt, Token: n.Attempt,
	}
	p.SleepUntil(w.Now())
	if err := p.CutOff(); err != nil {
		return reference.Receipt{}, err
	}
	fx := w.strike(p, &m, faults.Before)
	fx.mark(&e)
	switch {
	case fx.Crash:
		p.node.crash(fx.line, fx.Restart)
		return reference.Receipt{}, p.CutOff()
	case fx.Stall > 0:
		p.stall(&fx)
	}
	if err := errors.Join(p.CutOff(), ctx.Err()); err != nil {
		return reference.Receipt{}, fmt.Errorf("send %s: %w", n.Reminder, err)
	}
	e.Start = w.Now()
	if n.StartBy.Passed(p.node.Clock().Now()) || s.monotonicPassed(n.StartBy) {
		e.Answer = answerTooLate
		w.record(e)
		return reference.Receipt{}, fmt.Errorf("send %s: %w", n.Reminder, reference.ErrStartPassed)
	}
	if fx.Err != nil {
		return reference.Receipt{}, s.refuse(e, &fx, n)
	}
	return s.accept(m, e, &fx, n)
}

// monotonicPassed compares as StartBy does on the monotonic clock, which a virtual time can't carry:
// what has truly passed since the claim was asked for, however the node's clock was set since.
func (s senderPort) monotonicPassed(by reference.StartBy) bool {
	passed := s.p.world.Now().Sub(s.p.claimed)
	return !s.p.claimed.IsZero() && passed >= by.Time().Sub(s.p.claimedBy)
}

// refuse is a call that comes to nothing, in one of the ways that a caller can tell apart.
func (s senderPort) refuse(e trace.Event, fx *struck, n reference.Notice) error {
	var notAccepted *reference.NotAcceptedError
	switch {
	case errors.Is(fx.Err, reference.ErrRejected):
		e.Answer = answerRejected
	case errors.As(fx.Err, &notAccepted):
		e.Answer = answerNotAccepted
		if notAccepted.After > 0 {
			e.Until = s.p.world.Now().Add(notAccepted.After)
		}
	default:
		e.Answer = answerNothing
	}
	s.p.world.record(e)
	if err := s.reply(e, s.provider.Latency, n.Timeout); err != nil {
		return err
	}
	return fx.Err
}

// accept is a call that reaches the provider. Its reply may be late, or lost.
func (s senderPort) accept(m faults.Moment, e trace.Event, fx *struck, n reference.Notice) (reference.Receipt, error) {
	p, w := s.p, s.p.world
	in := w.strike(p, &m, faults.In)
	in.mark(&e)
	var ref string
	if fx.Delay > 0 { // on its way, whatever becomes of the sender meanwhile
		e.Answer = answerNothing
		w.record(e)
		w.At(e.Start.Add(fx.Delay), func() { ref = s.arrive(e, n.Reminder, false) })
	} else {
		ref = s.arrive(e, n.Reminder, true)
	}
	switch {
	case in.Crash:
		p.node.crash(in.line, in.Restart)
		return reference.Receipt{}, p.CutOff()
	case in.Stall > 0:
		p.stall(&in)
	}
	if err := s.reply(e, s.provider.Latency+fx.Delay+in.Delay, n.Timeout); err != nil {
		return reference.Receipt{}, err
	}
	if in.Err != nil {
		return reference.Receipt{}, s.replied(e, in.Err)
	}
	if after := w.strike(p, &m, faults.After); after.hit() {
		p.event = e
		p.after(&after)
	}
	if err := p.CutOff(); err != nil {
		return reference.Receipt{}, err
	}
	return reference.Receipt{Ref: ref}, nil
}

// arrive is a call that the provider has now: the event of the call, if it is to be told here, and the
// ground truth.
func (s senderPort) arrive(e trace.Event, r reference.Reminder, telling bool) string {
	w := s.p.world
	ref, repeat := s.provider.Take(r, w.Now())
	truth := e
	truth.Who, truth.Slot, truth.What, truth.Err, truth.Fault = string(e.Channel), 0, trace.Accepted, "", ""
	e.Answer = answerAccepted
	if repeat {
		e.Answer, truth.What = answerRepeat, trace.Collapsed
	}
	if truth.Answer = e.Answer; telling {
		w.record(e)
	}
	w.record(truth)
	return ref
}

// reply lets the latency pass, or the sender's patience.
func (s senderPort) reply(e trace.Event, latency, patience time.Duration) error {
	s.p.SleepUntil(e.Start.Add(min(latency, patience)))
	if err := s.p.CutOff(); err != nil {
		return err
	}
	if latency > patience {
		return s.replied(e, fmt.Errorf("no reply within %s: %w", patience, context.DeadlineExceeded))
	}
	return nil
}

// replied records what the sender saw in place of a receipt.
func (s senderPort) replied(e trace.Event, err error) error {
	e.What, e.Err = trace.Reply, oneLine(err)
	s.p.world.record(e)
	return fmt.Errorf("send %s/%s: %w", e.Hold, e.Channel, err)
}
