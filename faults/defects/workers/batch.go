package workers

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var batchRetriedWhole = defect.Defect{
	Name:    "batch-retried-whole",
	Mistake: "Ten messages are taken at a time; the first that isn't done stops the batch, and sends all of it back",
	Seen:    "everyone before the failing recipient, once per retry: https://status.launchnotes.com/incidents/01J364YWJ9TXQVSV95FG1MSDE0/write-up",
	New: func(int) defect.Pipeline {
		return defect.Pipeline{Work: workInBatches}
	},
}

const (
	batchMax    = 10
	batchReturn = 5 * time.Second
)

func workInBatches(ctx, accept context.Context, w *reference.Worker) error {
	queue := w.Queue
	for accept.Err() == nil {
		deliveries, err := queue.Receive(accept, batchMax, w.Policy.LongPoll)
		if err != nil {
			// An error means that ctx ended, which the loop looks at next.
			_ = w.Waiter.Wait(accept, batchReturn)
			continue
		}
		batch := &verdict{Consumer: queue}
		w.Queue = batch
		for _, d := range deliveries {
			if !batch.failed {
				w.Handle(ctx, d)
			}
		}
		for _, d := range deliveries {
			if batch.failed {
				_ = queue.Nack(ctx, d, batchReturn) // its visibility does it as well
			} else {
				_ = queue.Ack(ctx, d) // it comes back, and is done
			}
		}
	}
	return context.Cause(accept)
}

// verdict keeps for a whole batch what is said of one of it.
type verdict struct {
	reference.Consumer
	failed bool
}

func (v *verdict) Ack(context.Context, reference.Delivery) error { return nil }

func (v *verdict) Nack(context.Context, reference.Delivery, time.Duration) error {
	v.failed = true
	return nil
}

func (v *verdict) DeadLetter(context.Context, reference.Delivery, string) error {
	v.failed = true
	return nil
}
