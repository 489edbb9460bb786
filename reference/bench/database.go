package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/pgserver"
)

// database is one measurement's own.
type database struct {
	of    *pgserver.Database
	db    *sql.DB
	url   string
	slots int
}

func (b *bench) database(ctx context.Context) (*database, error) {
	of, err := b.server.CreateDatabase(ctx)
	if err != nil {
		return nil, err
	}
	db, err := postgres.Open(of.URL(), postgres.Options{ConnectionsMax: b.slots + 2, StatementTimeout: 10 * time.Minute})
	if err != nil {
		return nil, err
	}
	return &database{of, db, of.URL(), b.slots}, nil
}

// migrated is a database with tables, and with copies of those that raw Postgres writes to, indexes
// and all but their foreign key.
func (b *bench) migrated(ctx context.Context) (*database, error) {
	d, err := b.database(ctx)
	if err != nil {
		return nil, err
	}
	if err := postgres.Migrate(ctx, d.db); err != nil {
		return nil, err
	}
	const copies = `create table raw_messages (like queue_messages including all); create table raw_claims (like reminders including all)`
	return d, d.exec(ctx, copies)
}

func (d *database) close() {
	d.db.Close()
	// The server is thrown away with all that is in it, or drops what is left.
	_ = d.of.Drop(context.Background())
}

func (d *database) exec(ctx context.Context, statement string, args ...any) error {
	if _, err := d.db.ExecContext(ctx, statement, args...); err != nil {
		return fmt.Errorf("%.60s: %w", statement, err)
	}
	return nil
}

// policy has a lead of an hour, so that no cut-off passes while something is measured.
func policy() reference.Policy {
	p := reference.DefaultPolicy()
	p.Lead, p.SweepBudget = time.Hour, 10*time.Minute
	return p
}

// finished is how many holds of days before are there, with their reminders: a planner that has seen
// empty tables reads them whole.
const finished = 20_000

// fill puts in holds that are due to be reminded of, others that are not yet, and finished ones.
func (d *database) fill(ctx context.Context, due, later int) error {
	const insert = `
		insert into seat_holds (hold_id, learner_id, section_id, expires_at, timezone)
		select 'hold-' || $3::text || lpad(n::text, 8, '0'), 'learner-' || n, 'section-' || n % 1000,
			date_trunc('second', clock_timestamp()) + $2::interval + n % 1000 * interval '1 second', 'Europe/Berlin'
		from generate_series(1, $1) n`
	if err := d.exec(ctx, insert, due, "30 minutes", "d"); err != nil {
		return err
	}
	if err := d.exec(ctx, insert, later, "2 hours", "l"); err != nil {
		return err
	}
	const past = `
		with past as (
			insert into seat_holds (hold_id, learner_id, section_id, expires_at, timezone, state)
			select 'hold-p' || lpad(n::text, 8, '0'), 'learner-' || n, 'section-' || n % 1000,
				date_trunc('second', clock_timestamp()) - interval '1 day' - n * interval '1 second', 'Europe/Berlin', 'expired'
			from generate_series(1, $1) n
			returning hold_id, expires_at, channels
		)
		insert into reminders (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at, outcome, message_id, provider_ref, settled_at)
		select hold_id, expires_at, channel, md5(hold_id), expires_at, expires_at, 'sent', '1', 'accepted', expires_at
		from past, unnest(channels) as of (channel)`
	if err := d.exec(ctx, past, finished); err != nil {
		return err
	}
	return d.exec(ctx, `vacuum analyze`)
}

// writes is how many transactions have written anything so far, in the whole server.
func (d *database) writes(ctx context.Context) (n int64, err error) {
	return n, d.db.QueryRowContext(ctx, `select pg_current_xact_id()::text::bigint`).Scan(&n)
}
