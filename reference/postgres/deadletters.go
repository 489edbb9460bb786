package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

const placeOfDeadLetter = `select dead_at from queue_dead_letters where message_id = $1`

const listDeadLetters = `
select message_id, payload, reason, receives, dead_at
from queue_dead_letters
where (dead_at, message_id) > ($1, $2)
order by dead_at, message_id
limit $3`

// List implements reference.DeadLetters. ErrInvalid if there is no dead letter of the name after.
func (q *Queue) List(ctx context.Context, after string, limit int) ([]reference.DeadLetter, error) {
	var place time.Time
	number, found := int64(0), true
	if after != "" {
		var err error
		if number, found = messageNumber(after); found {
			found, err = one(ctx, q.db, placeOfDeadLetter, []any{number}, &place)
		}
		if err != nil {
			return nil, explain(ctx, err, "list dead letters after", after)
		}
	}
	if !found {
		return nil, fmt.Errorf("list dead letters after %s, which is none: %w", after, reference.ErrInvalid)
	}
	var listed []reference.DeadLetter
	err := each(ctx, q.db, listDeadLetters, []any{place, number, max(limit, 0)}, func(rows *sql.Rows) error {
		var id int64
		var l reference.DeadLetter
		err := rows.Scan(&id, &l.Payload, &l.Reason, &l.Receives, &l.At)
		l.MessageID, l.At = strconv.FormatInt(id, 10), l.At.UTC()
		listed = append(listed, l)
		return err
	})
	if err != nil {
		return nil, explain(ctx, err, "list dead letters after", after)
	}
	return listed, nil
}

// redrive moves dead letters back. Again, it counts those that the first run moved.
const (
	redrive = redriveTo + `
select count(*) from moved`

	redriveAgain = redriveTo + `
select (select count(*) from moved) + count(*)
from queue_messages
where message_id = any ($2::bigint[]) and publish_token = $3`

	redriveTo = `
with back as (
	delete from queue_dead_letters
	where message_id = any ($2::bigint[])
	returning message_id, payload, published_at
), moved as (
	insert into queue_messages (message_id, payload, published_at, visible_at, publish_token)
	select message_id, payload, published_at, (select coalesce($1::timestamptz, clock_timestamp())), $3
	from back
	returning true
)`
)

// Redrive implements reference.DeadLetters. The messages keep their ids and lose their keys, so
// that a sweep may publish the same again meanwhile.
func (q *Queue) Redrive(ctx context.Context, ids []string) (int, error) {
	var numbers []int64
	for _, id := range ids {
		if n, is := messageNumber(id); is {
			numbers = append(numbers, n)
		}
	}
	redriven := 0
	args := []any{q.clock(), pq.Array(numbers)}
	err := eachOnce(ctx, q.db, redrive, redriveAgain, newToken(), args, func(rows *sql.Rows) error {
		return rows.Scan(&redriven)
	})
	if err != nil {
		return 0, explain(ctx, err, "redrive", ids)
	}
	return redriven, nil
}
