package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// deadLetter is a message that was set aside. They are ordered by when, and then by id, as a
// database would order them that knows no more.
type deadLetter struct {
	*message
	reason string
	at     time.Time
}

func (l deadLetter) compare(o deadLetter) int {
	if c := l.at.Compare(o.at); c != 0 {
		return c
	}
	return cmp.Compare(l.number, o.number)
}

// setAside moves m from the queue to the dead letters.
func (q *Queue) setAside(m *message, reason string, now time.Time) {
	q.remove(m)
	l := deadLetter{m, reason, now}
	q.aside[m.id] = l
	q.dead.insert(l)
}

// DeadLetter implements reference.Consumer.
func (q *Queue) DeadLetter(ctx context.Context, d reference.Delivery, reason string) error {
	if err := ended(ctx, "dead-letter message", d.MessageID); err != nil {
		return err
	}
	now := q.lock()
	defer q.mu.Unlock()
	m, err := q.ours("dead-letter", d)
	if err == nil {
		q.setAside(m, reason, now)
	}
	return err
}

// List implements reference.DeadLetters.
func (q *Queue) List(ctx context.Context, after string, limit int) ([]reference.DeadLetter, error) {
	if err := ended(ctx, "list dead letters after", after); err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var p place
	if after != "" {
		l, there := q.aside[after]
		if !there {
			return nil, fmt.Errorf("list dead letters after %s, which is none: %w", after, reference.ErrInvalid)
		}
		p = q.dead.after(l)
	}
	var listed []reference.DeadLetter
	for ; len(listed) < limit; p.i++ {
		l, ok := q.dead.at(&p)
		if !ok {
			break
		}
		listed = append(listed, reference.DeadLetter{
			MessageID: l.id, Payload: bytes.Clone(l.payload), Reason: l.reason, Receives: l.receives, At: l.at,
		})
	}
	return listed, nil
}

// Redrive implements reference.DeadLetters. The messages keep their ids and lose their keys, so
// that a sweep may publish the same again meanwhile.
func (q *Queue) Redrive(ctx context.Context, ids []string) (int, error) {
	if err := ended(ctx, "redrive", ids); err != nil {
		return 0, err
	}
	now := q.lock()
	defer q.mu.Unlock()
	redriven := 0
	for _, id := range ids {
		l, there := q.aside[id]
		if !there {
			continue
		}
		q.dead.remove(l)
		delete(q.aside, id)
		m := l.message
		m.key, m.receipt, m.receives, m.visibleAt = "", "", 0, now
		q.add(m)
		redriven++
	}
	return redriven, nil
}
