package admin

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// Pruned counts what was removed, or would be.
type Pruned struct {
	Holds       int `json:"holds"`
	Reminders   int `json:"reminders"`
	DeadLetters int `json:"dead_letters"`
	Sweeps      int `json:"sweeps"`
	// Kept are holds old enough which a message in the queue, or a dead letter, is still about.
	Kept int `json:"kept"`
}

const (
	// finished are holds that are over, with nothing open or settled since then. What $2 names is kept.
	finished = `
from seat_holds h
where h.state <> 'held' and h.expires_at < $1 and h.hold_id <> all ($2::text[])
	and not exists (
		select from reminders r
		where r.hold_id = h.hold_id and (r.outcome is null or r.settled_at >= $1)
	)`

	// The newest report stays, for it says when the last sweep was.
	oldSweeps = `
from sweep_runs
where recorded_at < $1 and number <> (select max(number) from sweep_runs)`

	oldDead = `
from queue_dead_letters
where dead_at < $1`

	countPrunable = `
with chosen as (
	select h.hold_id` + finished + `
)
select (select count(*) from chosen),
	(select count(*) from reminders r where r.hold_id in (select hold_id from chosen)),
	(select count(*)` + oldDead + `),
	(select count(*)` + oldSweeps + `)`

	countOld = `select count(*)` + finished

	pruneHolds = `
with chosen as materialized (
	select h.hold_id` + finished + ` and h.hold_id > $3
	order by h.hold_id
	limit $4
	for update of h skip locked
), counted as materialized (
	select count(*) as reminders
	from reminders r
	where r.hold_id = any (array(select hold_id from chosen))
), gone as (
	delete from seat_holds
	where hold_id = any (array(select hold_id from chosen))
	returning hold_id
)
select (select count(*) from gone), (select reminders from counted), (select max(hold_id) from gone)`

	pruneDead = `
with gone as (
	delete from queue_dead_letters
	where message_id = any (array(select message_id` + oldDead + ` order by dead_at, message_id limit $2))
	returning true
)
select count(*) from gone`

	pruneSweeps = `
with gone as (
	delete from sweep_runs
	where sweep_id = any (array(select sweep_id` + oldSweeps + ` order by number limit $2))
	returning true
)
select count(*) from gone`

	payloadsLeft = `
select payload from queue_messages
union all
select payload from queue_dead_letters where dead_at >= $1`
)

// Prunable counts what Prune would remove.
func (t Tables) Prunable(ctx context.Context, before time.Time) (Pruned, error) {
	var p Pruned
	err := t.Snapshot(ctx, patience, func(c *sql.Tx) error {
		keep, err := spokenOf(ctx, c, before)
		if err != nil {
			return err
		}
		err = each(ctx, c, countPrunable, []any{before, texts(keep)}, func(rows *sql.Rows) error {
			return rows.Scan(&p.Holds, &p.Reminders, &p.DeadLetters, &p.Sweeps)
		})
		if err != nil {
			return err
		}
		p.Kept, err = kept(ctx, c, before, p.Holds)
		return err
	})
	if err != nil {
		return Pruned{}, fmt.Errorf("count what is older than %s: %w", before.Format(time.RFC3339), err)
	}
	return p, nil
}

// Prune removes what is older than a time, in batches, each a transaction of its own: dead letters,
// then finished holds together with their reminders, then reports of sweeps. A hold stays while a
// message in the queue, or a dead letter that stays, is about it: reminders live longer than
// messages, or a redrive would find that there never was such a hold. After each batch it calls
// pause, and ends when that gives an error.
func (t Tables) Prune(ctx context.Context, before time.Time, batch int, pause func(Pruned) error) (Pruned, error) {
	var p Pruned
	err := t.batches(ctx, batch, &p, &p.DeadLetters, pause, pruneDead, before, batch)
	if err == nil {
		err = t.pruneHolds(ctx, before, batch, &p, pause)
	}
	if err == nil {
		err = t.batches(ctx, batch, &p, &p.Sweeps, pause, pruneSweeps, before, batch)
	}
	if err != nil {
		return p, fmt.Errorf("prune what is older than %s: %w", before.Format(time.RFC3339), err)
	}
	return p, nil
}

// batches runs a statement until it removes less than a batch.
func (t Tables) batches(ctx context.Context, batch int, p *Pruned, count *int, pause func(Pruned) error, statement string, args ...any) error {
	for {
		n := 0
		err := t.inTx(ctx, func(tx *sql.Tx) error {
			return each(ctx, tx, statement, args, func(rows *sql.Rows) error { return rows.Scan(&n) })
		})
		if err != nil {
			return err
		}
		*count += n
		if n < batch {
			return nil
		}
		if err := pause(*p); err != nil {
			return err
		}
	}
}

// pruneHolds goes once through the holds, in the order of their ids. No finished hold without an
// open row is ever nominated again, so that what no message is about now, none will be.
func (t Tables) pruneHolds(ctx context.Context, before time.Time, batch int, p *Pruned, pause func(Pruned) error) error {
	keep, err := spokenOf(ctx, t.DB, before)
	if err != nil {
		return err
	}
	for after := ""; ; {
		var holds, reminders int
		var last sql.Null[string]
		err := t.inTx(ctx, func(tx *sql.Tx) error {
			return each(ctx, tx, pruneHolds, []any{before, texts(keep), after, batch}, func(rows *sql.Rows) error {
				return rows.Scan(&holds, &reminders, &last)
			})
		})
		if err != nil {
			return err
		}
		p.Holds, p.Reminders, after = p.Holds+holds, p.Reminders+reminders, last.V
		if holds < batch {
			p.Kept, err = kept(ctx, t.DB, before, 0)
			return err
		}
		if err := pause(*p); err != nil {
			return err
		}
	}
}

// kept counts the holds old enough to go, less those that go.
func kept(ctx context.Context, c conn, before time.Time, going int) (n int, err error) {
	err = each(ctx, c, countOld, []any{before, texts([]string{})}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n - going, err
}

// spokenOf are the holds that a message is about, in the queue or among the dead letters that stay.
func spokenOf(ctx context.Context, c conn, before time.Time) ([]reference.HoldID, error) {
	known := map[reference.HoldID]bool{}
	ids := []reference.HoldID{}
	err := each(ctx, c, payloadsLeft, []any{before}, func(rows *sql.Rows) error {
		var payload []byte
		if err := rows.Scan(&payload); err != nil {
			return err
		}
		if m, err := reference.DecodeMessage(payload); err == nil && !known[m.Window.Hold] {
			known[m.Window.Hold] = true
			ids = append(ids, m.Window.Hold)
		}
		return nil
	})
	return ids, err
}
