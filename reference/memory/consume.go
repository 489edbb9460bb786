package memory

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/seathold/seathold/reference"
)

// Receive implements reference.Consumer. A message that was handed over MaxReceives times, and is
// visible again, is set aside instead.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	for {
		if err := ended(ctx, "receive", max); err != nil {
			return nil, err
		}
		deliveries, next := q.take(max)
		if len(deliveries) > 0 || q.config.Waiter == nil || wait <= 0 {
			return deliveries, nil
		}
		// Publishers don't wake us, so that a step is never longer than a poll; and what was waited
		// is counted, so that this ends whatever the clock does.
		step := min(wait, next, q.config.Poll)
		if err := q.config.Waiter.Wait(ctx, step); err != nil {
			return nil, fmt.Errorf("receive: %w", err)
		}
		wait -= step
	}
}

// take hands over at most max messages that are visible. If there is none, it says how long until
// one may be.
func (q *Queue) take(max int) (deliveries []reference.Delivery, next time.Duration) {
	now := q.lock()
	defer q.mu.Unlock()
	for len(deliveries) < max {
		m, ok := q.visible.at(&place{})
		switch {
		case !ok:
			return deliveries, q.config.Poll
		case now.Before(m.visibleAt):
			return deliveries, m.visibleAt.Sub(now)
		case m.receives >= q.config.MaxReceives:
			q.setAside(m, fmt.Sprintf("received %d times", m.receives), now)
		default:
			deliveries = append(deliveries, q.handOver(m, now))
		}
	}
	return deliveries, q.config.Poll
}

func (q *Queue) handOver(m *message, now time.Time) reference.Delivery {
	q.handed++
	m.receives++
	m.receipt = strconv.FormatInt(q.handed, 10)
	q.hide(m, now.Add(q.config.Visibility))
	return reference.Delivery{MessageID: m.id, Receipt: m.receipt, Payload: bytes.Clone(m.payload), Receives: m.receives}
}

// ours gives the message that d hands over, if nobody has received it since. The receipt outlasts
// the visibility: as long as nobody else has the message, nothing is lost by honouring it.
func (q *Queue) ours(what string, d reference.Delivery) (*message, error) {
	m := q.messages[d.MessageID]
	if m == nil || m.receipt == "" || m.receipt != d.Receipt {
		return nil, fmt.Errorf("%s message %s: %w", what, d.MessageID, reference.ErrNotOurs)
	}
	return m, nil
}

// Ack implements reference.Consumer.
func (q *Queue) Ack(ctx context.Context, d reference.Delivery) error {
	if err := ended(ctx, "ack message", d.MessageID); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	m, err := q.ours("ack", d)
	if err == nil {
		q.remove(m)
	}
	return err
}

// Nack implements reference.Consumer. A wait of zero or less makes the message visible at once.
func (q *Queue) Nack(ctx context.Context, d reference.Delivery, after time.Duration) error {
	if err := ended(ctx, "nack message", d.MessageID); err != nil {
		return err
	}
	now := q.lock()
	defer q.mu.Unlock()
	m, err := q.ours("nack", d)
	if err == nil {
		q.hide(m, now.Add(max(after, 0)))
	}
	return err
}
