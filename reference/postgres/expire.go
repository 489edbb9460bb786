package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// dropUnclaimed accounts for every channel of the holds in expired on which no attempt was made, or
// none that may have been accepted. A row that a claim has written since the statement began is
// seen all the same: on conflict looks at the newest.
const dropUnclaimed = `
insert into reminders (hold_id, window_expires_at, channel, outcome, reason, message_id, settled_at)
select expired.hold_id, expired.expires_at, of.channel, 'dropped', 'missed', $2, expired.now
from expired, unnest(expired.channels) as of (channel)
on conflict (hold_id, window_expires_at, channel) do update
set outcome = 'dropped',
	reason = case when reminders.not_before is null then 'missed' else 'throttled' end,
	message_id = excluded.message_id,
	settled_at = excluded.settled_at
where reminders.outcome is null and reminders.token is null and reminders.doubt is null`

// expire locks the hold before it reads the clock, and gives what it read then, by which
// DecideExpiry knows what was done.
const expire = `
with hold as materialized (
	select hold_id, expires_at, state, channels
	from seat_holds
	where hold_id = $3
	for no key update
), judged as materialized (
	select hold.*, coalesce($1::timestamptz, clock_timestamp()) as now
	from hold
), expired as (
	update seat_holds h
	set state = 'expired'
	from judged
	where h.hold_id = judged.hold_id
		and judged.state = 'held' and judged.expires_at = $4 and judged.expires_at <= judged.now
	returning h.hold_id, h.expires_at, h.channels, judged.now
), dropped as (` + dropUnclaimed + `
)
select expires_at, state, now, exists (select from expired)
from judged`

// Expire implements reference.WorkerStore.
func (s *Store) Expire(ctx context.Context, w reference.Window, messageID string) (reference.Expiry, time.Duration, error) {
	h := reference.Hold{ID: w.Hold}
	var now time.Time
	var expired bool
	found, err := one(ctx, s.db, expire, []any{s.clock(), text(messageID), w.Hold, w.ExpiresAt},
		&h.ExpiresAt, &h.State, &now, &expired)
	if err != nil {
		return "", 0, explain(ctx, err, "expire", w)
	}
	var hold *reference.Hold
	if found {
		hold = &h
	}
	answer, wait := reference.DecideExpiry(w, hold, now)
	if expired != (answer == reference.ExpiredNow) {
		return "", 0, fmt.Errorf("expire %s: at %s the answer is %s, and that the hold was expired is %t", w, now, answer, expired)
	}
	return answer, wait, nil
}

// expireOverdue passes over holds that somebody has locked, so that one doesn't hold up the others:
// the next sweep finds it again. The clock may be older than the locks: what was overdue then is now,
// and a hold that was changed since is looked at again when it is locked.
const expireOverdue = `
with clock as materialized (
	select coalesce($1::timestamptz, clock_timestamp()) as now
), overdue as materialized (
	select hold_id
	from seat_holds
	where state = 'held' and expires_at <= (select now - $3::interval from clock)
	order by expires_at, hold_id
	limit $4
	for no key update skip locked
), expired as (
	update seat_holds h
	set state = 'expired'
	from clock
	where h.hold_id = any (array(select hold_id from overdue)) and h.state = 'held'
	returning h.hold_id, h.expires_at, h.channels, clock.now
), dropped as (` + dropUnclaimed + `
)
select hold_id, expires_at
from expired
order by expires_at, hold_id`

// ExpireOverdue implements reference.SweepStore. It is a transaction, so that it isn't run again
// unasked: a second run would expire the next page and not tell of the first.
func (s *Store) ExpireOverdue(ctx context.Context, age time.Duration, limit int) ([]reference.Window, error) {
	var windows []reference.Window
	err := s.db.inTx(ctx, func(tx conn) error {
		return each(ctx, tx, expireOverdue, []any{s.clock(), nil, interval(age), limit}, func(rows *sql.Rows) error {
			var w reference.Window
			err := rows.Scan(&w.Hold, &w.ExpiresAt)
			w.ExpiresAt = w.ExpiresAt.UTC()
			windows = append(windows, w)
			return err
		})
	})
	if err != nil {
		return nil, explain(ctx, err, "expire what is overdue by", age)
	}
	return windows, nil
}
