package admin

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

// Message is one message in the queue, as it lies there.
type Message struct {
	ID                     string
	Payload                []byte
	PublishedAt, VisibleAt time.Time
	Receives               int
}

// DeadLetter is one message that was set aside.
type DeadLetter struct {
	reference.DeadLetter
	PublishedAt time.Time
}

const peek = `
select message_id, payload, published_at, visible_at, receives, clock_timestamp()
from queue_messages
order by visible_at, message_id
limit $1`

// Peek gives the first messages in the order in which they will be handed over, and the time. It
// takes none of them.
func (t Tables) Peek(ctx context.Context, limit int) ([]Message, time.Time, error) {
	messages, now := []Message{}, time.Time{}
	err := each(ctx, t.DB, peek, []any{limit}, func(rows *sql.Rows) error {
		m, err := scanMessage(rows, &now)
		messages = append(messages, m)
		return err
	})
	if err != nil {
		return nil, now, fmt.Errorf("peek at the queue: %w", err)
	}
	return messages, now.UTC(), nil
}

func scanMessage(rows *sql.Rows, more ...any) (m Message, err error) {
	err = rows.Scan(append([]any{&m.ID, &m.Payload, &m.PublishedAt, &m.VisibleAt, &m.Receives}, more...)...)
	m.PublishedAt, m.VisibleAt = m.PublishedAt.UTC(), m.VisibleAt.UTC()
	return m, err
}

// numbers leaves out what can be no message's id.
func numbers(ids []string) []int64 {
	out := []int64{}
	for _, id := range ids {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// DeadFilter chooses dead letters; what is empty or zero does not restrict.
type DeadFilter struct {
	IDs []string
	// Reason is a part of the reason.
	Reason string
	// From and To restrict when it was set aside: From at or after, To before.
	From, To time.Time
}

const (
	deadLetters = `
from queue_dead_letters
where ($1::bigint[] is null or message_id = any ($1)) and ($2 = '' or position($2 in reason) > 0)
	and ($3::timestamptz is null or dead_at >= $3) and ($4::timestamptz is null or dead_at < $4)`

	listDead  = `select message_id, payload, reason, receives, dead_at, published_at` + deadLetters + ` order by dead_at, message_id limit $5`
	countDead = `select count(*)` + deadLetters
)

func (f DeadFilter) args() []any {
	var ids any
	if len(f.IDs) > 0 {
		ids = pq.Array(numbers(f.IDs))
	}
	return []any{ids, f.Reason, at(f.From), at(f.To)}
}

// DeadLetters gives the first dead letters that f chooses, in the order in which they were set
// aside, and how many it chooses in all.
func (t Tables) DeadLetters(ctx context.Context, f DeadFilter, limit int) (letters []DeadLetter, total int, err error) {
	letters = []DeadLetter{}
	err = t.Snapshot(ctx, patience, func(c *sql.Tx) error {
		err := each(ctx, c, countDead, f.args(), func(rows *sql.Rows) error { return rows.Scan(&total) })
		if err != nil {
			return err
		}
		return each(ctx, c, listDead, append(f.args(), limit), func(rows *sql.Rows) error {
			l, err := scanDead(rows)
			letters = append(letters, l)
			return err
		})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list dead letters: %w", err)
	}
	return letters, total, nil
}

func scanDead(rows *sql.Rows) (l DeadLetter, err error) {
	err = rows.Scan(&l.MessageID, &l.Payload, &l.Reason, &l.Receives, &l.At, &l.PublishedAt)
	l.At, l.PublishedAt = l.At.UTC(), l.PublishedAt.UTC()
	return l, err
}

// Record is what all tables have about one hold, at one instant.
type Record struct {
	Now      time.Time
	Hold     *reference.Hold
	Rows     []reference.Row
	Messages []Message
	Dead     []DeadLetter
	Sweeps   []Sweep
}

const (
	messagesAbout = `
select message_id, payload, published_at, visible_at, receives
from queue_messages
where position($1 in payload) > 0
order by message_id`

	deadAbout = `
select message_id, payload, reason, receives, dead_at, published_at
from queue_dead_letters
where position($1 in payload) > 0
order by dead_at, message_id`
)

// Record reads what there is about a hold. Sweeps are those from a lead before its first window
// ends until after its last, at most sweepsMax of them. It looks at every message in the queue.
func (t Tables) Record(ctx context.Context, id reference.HoldID, lead, after time.Duration) (Record, error) {
	var r Record
	err := t.Snapshot(ctx, patience, func(c *sql.Tx) (err error) {
		if r.Now, err = now(ctx, c); err != nil {
			return err
		}
		err = readFacts(ctx, c, []reference.HoldID{id},
			func(h reference.Hold) { r.Hold = &h }, func(row reference.Row) { r.Rows = append(r.Rows, row) })
		if err != nil {
			return err
		}
		if err := r.messages(ctx, c, id); err != nil {
			return err
		}
		from, to, some := r.span()
		if !some {
			return nil
		}
		r.Sweeps, err = sweeps(ctx, c, from.Add(-lead), to.Add(after))
		return err
	})
	if err != nil {
		return Record{}, fmt.Errorf("read what there is about %s: %w", id, err)
	}
	return r, nil
}

func (r *Record) messages(ctx context.Context, c conn, id reference.HoldID) error {
	// As it stands in the JSON of a message. What only looks alike is left out below.
	name, err := json.Marshal(id)
	if err != nil {
		return err
	}
	name = bytes.Trim(name, `"`)
	about := func(payload []byte) bool {
		m, err := reference.DecodeMessage(payload)
		return err == nil && m.Window.Hold == id
	}
	err = each(ctx, c, messagesAbout, []any{name}, func(rows *sql.Rows) error {
		m, err := scanMessage(rows)
		if about(m.Payload) {
			r.Messages = append(r.Messages, m)
		}
		return err
	})
	if err != nil {
		return err
	}
	return each(ctx, c, deadAbout, []any{name}, func(rows *sql.Rows) error {
		l, err := scanDead(rows)
		if about(l.Payload) {
			r.Dead = append(r.Dead, l)
		}
		return err
	})
}

// span is from the end of the first window to that of the last.
func (r *Record) span() (from, to time.Time, some bool) {
	var ends []time.Time
	if r.Hold != nil {
		ends = append(ends, r.Hold.ExpiresAt)
	}
	for _, row := range r.Rows {
		ends = append(ends, row.ExpiresAt)
	}
	for _, at := range ends {
		if from.IsZero() || at.Before(from) {
			from = at
		}
		if at.After(to) {
			to = at
		}
	}
	return from, to, len(ends) > 0
}

// Sweep is the report of a sweep, and when it was recorded.
type Sweep struct {
	reference.Report
	At time.Time
}

const sweepsMax = 60

const sweepsBetween = `
select sweep_id, found_remind, found_expire, published_remind, published_expire, queued, pages, backstop, drained, recorded_at
from sweep_runs
where recorded_at >= $1 and recorded_at <= $2
order by recorded_at, number
limit $3`

func sweeps(ctx context.Context, c conn, from, to time.Time) (all []Sweep, err error) {
	err = each(ctx, c, sweepsBetween, []any{from, to, sweepsMax}, func(rows *sql.Rows) error {
		var s Sweep
		err := rows.Scan(&s.ID, &s.Found.Remind, &s.Found.Expire, &s.Published.Remind, &s.Published.Expire,
			&s.Queued, &s.Pages, &s.Backstop, &s.Drained, &s.At)
		s.At = s.At.UTC()
		all = append(all, s)
		return err
	})
	return all, err
}
