package witness

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

//go:embed witness.sql
var install string

// Install makes the triggers, in a schema of their own.
func Install(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, install); err != nil {
		return fmt.Errorf("install the witness: %w", err)
	}
	return nil
}

// Change is one change of a hold.
type Change struct {
	Hold           reference.HoldID
	Was, Is        reference.State // Was is empty where the hold was created
	EndWas, EndsAt time.Time
	At             time.Time
}

func (c Change) window() reference.Window {
	return reference.Window{Hold: c.Hold, ExpiresAt: c.EndWas}
}

// Changes gives what happened to holds, in order, each hold's after one another.
func Changes(ctx context.Context, db *sql.DB) ([]Change, error) {
	rows, err := db.QueryContext(ctx, `select hold_id, coalesce(state_was, ''), state_is, coalesce(end_was, ends_at), ends_at, at
		from witness.holds order by hold_id, n`)
	if err != nil {
		return nil, fmt.Errorf("read changes of holds: %w", err)
	}
	defer rows.Close()
	var all []Change
	for rows.Next() {
		var c Change
		if err := rows.Scan(&c.Hold, &c.Was, &c.Is, &c.EndWas, &c.EndsAt, &c.At); err != nil {
			return nil, fmt.Errorf("read changes of holds: %w", err)
		}
		c.EndWas, c.EndsAt, c.At = c.EndWas.UTC(), c.EndsAt.UTC(), c.At.UTC()
		all = append(all, c)
	}
	return all, rows.Err()
}

// rewritten finds outcomes that changed other than from unknown to sent, or rows that went away.
const rewritten = `
select format('%s of %s changed from %s to %s at %s', channel, hold_id, outcome_was, outcome_is, at)
from witness.outcomes
where not (outcome_was like 'unknown%' and outcome_is = 'sent')
order by n`

// unfinished finds what is to be done still when everything is over.
const unfinished = `
select format('the message %s is left in the queue, received %s times: %s', message_id, receives, convert_from(payload, 'UTF8'))
from queue_messages
union all
select format('%s of %s is open, first claimed at %s', channel, hold_id, first_claimed_at)
from reminders where outcome is null
union all
select format('%s is held, and its time was over at %s', hold_id, expires_at)
from seat_holds where state = 'held' and expires_at <= clock_timestamp()`

// Unfinished gives what is left: messages, open rows, and holds that are over and held.
func Unfinished(ctx context.Context, db *sql.DB) ([]string, error) {
	return lines(ctx, db, unfinished)
}

func lines(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("ask the witness: %w", err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, fmt.Errorf("ask the witness: %w", err)
		}
		all = append(all, line)
	}
	return all, rows.Err()
}

// redeliver puts removed messages back, without their keys, as a broker does that was set back.
const redeliver = `
insert into queue_messages (payload, published_at, visible_at, publish_token)
select payload, clock_timestamp(), clock_timestamp(), 'redelivered'
from (select payload from witness.messages order by random() limit $1) removed`

// Redeliver delivers at most so many messages again that were acknowledged or dead-lettered, picked
// by chance, and says how many.
func Redeliver(ctx context.Context, db *sql.DB, most int) (int, error) {
	done, err := db.ExecContext(ctx, redeliver, most)
	if err != nil {
		return 0, fmt.Errorf("deliver again: %w", err)
	}
	n, err := done.RowsAffected()
	return int(n), err
}
