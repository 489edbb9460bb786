package workers

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var ackOnReceive = defect.Defect{
	Name:    "ack-on-receive",
	Mistake: "A message is acknowledged when it is received, and lost with its worker",
	Seen:    "the default of many task queues, such as Celery's acks_late=False",
	New:     defect.Worker(func(w *reference.Worker) { w.Queue = earlyAck{w.Queue} }),
}

type earlyAck struct{ reference.Consumer }

func (q earlyAck) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	deliveries, err := q.Consumer.Receive(ctx, max, wait)
	for _, d := range deliveries {
		if err := q.Consumer.Ack(ctx, d); err != nil {
			return nil, err
		}
	}
	return deliveries, err
}

func (earlyAck) Ack(context.Context, reference.Delivery) error { return nil }
