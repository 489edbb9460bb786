package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// claimFresh grants a reminder that has no row yet, which is nearly every claim, in one statement.
// It decides nothing that ClaimRequest.Decide wouldn't:
//
//   - the hold's columns are those of the locked row, for at READ COMMITTED a row that was changed
//     while its lock was waited for is read anew; and the lock lasts until the insert is committed;
//   - the clock is read from that row, so after the lock was had. What the insert may wait for
//     thereafter, another's insert of the same row, makes the grant only shorter: every duration
//     of a Claim counts from that clock;
//   - that there was no row is known from the insert, not from the statement's snapshot.
//
// Where it inserts nothing, nothing was decided.
const claimFresh = `
with hold as materialized (
	select expires_at, state, channels
	from seat_holds
	where hold_id = $1
	for share
), judged as materialized (
	select hold.*, coalesce($9::timestamptz, clock_timestamp()) as now
	from hold
)
insert into reminders (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at, message_id)
select $1, expires_at, $3, $4, now + $5::interval, now, $6
from judged
where state = 'held' and expires_at = $2 and $3 = any (channels)
	and now >= expires_at - $7::interval and now < expires_at - $8::interval
on conflict do nothing
returning first_claimed_at`

// Claim implements reference.WorkerStore.
func (s *Store) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	claim, granted, err := s.claimFresh(ctx, q)
	if err == nil && !granted {
		err = s.decide(ctx, q.Reminder, func(f reference.Facts) (row *reference.Row) {
			claim, row = q.Decide(f)
			return row
		})
	}
	if err != nil {
		return reference.Claim{}, explain(ctx, err, "claim", q.Reminder)
	}
	return claim, nil
}

func (s *Store) claimFresh(ctx context.Context, q reference.ClaimRequest) (reference.Claim, bool, error) {
	r := q.Reminder
	var now time.Time
	granted, err := one(ctx, s.db, claimFresh, []any{
		r.Hold, r.ExpiresAt, r.Channel, q.Token, interval(q.Lease), text(q.MessageID), interval(q.Lead), interval(q.Cutoff), s.clock(),
	}, &now)
	if err != nil || !granted {
		return reference.Claim{}, false, err
	}
	claim, row := q.Decide(reference.Facts{Now: now.UTC(), Hold: &reference.Hold{
		ID: r.Hold, ExpiresAt: r.ExpiresAt, State: reference.Held, Channels: []reference.Channel{r.Channel},
	}})
	if row == nil {
		// Our mistake. The row stays claimed until its lease ends, and nothing was sent.
		return claim, false, fmt.Errorf("granted at %s what is to be answered %s", now.UTC().Format(time.RFC3339Nano), claim.Answer)
	}
	return claim, true, nil
}
