package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/seathold/seathold/reference"
)

// QueueConfig is how a Queue behaves.
type QueueConfig struct {
	// Visibility is how long a message that was handed over stays hidden.
	Visibility time.Duration
	// MaxReceives is how often a message is handed over before it is set aside; at least 1.
	MaxReceives int
	// Waiter lets an empty Receive wait; if it is nil, Receive answers at once.
	Waiter reference.Waiter
	// Poll is how often a waiting Receive looks again at the least; 200ms if it is zero.
	Poll time.Duration
}

const pollDefault = 200 * time.Millisecond

// Queue is the model of the production queue. Messages are handed over in the order in which they
// become visible, and then of their ids. Any number of goroutines may use one. It implements
// reference.Publisher, reference.Consumer and reference.DeadLetters.
type Queue struct {
	mu     sync.Mutex
	now    func() time.Time
	config QueueConfig
	// visible has every message of the queue in the order in which they become visible; messages
	// has the same ones by id, and keys those that were published with a key and not redriven.
	visible  index[*message]
	messages map[string]*message
	keys     map[string]*message
	// dead has the dead letters in the order in which they were set aside, and aside by id.
	dead  index[deadLetter]
	aside map[string]deadLetter
	// last and handed count messages and hand-overs since the beginning, so that no id and no
	// receipt ever comes again.
	last, handed int64
}

type message struct {
	number    int64
	id        string
	key       string
	payload   []byte
	published time.Time
	visibleAt time.Time
	receives  int
	// receipt is the last hand-over's; empty before the first one.
	receipt string
}

func (m *message) compare(o *message) int {
	if c := m.visibleAt.Compare(o.visibleAt); c != 0 {
		return c
	}
	return cmp.Compare(m.number, o.number)
}

// NewQueue makes an empty queue whose clock is now. The queue calls now while it holds its lock;
// now must not call the queue.
func NewQueue(now func() time.Time, c QueueConfig) *Queue {
	if c.Poll <= 0 {
		c.Poll = pollDefault
	}
	return &Queue{
		now: now, config: c,
		messages: map[string]*message{}, keys: map[string]*message{}, aside: map[string]deadLetter{},
	}
}

func (q *Queue) lock() time.Time {
	q.mu.Lock()
	return micro(q.now())
}

// Publish implements reference.Publisher. A key is remembered as long as its message is in the
// queue, which means until it is acknowledged or set aside.
func (q *Queue) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	if err := ended(ctx, "publish", len(entries)); err != nil {
		return nil, err
	}
	now := q.lock()
	defer q.mu.Unlock()
	results := make([]reference.Published, len(entries))
	for i, e := range entries {
		results[i] = q.publish(e, now)
	}
	return results, nil
}

func (q *Queue) publish(e reference.Entry, now time.Time) reference.Published {
	switch {
	case len(e.Payload) >= reference.PayloadBytesMax:
		return reference.Published{Err: fmt.Errorf("publish: the payload has %d bytes, and must have fewer than %d: %w",
			len(e.Payload), reference.PayloadBytesMax, reference.ErrInvalid)}
	case e.Delay < 0 || e.Delay > reference.DelayMax:
		return reference.Published{Err: fmt.Errorf("publish: the delay is %s, and must be from 0 to %s: %w",
			e.Delay, reference.DelayMax, reference.ErrInvalid)}
	}
	if m := q.keys[e.Key]; m != nil {
		return reference.Published{MessageID: m.id, Duplicate: true}
	}
	q.last++
	m := &message{
		number: q.last, id: strconv.FormatInt(q.last, 10), key: e.Key, payload: bytes.Clone(e.Payload),
		published: now, visibleAt: micro(now.Add(e.Delay)),
	}
	if m.key != "" {
		q.keys[m.key] = m
	}
	q.add(m)
	return reference.Published{MessageID: m.id}
}

func (q *Queue) add(m *message) {
	q.messages[m.id] = m
	q.visible.insert(m)
}

// remove takes m out of the queue, and forgets its key.
func (q *Queue) remove(m *message) {
	q.visible.remove(m)
	delete(q.messages, m.id)
	if m.key != "" {
		delete(q.keys, m.key)
	}
}

// hide makes m visible at another time.
func (q *Queue) hide(m *message, until time.Time) {
	q.visible.remove(m)
	m.visibleAt = micro(until)
	q.visible.insert(m)
}

// NextVisible says when the first of the messages is or was visible, or false if there is none.
func (q *Queue) NextVisible() (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m, ok := q.visible.at(&place{})
	if !ok {
		return time.Time{}, false
	}
	return m.visibleAt, true
}

// QueueStats counts the messages of a Queue.
type QueueStats struct {
	// Ready messages are visible; Hidden ones were handed over, and are neither acknowledged nor
	// visible again; Delayed ones were not yet handed over since they were published with a delay.
	Ready, Hidden, Delayed int
	// Dead counts dead letters.
	Dead int
	// Oldest is how long ago the oldest message that is still in the queue was published.
	Oldest time.Duration
}

// Stats counts; it looks at every message.
func (q *Queue) Stats() QueueStats {
	now := q.lock()
	defer q.mu.Unlock()
	stats := QueueStats{Dead: len(q.aside)}
	var p place
	for m, ok := q.visible.at(&p); ok; m, ok = q.visible.at(&p) {
		switch {
		case !now.Before(m.visibleAt):
			stats.Ready++
		case m.receives > 0:
			stats.Hidden++
		default:
			stats.Delayed++
		}
		stats.Oldest = max(stats.Oldest, now.Sub(m.published))
		p.i++
	}
	return stats
}

// Purge removes every message, dead letters excepted, and says how many there were.
func (q *Queue) Purge() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.messages)
	clear(q.messages)
	clear(q.keys)
	q.visible = index[*message]{}
	return n
}
