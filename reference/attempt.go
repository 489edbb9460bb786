package reference

import (
	"context"
	"errors"
	"time"
)

// attempt is one worker's try at one reminder, under one token.
type attempt struct {
	*Worker
	message  Message
	id       string
	route    Route
	reminder Reminder
	token    Token
	// asked is the process clock just before the asking that was answered: everything the store
	// said counts from there, so that a slow reply shortens what is left and never lengthens it.
	asked time.Time
}

func (a *attempt) claim(ctx context.Context) (claim Claim, err error) {
	err = a.ask(ctx, string(a.token), func(ctx context.Context) (err error) {
		a.asked = a.Clock.Now()
		claim, err = a.Store.Claim(ctx, ClaimRequest{
			Reminder: a.reminder, Token: a.token, MessageID: a.id,
			Lead: a.Policy.Lead, Cutoff: a.Policy.Cutoff, Lease: a.Policy.Lease, SendTimeout: a.Policy.SendTimeout,
			Order: a.Policy.Order, KeyHorizon: a.route.Sender.KeyHorizon(),
		})
		return err
	})
	a.observe("worker.claim", string(claim.Answer), err)
	return claim, err
}

// send makes the provider call, and records what came of it.
func (a *attempt) send(ctx context.Context, claim Claim) next {
	limit := min(a.Policy.SendTimeout, claim.LeaseLeft, claim.TimeLeft)
	receipt, err := a.route.Sender.Send(ctx, Notice{
		Reminder: a.reminder, Attempt: a.token,
		Learner: a.message.Learner, Section: a.message.Section, Zone: a.message.Zone,
		StartBy: StartWithin(a.asked, limit), Timeout: a.Policy.SendTimeout,
	})
	a.observe("provider.send", receipt.Ref, err)
	left := claim.TimeLeft - a.Clock.Since(a.asked)
	var refused *NotAcceptedError
	switch {
	case ctx.Err() != nil:
		return next{}
	case err == nil:
		return a.record(ctx, Outcome{Verdict: Sent}, receipt.Ref)
	case errors.Is(err, ErrStartPassed) && left <= 0:
		return a.record(ctx, Outcome{Dropped, Stalled}, "")
	case errors.Is(err, ErrStartPassed):
		return a.release(ctx, 0, "")
	case errors.Is(err, ErrRejected):
		return a.record(ctx, Outcome{Dropped, Rejected}, "")
	case errors.As(err, &refused):
		return a.refused(ctx, refused.After, left)
	case a.mayDouble():
		return a.release(ctx, 0, Timeout)
	}
	return a.record(ctx, Outcome{Unknown, Timeout}, "")
}

// refused is what follows when certainly nothing was accepted: another try, if it fits.
func (a *attempt) refused(ctx context.Context, after, left time.Duration) next {
	if after <= 0 {
		after = nackDefault
	}
	if after = min(after, retryMax); after >= left {
		return a.record(ctx, Outcome{Dropped, Throttled}, "")
	}
	return a.release(ctx, after, "")
}

// mayDouble says whether an attempt that nobody knows the end of may be followed by another.
func (a *attempt) mayDouble() bool {
	return a.Policy.Order == SendFirst || a.route.Sender.KeyHorizon() > 0
}

// record settles the reminder. It asks until the outcome is recorded or the process ends; after some
// time, and more than once, the outcome is owed, and the message hidden for as long as it would have been.
func (a *attempt) record(ctx context.Context, o Outcome, ref string) next {
	s := Settlement{Reminder: a.reminder, Token: a.token, Outcome: o, MessageID: a.id, ProviderRef: ref}
	began := a.Clock.Now()
	for failures := 0; ctx.Err() == nil; {
		answer, err := a.settle(ctx, s)
		switch {
		case err != nil && failures > 0 && a.Clock.Since(began) >= a.patience() && a.owe(s):
			return comeBack(a.Policy.Visibility)
		case err != nil:
			failures++
			a.pause(ctx, string(a.token), failures)
		case answer == NotYours:
			return comeBack(nackDefault)
		default:
			return done
		}
	}
	return next{}
}

// release gives the claim back, not to be taken again for a while. If that can't be done the lease
// does it.
func (a *attempt) release(ctx context.Context, after time.Duration, doubt Reason) next {
	err := a.ask(ctx, string(a.token), func(ctx context.Context) error {
		return a.Store.Release(ctx, Release{Reminder: a.reminder, Token: a.token, After: after, Doubt: doubt})
	})
	a.observe("worker.release", string(doubt), err)
	if after > 0 {
		return comeBack(after)
	}
	return comeBack(nackDefault)
}

func (a *attempt) observe(point, answer string, err error) {
	observe(a.Observer, Observation{
		Point: point, Window: a.reminder.Window, Channel: a.reminder.Channel, MessageID: a.id, Token: a.token,
		Answer: answer, Took: a.Clock.Since(a.asked), Err: err,
	})
}
