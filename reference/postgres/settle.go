package postgres

import (
	"context"

	"github.com/seathold/seathold/reference"
)

// settleSent records a receipt where there is a row for it, whatever token holds it. Nothing is
// decided by the clock here, nor below, so that one as old as a wait does no harm.
const settleSent = `
update reminders
set outcome = 'sent', reason = null, provider_ref = $4, message_id = $5,
	settled_at = (select coalesce($6::timestamptz, clock_timestamp()))
where hold_id = $1 and window_expires_at = $2 and channel = $3
	and (outcome is null or outcome = 'unknown')
returning true`

// settleOther records any other outcome, by token, with the doubt that is on the row.
const settleOther = `
update reminders
set outcome = case when $5 = 'dropped' and doubt is not null then 'unknown' else $5 end,
	reason = case when $5 = 'dropped' and doubt is not null then doubt else $6 end,
	message_id = $7,
	settled_at = (select coalesce($8::timestamptz, clock_timestamp()))
where hold_id = $1 and window_expires_at = $2 and channel = $3
	and token = $4 and outcome is null
returning true`

// Settle implements reference.WorkerStore. What the one statement doesn't find is decided by
// Settlement.DecideSettle.
func (s *Store) Settle(ctx context.Context, t reference.Settlement) (reference.SettleAnswer, error) {
	r := t.Reminder
	statement, args := settleSent, []any{r.Hold, r.ExpiresAt, r.Channel, text(t.ProviderRef), text(t.MessageID), s.clock()}
	if t.Outcome.Verdict != reference.Sent {
		statement = settleOther
		args = []any{r.Hold, r.ExpiresAt, r.Channel, t.Token, t.Outcome.Verdict, text(t.Outcome.Reason), text(t.MessageID), s.clock()}
	}
	answer, recorded := reference.Recorded, false
	_, err := one(ctx, s.db, statement, args, &recorded)
	if err == nil && !recorded {
		err = s.decide(ctx, r, func(f reference.Facts) (row *reference.Row) {
			answer, row = t.DecideSettle(f)
			return row
		})
	}
	if err != nil {
		return "", explain(ctx, err, "settle", r)
	}
	return answer, nil
}

const release = `
update reminders
set token = null, lease_until = null,
	doubt = coalesce(doubt, $5),
	not_before = coalesce((select coalesce($7::timestamptz, clock_timestamp())) + $6::interval, not_before)
where hold_id = $1 and window_expires_at = $2 and channel = $3
	and token = $4 and outcome is null
returning true`

// Release implements reference.WorkerStore, as Release.Apply defines it.
func (s *Store) Release(ctx context.Context, r reference.Release) error {
	var after any
	if r.After > 0 {
		after = interval(r.After)
	}
	var released bool
	_, err := one(ctx, s.db, release, []any{
		r.Reminder.Hold, r.Reminder.ExpiresAt, r.Reminder.Channel, r.Token, text(r.Doubt), after, s.clock(),
	}, &released)
	return explain(ctx, err, "release", r.Reminder)
}
