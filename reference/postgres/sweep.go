package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// dueToExpire pages along the index of held holds.
const dueToExpire = `
with clock as materialized (
	select coalesce($1::timestamptz, clock_timestamp()) as now
)
select h.expires_at, h.hold_id, h.learner_id, h.section_id, h.timezone, clock.now
from seat_holds h cross join clock
where h.state = 'held'
	and h.expires_at <= (select now from clock)
	and (h.expires_at, h.hold_id) > ($2, $3)
order by h.expires_at, h.hold_id
limit $4`

// dueToRemind pages along two indexes at once: held holds that lack a row for some channel, and
// open rows that nothing keeps back. One window is one line of the page, whichever found it.
const dueToRemind = `
with clock as materialized (
	select coalesce($1::timestamptz, clock_timestamp()) as now
), lacking as (
	select h.expires_at, h.hold_id
	from seat_holds h
	where h.state = 'held'
		and h.expires_at > (select now + $6::interval from clock)
		and h.expires_at <= (select now + $5::interval from clock)
		and (h.expires_at, h.hold_id) > ($2, $3)
		and exists (
			select from unnest(h.channels) as of (channel)
			where not exists (
				select from reminders r
				where r.hold_id = h.hold_id and r.window_expires_at = h.expires_at and r.channel = of.channel
			)
		)
	order by h.expires_at, h.hold_id
	limit $4
), open as (
	select distinct r.window_expires_at, r.hold_id
	from reminders r
	where r.outcome is null
		and (r.window_expires_at, r.hold_id) > ($2, $3)
		and case
			when r.token is not null then r.lease_until <= (select now from clock)
			else r.not_before is null or r.not_before <= (select now from clock)
		end
	order by r.window_expires_at, r.hold_id
	limit $4
), page as (
	select expires_at, hold_id from lacking
	union
	select window_expires_at, hold_id from open
	order by expires_at, hold_id
	limit $4
)
select page.expires_at, page.hold_id, h.learner_id, h.section_id, h.timezone, clock.now
from page cross join clock cross join lateral (
	-- The limit says to the planner what it can't know of a page: one look into the primary key each.
	select learner_id, section_id, timezone from seat_holds where hold_id = page.hold_id limit 1
) h
order by page.expires_at, page.hold_id`

// Due implements reference.SweepStore. It costs the page and what it skips: held holds between due
// and cut-off that have a row for every channel, and open rows that wait.
func (s *Store) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	statement, args, due := dueToExpire, []any{s.clock(), q.After.ExpiresAt, q.After.Hold, max(q.Limit, 0)}, time.Duration(0)
	if q.Kind == reference.Remind {
		statement, args, due = dueToRemind, append(args, interval(q.Lead), interval(q.Cutoff)), -q.Lead
	}
	var page []reference.Nomination
	err := each(ctx, s.db, statement, args, func(rows *sql.Rows) error {
		m, now := reference.Message{Kind: q.Kind}, time.Time{}
		if err := rows.Scan(&m.Window.ExpiresAt, &m.Window.Hold, &m.Learner, &m.Section, &m.Zone, &now); err != nil {
			return err
		}
		m.Window.ExpiresAt = m.Window.ExpiresAt.UTC()
		page = append(page, reference.Nomination{Message: m, Age: now.Sub(m.Window.ExpiresAt.Add(due))})
		return nil
	})
	if err != nil {
		return nil, explain(ctx, err, "find what is due to", q.Kind)
	}
	return page, nil
}

const recordSweep = `
insert into sweep_runs (sweep_id, recorded_at, found_remind, found_expire, published_remind, published_expire,
	queued, pages, backstop, drained)
values ($1, (select coalesce($2::timestamptz, clock_timestamp())), $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (sweep_id) do nothing
returning true`

// RecordSweep implements reference.SweepStore.
func (s *Store) RecordSweep(ctx context.Context, r reference.Report) error {
	var recorded bool
	_, err := one(ctx, s.db, recordSweep, []any{
		r.ID, s.clock(), r.Found.Remind, r.Found.Expire, r.Published.Remind, r.Published.Expire,
		r.Queued, r.Pages, r.Backstop, r.Drained,
	}, &recorded)
	return explain(ctx, err, "record sweep", r.ID)
}

const listSweeps = `
select sweep_id, found_remind, found_expire, published_remind, published_expire, queued, pages, backstop, drained
from sweep_runs
order by number`

// Sweeps gives the reports, in the order in which they were recorded.
func (s *Store) Sweeps(ctx context.Context) ([]reference.Report, error) {
	var reports []reference.Report
	err := each(ctx, s.db, listSweeps, nil, func(rows *sql.Rows) error {
		var r reference.Report
		err := rows.Scan(&r.ID, &r.Found.Remind, &r.Found.Expire, &r.Published.Remind, &r.Published.Expire,
			&r.Queued, &r.Pages, &r.Backstop, &r.Drained)
		reports = append(reports, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list sweeps: %w", err)
	}
	return reports, nil
}
