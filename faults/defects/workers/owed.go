package workers

import (
	"context"
	"errors"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var owedOutcomeForgotten = defect.Defect{
	Name:    "owed-outcome-forgotten",
	Mistake: "What a provider did and the store doesn't take is forgotten with the message in hand",
	Seen:    "cards charged again because the result of the first charge couldn't be written: https://www.twilio.com/blog/2013/07/billing-incident-post-mortem-breakdown-analysis-and-root-cause.html",
	New: func(int) defect.Pipeline {
		return defect.Pipeline{Work: forgetful}
	},
}

var owedOutcomeKeepsTheSlot = defect.Defect{
	Name:    "owed-outcome-keeps-the-slot",
	Mistake: "A worker asks the store for nothing else until an outcome is written",
	Seen:    "mails that waited for one shared queue: https://status.kickserv.com/incidents/nz8500cvzvsm",
	New:     insisting(true),
}

var lockedRowWaitedFor = defect.Defect{
	Name:    "locked-row-waited-for",
	Mistake: "A worker waits for a row that somebody else has, for as long as it takes",
	Seen:    "a pool that starves behind an idle transaction: https://github.com/ridafkih/keeper.sh/pull/416",
	New:     insisting(false),
}

// insisting is the reference's worker on an insistent store.
func insisting(settles bool) func(int) defect.Pipeline {
	return func(int) defect.Pipeline {
		return defect.Pipeline{Work: func(ctx, accept context.Context, w *reference.Worker) error {
			w.Store = insistent{WorkerStore: w.Store, ctx: ctx, worker: w, settles: settles}
			return w.Run(ctx, accept)
		}}
	}
}

// forgetful handles every message by a worker of its own, so that nothing is kept between them.
func forgetful(ctx, accept context.Context, w *reference.Worker) error {
	for accept.Err() == nil {
		deliveries, err := w.Queue.Receive(accept, 1, w.Policy.LongPoll)
		if err != nil {
			// An error means that accept ended, which the loop looks at next.
			_ = w.Waiter.Wait(accept, insistPause)
		}
		for _, d := range deliveries {
			one := reference.Worker{
				Store: w.Store, Queue: w.Queue, Routes: w.Routes, Clock: w.Clock, Waiter: w.Waiter, Tokens: w.Tokens, Policy: w.Policy, Observer: w.Observer,
			}
			one.Handle(ctx, d)
		}
	}
	return context.Cause(accept)
}

// insistent is a store that gives up no call for a while: one of a row that is locked, or one to settle.
type insistent struct {
	reference.WorkerStore
	ctx     context.Context
	worker  *reference.Worker
	settles bool
}

const insistPause = time.Second

func (s insistent) Settle(ctx context.Context, m reference.Settlement) (answer reference.SettleAnswer, err error) {
	if !s.settles {
		return s.WorkerStore.Settle(ctx, m)
	}
	s.until(func(ctx context.Context) bool {
		answer, err = s.WorkerStore.Settle(ctx, m)
		return err == nil
	})
	return answer, err
}

func (s insistent) Claim(ctx context.Context, q reference.ClaimRequest) (claim reference.Claim, err error) {
	if s.settles {
		return s.WorkerStore.Claim(ctx, q)
	}
	s.until(func(ctx context.Context) bool {
		claim, err = s.WorkerStore.Claim(ctx, q)
		return !errors.Is(err, reference.ErrLocked)
	})
	return claim, err
}

func (s insistent) Expire(ctx context.Context, w reference.Window, id string) (answer reference.Expiry, wait time.Duration, err error) {
	if s.settles {
		return s.WorkerStore.Expire(ctx, w, id)
	}
	s.until(func(ctx context.Context) bool {
		answer, wait, err = s.WorkerStore.Expire(ctx, w, id)
		return !errors.Is(err, reference.ErrLocked)
	})
	return answer, wait, err
}

// until asks again until the answer is there or the process ends.
func (s insistent) until(there func(context.Context) bool) {
	for s.ctx.Err() == nil {
		ctx, cancel := s.worker.Clock.WithTimeout(s.ctx, s.worker.Policy.StoreTimeout)
		ok := there(ctx)
		cancel()
		if ok {
			return
		}
		// An error means that the process ends, which the loop looks at next.
		_ = s.worker.Waiter.Wait(s.ctx, insistPause)
	}
}
