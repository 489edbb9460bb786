package workers

import (
	"context"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var deadlineCountedFromTheReply = defect.Defect{
	Name:    "deadline-counted-from-the-reply",
	Mistake: "What is left of the lease, and until the cut-off, counts from when the worker heard of it",
	Seen:    "a lease that is older than its holder knows: https://github.com/pgmq/pgmq/issues/367",
	New: defect.Worker(func(w *reference.Worker) {
		heard := &reply{WorkerStore: w.Store, worker: w}
		w.Store = heard
		defect.Senders(w, func(s reference.Sender) reference.Sender { return sinceReply{s, heard} })
	}),
}

// reply keeps when the last claim was answered, and what it left.
type reply struct {
	reference.WorkerStore
	worker *reference.Worker
	at     time.Time
	left   time.Duration
}

func (r *reply) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	claim, err := r.WorkerStore.Claim(ctx, q)
	r.at, r.left = r.worker.Clock.Now(), min(r.worker.Policy.SendTimeout, claim.LeaseLeft, claim.TimeLeft)
	return claim, err
}

type sinceReply struct {
	reference.Sender
	heard *reply
}

func (s sinceReply) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	n.StartBy = reference.StartWithin(s.heard.at, s.heard.left)
	return s.Sender.Send(ctx, n)
}

var deadlineComparedOutsideTheSender = defect.Defect{
	Name:    "deadline-compared-outside-the-sender",
	Mistake: "The deadline is compared before the sender is called, which may stop for long before it writes",
	Seen:    "a pause between the check and the call: https://github.com/lukas-krecan/ShedLock/issues/6",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return checkedBefore{s, w.Clock} })
	}),
}

type checkedBefore struct {
	reference.Sender
	clock clock.Clock
}

func (s checkedBefore) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	if now := s.clock.Now(); !n.StartBy.Passed(now) {
		n.StartBy = reference.StartWithin(now, ages)
	}
	return s.Sender.Send(ctx, n)
}
