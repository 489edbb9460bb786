package workers

import (
	"context"
	"errors"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var retryAfterIgnored = defect.Defect{
	Name:    "retry-after-ignored",
	Mistake: "A provider that asks to wait is asked again after the usual five seconds",
	Seen:    "every client that knows 429 and not its header",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return impatient{s} })
	}),
}

type impatient struct{ reference.Sender }

func (s impatient) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	receipt, err := s.Sender.Send(ctx, n)
	var wait *reference.NotAcceptedError
	if errors.As(err, &wait) {
		err = &reference.NotAcceptedError{Err: wait.Err}
	}
	return receipt, err
}

var retryAfterUnbounded = defect.Defect{
	Name:    "retry-after-unbounded",
	Mistake: "The client sleeps for as long as the provider asks, and the worker with it",
	Seen:    "clients that do as Retry-After says; all workers of a queue asleep: https://status.pusher.com/incidents/8xvflp0nwq5m",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return obedient{s, w.Waiter} })
	}),
}

type obedient struct {
	reference.Sender
	waiter reference.Waiter
}

func (s obedient) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	for {
		receipt, err := s.Sender.Send(ctx, n)
		var wait *reference.NotAcceptedError
		if !errors.As(err, &wait) || wait.After <= 0 {
			return receipt, err
		}
		if err := s.waiter.Wait(ctx, wait.After); err != nil {
			return receipt, err
		}
	}
}
