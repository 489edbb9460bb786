package workers

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var onePoisonedMessageBlocksTheQueue = defect.Defect{
	Name:    "one-poisoned-message-blocks-the-queue",
	Mistake: "A message that can't be read is tried again until it can be",
	Seen:    "jobs recovered and run endlessly, with their neighbours: https://github.com/sidekiq/sidekiq/issues/4633",
	New:     defect.Worker(func(w *reference.Worker) { w.Queue = stubborn{w.Queue, w.Waiter} }),
}

type stubborn struct {
	reference.Consumer
	waiter reference.Waiter
}

func (q stubborn) DeadLetter(ctx context.Context, _ reference.Delivery, _ string) error {
	for {
		if err := q.waiter.Wait(ctx, time.Minute); err != nil {
			return err
		}
	}
}
