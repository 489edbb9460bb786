package restqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/seathold/seathold/reference"
)

// messageBytesMax is how large a message may be in an answer: each byte of its payload may take
// six, as in \u0000.
const messageBytesMax = 6*reference.PayloadBytesMax + 4<<10

// Receive asks until it gets messages or wait is over, every Config.Poll, and not while it is
// throttled. A delivery's receipt names the hand-over for logs; an ack doesn't carry it.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	got, err := q.receive(ctx, max, q.config.Clock.Now().Add(wait))
	if err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	return got, nil
}

func (q *Queue) receive(ctx context.Context, most int, until time.Time) ([]reference.Delivery, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pause := q.pause.Left()
		if pause == 0 {
			got, err := q.consume(ctx, most)
			if err != nil || len(got) > 0 {
				return got, err
			}
			pause = q.config.Poll
		}
		left := until.Sub(q.config.Clock.Now())
		if left <= 0 {
			return nil, nil
		}
		if err := q.config.Waiter.Wait(ctx, min(pause, left)); err != nil {
			return nil, err
		}
		if left <= pause {
			return nil, nil // the wait is over, and the next Receive asks
		}
	}
}

func (q *Queue) consume(ctx context.Context, most int) ([]reference.Delivery, error) {
	if most < 1 {
		return nil, nil
	}
	f := q.config.Fields
	request := object{}.with(f.Queue, text(q.config.Queue)).with(f.Max, strconv.AppendInt(nil, int64(most), 10))
	if f.Visibility != "" {
		request = request.with(f.Visibility, seconds(q.config.Visibility))
	}
	// A call under way is waited for: what it hands over would else be hidden until its visibility
	// ends, for nothing. It has its own timeout.
	data, err := q.call(context.WithoutCancel(ctx), q.consumeURL, "", request, answerBytesMax+int64(most)*messageBytesMax)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if value := data[f.Messages]; len(value) > 0 && json.Unmarshal(value, &raw) != nil {
		return nil, fmt.Errorf("%s: %w: no list", f.Messages, ErrBadAnswer)
	}
	return q.deliveries(raw, most)
}

// deliveries reads the messages. One that can't be read doesn't keep the others back; it comes again
// when its visibility ends. So do those beyond what was asked for.
func (q *Queue) deliveries(raw []json.RawMessage, most int) ([]reference.Delivery, error) {
	var got []reference.Delivery
	var bad error
	for _, value := range raw[:min(len(raw), most)] {
		d, err := q.delivery(value)
		if err != nil {
			bad = err
			continue
		}
		got = append(got, d)
	}
	if len(got) > 0 {
		return got, nil
	}
	return nil, bad
}

func (q *Queue) delivery(value json.RawMessage) (reference.Delivery, error) {
	f := q.config.Fields
	m, err := parse(value)
	if err != nil {
		return reference.Delivery{}, err
	}
	id, err := m.id(f.MessageID)
	if err != nil {
		return reference.Delivery{}, err
	}
	d := reference.Delivery{
		MessageID: id, Receipt: fmt.Sprintf("%s.%d", id, q.handed.Add(1)), Payload: decodePayload(m[f.Payload]),
	}
	if json.Unmarshal(m[f.Receives], &d.Receives) != nil {
		d.Receives = 0 // it is for logs alone, and no reason to lose a message
	}
	return d, nil
}

// Ack removes the message, whoever has it by now. ErrNotOurs, if the service says that there is none.
func (q *Queue) Ack(ctx context.Context, d reference.Delivery) error {
	f := q.config.Fields
	request := object{}.with(f.Queue, text(q.config.Queue)).with(f.MessageID, text(d.MessageID))
	_, err := q.persist(ctx, func() (fields, error) {
		return q.call(ctx, q.ackURL, "", request, answerBytesMax)
	})
	var status *StatusError
	if errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusGone) {
		err = fmt.Errorf("%w: %w", reference.ErrNotOurs, err)
	}
	if err != nil {
		return fmt.Errorf("ack message %s: %w", d.MessageID, err)
	}
	return nil
}

// Nack does nothing: the contract has none, and the message comes back when its visibility ends. To
// acknowledge it and publish it anew would lose it in a crash between the two.
func (q *Queue) Nack(ctx context.Context, d reference.Delivery, _ time.Duration) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("nack message %s: %w", d.MessageID, err)
	}
	return nil
}

// DeadLetter does nothing: the contract has none, and the service sets the message aside after as
// many receives as it is configured for.
func (q *Queue) DeadLetter(ctx context.Context, d reference.Delivery, _ string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("dead-letter message %s: %w", d.MessageID, err)
	}
	return nil
}
