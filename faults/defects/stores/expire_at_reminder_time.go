package stores

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var expireAtReminderTime = defect.Defect{
	Name:    "expire-at-reminder-time",
	Mistake: "The worker gives the seat back right after the nudge, minutes before the hold runs out",
	Seen:    "orders cancelled while they were being paid: https://github.com/woocommerce/woocommerce/pull/2445",
	New: func(int) defect.Pipeline {
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store {
				return defect.Decisions{Store: s, Expired: expiredAtAnyTime, Dropped: defect.AsReference}
			},
			Work: defect.Work(func(w *reference.Worker) { w.Queue = expireThenAck{w.Queue, w.Store} }),
		}
	},
}

func expiredAtAnyTime(w reference.Window, h reference.Hold, _ []reference.Row, now time.Time) (reference.Expiry, time.Duration) {
	if answer, wait := reference.DecideExpiry(w, &h, now); answer != reference.ExpiryEarly {
		return answer, wait
	}
	return reference.ExpiredNow, 0
}

type expireThenAck struct {
	reference.Consumer
	store reference.WorkerStore
}

func (q expireThenAck) Ack(ctx context.Context, d reference.Delivery) error {
	if m, err := reference.DecodeMessage(d.Payload); err == nil && m.Kind == reference.Remind {
		if _, _, err := q.store.Expire(ctx, m.Window, d.MessageID); err != nil {
			return err
		}
	}
	return q.Consumer.Ack(ctx, d)
}
