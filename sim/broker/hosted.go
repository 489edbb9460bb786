// Package broker is a hosted queue, simulated: at-least-once, with a memory for keys and none for
// whose hand-over an ack belongs to.
package broker

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seathold/seathold/reference"
)

// Hosted is a queue of at-least-once delivery. It remembers keys for a while, also of
// messages that are long gone; messages end by their retention; and an ack carries no proof of
// whose hand-over it is, unless strict.
type Hosted struct {
	now     func() time.Time
	profile Profile
	made    int
	handed  int
	stored  map[string]*message
	order   visible
	keys    map[string]remembered
	dead    []reference.DeadLetter
	ended   []string
}

// Profile is what hosted queues differ in.
type Profile struct {
	// Dedup is how long a key is remembered from its publishing on; Retention how long a message is
	// kept; Latency how long after its publishing it can be received.
	Dedup, Retention, Latency time.Duration
	// Visibility is how long a message that was handed over stays hidden, and MaxReceives how often
	// it is handed over before it is set aside.
	Visibility  time.Duration
	MaxReceives int
	// Strict brokers refuse the ack of an old hand-over; the others take it, whoever holds the
	// message by now.
	Strict bool
}

type remembered struct {
	id    string
	until time.Time
}

type message struct {
	id       string
	number   int
	payload  []byte
	visible  time.Time
	gone     time.Time
	receives int
	receipt  string // of the last hand-over
	index    int
}

// NewHosted makes an empty queue in the time that now tells.
func NewHosted(now func() time.Time, p Profile) *Hosted {
	return &Hosted{now: now, profile: p, stored: map[string]*message{}, keys: map[string]remembered{}}
}

// Publish stores each entry, unless its key is remembered.
func (b *Hosted) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	results := make([]reference.Published, len(entries))
	for i, e := range entries {
		results[i] = b.publish(e)
	}
	return results, nil
}

func (b *Hosted) publish(e reference.Entry) reference.Published {
	now := b.now()
	if k, ok := b.keys[e.Key]; ok && e.Key != "" && now.Before(k.until) {
		return reference.Published{MessageID: k.id, Duplicate: true}
	}
	if err := e.Check(); err != nil {
		return reference.Published{Err: err}
	}
	b.made++
	m := &message{
		id: strconv.Itoa(b.made), number: b.made, payload: append([]byte(nil), e.Payload...),
		visible: now.Add(b.profile.Latency + e.Delay), gone: now.Add(b.profile.Retention),
	}
	b.stored[m.id] = m
	heap.Push(&b.order, m)
	if e.Key != "" && b.profile.Dedup > 0 {
		b.keys[e.Key] = remembered{m.id, now.Add(b.profile.Dedup)}
	}
	return reference.Published{MessageID: m.id}
}

// Remember has the broker take a key for a message that it never stored.
func (b *Hosted) Remember(key, id string) {
	if b.profile.Dedup > 0 {
		b.keys[key] = remembered{id, b.now().Add(b.profile.Dedup)}
	}
}

// Receive hands over what is visible, the longest visible first, and never waits: whoever calls it
// knows when to.
func (b *Hosted) Receive(ctx context.Context, max int, _ time.Duration) ([]reference.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("receive: %w", err)
	}
	now := b.now()
	var out []reference.Delivery
	for len(out) < max && len(b.order) > 0 && !b.order[0].visible.After(now) {
		m := b.order[0]
		switch {
		case !now.Before(m.gone):
			b.remove(m)
			b.ended = append(b.ended, m.id)
			continue
		case m.receives >= b.profile.MaxReceives:
			b.bury(m, fmt.Sprintf("received %d times", m.receives))
			continue
		}
		m.receives++
		b.handed++
		m.receipt = m.id + "." + strconv.Itoa(b.handed)
		b.show(m, now.Add(b.profile.Visibility))
		out = append(out, reference.Delivery{MessageID: m.id, Receipt: m.receipt, Payload: m.payload, Receives: m.receives})
	}
	return out, nil
}

// Ended gives the messages that ended by their retention since it was asked last.
func (b *Hosted) Ended() []string {
	ended := b.ended
	b.ended = nil
	return ended
}

// Ack removes the message. Unless strict, it does so whoever has the message by now, and one that is
// gone is as good as removed.
func (b *Hosted) Ack(ctx context.Context, d reference.Delivery) error {
	m, err := b.find(ctx, d)
	if errors.Is(err, reference.ErrNotOurs) && !b.profile.Strict {
		m, err = b.stored[d.MessageID], nil
	}
	if m != nil {
		b.remove(m)
	}
	return err
}

// Nack shows the message again after a while.
func (b *Hosted) Nack(ctx context.Context, d reference.Delivery, after time.Duration) error {
	m, err := b.find(ctx, d)
	if m != nil {
		b.show(m, b.now().Add(after))
	}
	return err
}

// DeadLetter sets the message aside.
func (b *Hosted) DeadLetter(ctx context.Context, d reference.Delivery, reason string) error {
	m, err := b.find(ctx, d)
	if m != nil {
		b.bury(m, reason)
	}
	return err
}

// List gives dead letters in the order in which they were set aside.
func (b *Hosted) List(_ context.Context, after string, limit int) ([]reference.DeadLetter, error) {
	from := 0
	for i, d := range b.dead {
		if d.MessageID == after {
			from = i + 1
		}
	}
	return append([]reference.DeadLetter(nil), b.dead[from:min(len(b.dead), from+limit)]...), nil
}

// Redrive puts dead letters back, under their old names and with no receives.
func (b *Hosted) Redrive(_ context.Context, ids []string) (int, error) {
	want := make(map[string]bool, len(ids))
	for _, id := range ids {
		want[id] = true
	}
	kept, moved := b.dead[:0:0], 0
	for _, d := range b.dead {
		if !want[d.MessageID] {
			kept = append(kept, d)
			continue
		}
		number, _ := strconv.Atoi(d.MessageID)
		m := &message{id: d.MessageID, number: number, payload: d.Payload, visible: b.now(), gone: b.now().Add(b.profile.Retention)}
		b.stored[m.id] = m
		heap.Push(&b.order, m)
		moved++
	}
	b.dead = kept
	return moved, nil
}

// NextVisible is when the first message can be received.
func (b *Hosted) NextVisible() (time.Time, bool) {
	if len(b.order) == 0 {
		return time.Time{}, false
	}
	return b.order[0].visible, true
}

// Purge throws everything away; keys stay remembered.
func (b *Hosted) Purge() int {
	n := len(b.order)
	b.order, b.stored = nil, map[string]*message{}
	return n
}

// find gives the message of a delivery, if that is still the last hand-over.
func (b *Hosted) find(ctx context.Context, d reference.Delivery) (*message, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("message %s: %w", d.MessageID, err)
	}
	if m := b.stored[d.MessageID]; m != nil && m.receipt == d.Receipt {
		return m, nil
	}
	return nil, fmt.Errorf("message %s: %w", d.MessageID, reference.ErrNotOurs)
}

func (b *Hosted) show(m *message, at time.Time) {
	m.visible = at
	heap.Fix(&b.order, m.index)
}

func (b *Hosted) remove(m *message) {
	heap.Remove(&b.order, m.index)
	delete(b.stored, m.id)
}

func (b *Hosted) bury(m *message, reason string) {
	b.remove(m)
	b.dead = append(b.dead, reference.DeadLetter{MessageID: m.id, Payload: m.payload, Reason: reason, Receives: m.receives, At: b.now()})
}

// visible orders messages by when they can be received, then by age.
type visible []*message

func (v visible) Len() int { return len(v) }
func (v visible) Less(i, j int) bool {
	if c := v[i].visible.Compare(v[j].visible); c != 0 {
		return c < 0
	}
	return v[i].number < v[j].number
}
func (v visible) Swap(i, j int) {
	v[i], v[j] = v[j], v[i]
	v[i].index, v[j].index = i, j
}
func (v *visible) Push(x any) {
	m := x.(*message)
	m.index = len(*v)
	*v = append(*v, m)
}
func (v *visible) Pop() any {
	old := *v
	m := old[len(old)-1]
	*v = old[:len(old)-1]
	return m
}
