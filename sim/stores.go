package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// storePort is every port of the store, as one process sees it.
type storePort struct{ p *process }

var (
	_ reference.SweepStore  = storePort{}
	_ reference.WorkerStore = storePort{}
	_ reference.HoldStore   = storePort{}
)

// real is the store behind the port. Its calls get no context of ours: a virtual deadline lies in
// the real past.
func (s storePort) real() Store { return s.p.world.store }

func (s storePort) Due(ctx context.Context, q reference.DueQuery) (found []reference.Nomination, err error) {
	err = s.p.do(ctx, faults.Moment{Point: faults.SweepDue}, trace.Event{Kind: q.Kind},
		func(_ *struck, e *trace.Event) (err error) {
			found, err = s.real().Due(context.Background(), q)
			e.N = len(found)
			return s.p.harness(err)
		})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (s storePort) ExpireOverdue(ctx context.Context, age time.Duration, limit int) (windows []reference.Window, err error) {
	err = s.p.do(ctx, faults.Moment{Point: faults.SweepBackstop}, trace.Event{}, func(fx *struck, e *trace.Event) (err error) {
		windows, err = s.real().ExpireOverdue(context.Background(), age, limit)
		e.N = len(windows)
		for _, w := range windows { // one event per hold, then that of the call
			s.p.world.record(trace.Event{Who: e.Who, What: e.What, Hold: w.Hold, Window: w.ExpiresAt, Answer: string(reference.ExpiredNow), Fault: fx.line})
		}
		return s.p.harness(err)
	})
	if err != nil {
		return nil, err
	}
	return windows, nil
}

func (s storePort) RecordSweep(ctx context.Context, r reference.Report) error {
	return s.p.do(ctx, faults.Moment{Point: faults.SweepRecord}, trace.Event{Token: r.ID, N: r.Queued}, func(_ *struck, _ *trace.Event) error {
		return s.p.harness(s.real().RecordSweep(context.Background(), r))
	})
}

func (s storePort) Claim(ctx context.Context, q reference.ClaimRequest) (claim reference.Claim, err error) {
	r := q.Reminder
	s.p.claimed, s.p.claimedBy = s.p.world.Now(), s.p.node.Clock().Now()
	err = s.p.do(ctx, faults.Moment{Point: faults.WorkerClaim, Hold: r.Hold, Channel: r.Channel},
		trace.Event{Window: r.ExpiresAt, Token: q.Token, Message: q.MessageID},
		func(_ *struck, e *trace.Event) (err error) {
			claim, err = s.real().Claim(context.Background(), q)
			e.Answer, e.Outcome, e.Doubt = string(claim.Answer), claim.Outcome, claim.Doubt
			switch claim.Answer {
			case reference.Granted:
				e.Until = e.At.Add(claim.LeaseLeft)
			case reference.Busy, reference.Early:
				e.Until = e.At.Add(claim.Wait)
			}
			return s.p.harness(err)
		})
	if err != nil {
		return reference.Claim{}, err
	}
	return claim, nil
}

func (s storePort) Settle(ctx context.Context, m reference.Settlement) (answer reference.SettleAnswer, err error) {
	r := m.Reminder
	err = s.p.do(ctx, faults.Moment{Point: faults.WorkerSettle, Hold: r.Hold, Channel: r.Channel},
		trace.Event{Window: r.ExpiresAt, Token: m.Token, Message: m.MessageID, Outcome: m.Outcome},
		func(_ *struck, e *trace.Event) (err error) {
			answer, err = s.real().Settle(context.Background(), m)
			e.Answer = string(answer)
			return s.p.harness(err)
		})
	if err != nil {
		return "", err
	}
	return answer, nil
}

func (s storePort) Release(ctx context.Context, rel reference.Release) error {
	r := rel.Reminder
	return s.p.do(ctx, faults.Moment{Point: faults.WorkerRelease, Hold: r.Hold, Channel: r.Channel},
		trace.Event{Window: r.ExpiresAt, Token: rel.Token, Doubt: rel.Doubt},
		func(_ *struck, e *trace.Event) error {
			if rel.After > 0 {
				e.Until = e.At.Add(rel.After)
			}
			return s.p.harness(s.real().Release(context.Background(), rel))
		})
}

func (s storePort) Expire(ctx context.Context, w reference.Window, messageID string) (answer reference.Expiry, wait time.Duration, err error) {
	err = s.p.do(ctx, faults.Moment{Point: faults.WorkerExpire, Hold: w.Hold}, trace.Event{Window: w.ExpiresAt, Message: messageID},
		func(_ *struck, e *trace.Event) (err error) {
			answer, wait, err = s.real().Expire(context.Background(), w, messageID)
			e.Answer = string(answer)
			if answer == reference.ExpiryEarly {
				e.Until = e.At.Add(wait)
			}
			return s.p.harness(err)
		})
	if err != nil {
		return "", 0, err
	}
	return answer, wait, nil
}

func (s storePort) Create(ctx context.Context, h reference.Hold) error {
	return s.hold(ctx, faults.HoldCreate, h.ID, trace.Event{Window: h.ExpiresAt}, func() error {
		return s.real().Create(context.Background(), h)
	})
}

func (s storePort) Confirm(ctx context.Context, id reference.HoldID) error {
	return s.hold(ctx, faults.HoldConfirm, id, trace.Event{}, func() error { return s.real().Confirm(context.Background(), id) })
}

func (s storePort) Cancel(ctx context.Context, id reference.HoldID) error {
	return s.hold(ctx, faults.HoldCancel, id, trace.Event{}, func() error { return s.real().Cancel(context.Background(), id) })
}

func (s storePort) Extend(ctx context.Context, w reference.Window, to time.Time) error {
	return s.hold(ctx, faults.HoldExtend, w.Hold, trace.Event{Window: w.ExpiresAt, Until: to}, func() error {
		return s.real().Extend(context.Background(), w, to)
	})
}

func (s storePort) Get(ctx context.Context, id reference.HoldID) (reference.Hold, error) {
	if err := errors.Join(s.p.CutOff(), ctx.Err()); err != nil {
		return reference.Hold{}, fmt.Errorf("get %s: %w", id, err)
	}
	return s.real().Get(context.Background(), id)
}

// hold makes a call of the HoldStore, whose refusals are answers and no trouble of the store's.
func (s storePort) hold(ctx context.Context, point faults.Point, id reference.HoldID, base trace.Event, call func() error) error {
	return s.p.do(ctx, faults.Moment{Point: point, Hold: id}, base, func(_ *struck, e *trace.Event) error {
		err := call()
		e.Answer = answerDone
		if err != nil {
			e.Answer = answerRefused
		}
		for _, refusal := range []error{reference.ErrHoldExists, reference.ErrNoHold, reference.ErrNotHeld, reference.ErrRunOut, reference.ErrOtherWindow, reference.ErrNotLater, reference.ErrInvalid} {
			if errors.Is(err, refusal) {
				return err
			}
		}
		return s.p.harness(err)
	})
}

const (
	answerDone    = "done"
	answerRefused = "refused"
	answerNotOurs = "not-ours"
)

// harness keeps an error of the real store or queue, which no fault of a scenario made: the run
// can't be trusted any more.
func (p *process) harness(err error) error {
	if err != nil {
		p.world.fail(err)
	}
	return err
}
