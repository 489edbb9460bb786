package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// loadAll takes holds and rows as JSON, for it has to carry arrays in rows.
const loadAll = `
with loaded as (
	insert into seat_holds (hold_id, learner_id, section_id, expires_at, timezone, state, channels)
	select * from json_to_recordset($1) as h (hold_id text, learner_id text, section_id text, expires_at timestamptz,
		timezone text, state text, channels text[])
)
insert into reminders (hold_id, window_expires_at, channel,
	token, lease_until, not_before, doubt, first_claimed_at, outcome, reason, message_id, provider_ref, settled_at)
select * from json_to_recordset($2) as r (hold_id text, window_expires_at timestamptz, channel text,
	token text, lease_until timestamptz, not_before timestamptz, doubt text, first_claimed_at timestamptz,
	outcome text, reason text, message_id text, provider_ref text, settled_at timestamptz)`

type loadedHold struct {
	HoldID    reference.HoldID    `json:"hold_id"`
	LearnerID reference.LearnerID `json:"learner_id"`
	SectionID reference.SectionID `json:"section_id"`
	ExpiresAt time.Time           `json:"expires_at"`
	Timezone  string              `json:"timezone"`
	State     reference.State     `json:"state"`
	Channels  []reference.Channel `json:"channels"`
}

type loadedRow struct {
	HoldID          reference.HoldID  `json:"hold_id"`
	WindowExpiresAt time.Time         `json:"window_expires_at"`
	Channel         reference.Channel `json:"channel"`
	Token           any               `json:"token"`
	LeaseUntil      any               `json:"lease_until"`
	NotBefore       any               `json:"not_before"`
	Doubt           any               `json:"doubt"`
	FirstClaimedAt  any               `json:"first_claimed_at"`
	Outcome         any               `json:"outcome"`
	Reason          any               `json:"reason"`
	MessageID       any               `json:"message_id"`
	ProviderRef     any               `json:"provider_ref"`
	SettledAt       any               `json:"settled_at"`
}

// Load adds holds and rows in any state that they could have come to, and nothing if one of them
// can't be or is there already. A row needs its hold, loaded before or with it. Errors wrap
// ErrInvalid, ErrHoldExists or ErrNoHold where that is the cause.
func (s *Store) Load(ctx context.Context, holds []reference.Hold, rows []reference.Row) error {
	loadedHolds := make([]loadedHold, 0, len(holds))
	for _, h := range holds {
		if err := h.Check(); err != nil {
			return fmt.Errorf("load hold %s: %w", h.ID, err)
		}
		loadedHolds = append(loadedHolds, loadedHold{h.ID, h.Learner, h.Section, h.ExpiresAt, h.Zone, h.State, h.Channels})
	}
	loadedRows := make([]loadedRow, 0, len(rows))
	for _, r := range rows {
		loadedRows = append(loadedRows, loadedRow{
			r.Hold, r.ExpiresAt, r.Channel, text(r.Token), at(r.LeaseUntil), at(r.NotBefore), text(r.Doubt), at(r.FirstClaimedAt),
			text(r.Outcome.Verdict), text(r.Outcome.Reason), text(r.MessageID), text(r.ProviderRef), at(r.SettledAt),
		})
	}
	holdsJSON, err := json.Marshal(loadedHolds)
	rowsJSON, err2 := json.Marshal(loadedRows)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	what := fmt.Sprintf("%d holds and %d rows", len(holds), len(rows))
	return explain(ctx, s.load(ctx, string(holdsJSON), string(rowsJSON)), "load", what)
}

// load is a transaction, so that it isn't run again unasked: the second run would find the first.
func (s *Store) load(ctx context.Context, holds, rows string) error {
	err := s.db.inTx(ctx, func(tx conn) error {
		return each(ctx, tx, loadAll, []any{holds, rows}, func(*sql.Rows) error { return nil })
	})
	switch {
	case hasCode(err, checkViolation):
		return fmt.Errorf("%w: %w", reference.ErrInvalid, err)
	case hasCode(err, uniqueViolation):
		return fmt.Errorf("%w: %w", reference.ErrHoldExists, err)
	case hasCode(err, foreignKeyViolation):
		return fmt.Errorf("%w: %w", reference.ErrNoHold, err)
	}
	return err
}

const allHolds = `
select hold_id, learner_id, section_id, expires_at, timezone, state, channels
from seat_holds
order by hold_id`

const allRows = `
select hold_id, window_expires_at, channel, token, lease_until, not_before, doubt, first_claimed_at,
	outcome, reason, message_id, provider_ref, settled_at
from reminders
order by hold_id, window_expires_at, array_position($1::text[], channel)`

// Snapshot copies everything: holds by id, and rows by hold, window and channel. The two are read
// one after the other, holds first.
func (s *Store) Snapshot(ctx context.Context) ([]reference.Hold, []reference.Row, error) {
	holds := []reference.Hold{}
	err := each(ctx, s.db, allHolds, nil, func(rows *sql.Rows) error {
		var h reference.Hold
		err := rows.Scan(append([]any{&h.ID}, holdColumns(&h)...)...)
		h.ExpiresAt = h.ExpiresAt.UTC()
		holds = append(holds, h)
		return err
	})
	if err != nil {
		return nil, nil, explain(ctx, err, "copy", "holds")
	}
	var reminders []reference.Row
	err = each(ctx, s.db, allRows, []any{channels(reference.Channels)}, func(rows *sql.Rows) error {
		var r reference.Reminder
		var c rowColumns
		err := rows.Scan(append([]any{&r.Hold, &r.ExpiresAt, &r.Channel}, c.dest()...)...)
		r.ExpiresAt = r.ExpiresAt.UTC()
		reminders = append(reminders, c.row(r))
		return err
	})
	if err != nil {
		return nil, nil, explain(ctx, err, "copy", "rows")
	}
	return holds, reminders, nil
}

// reset deletes rather than truncates, which takes a tenth of the time where there is little in the
// tables, and begins the ids of messages anew.
const reset = `
delete from reminders;
delete from seat_holds;
delete from queue_messages;
delete from queue_dead_letters;
delete from sweep_runs;
select setval('queue_message_ids', 1, false)`

// Reset empties all five tables, in one round trip. It is for tests and simulations.
func (s *Store) Reset(ctx context.Context) error {
	// Without arguments, for only so does the protocol take several statements at once.
	_, err := s.sql.ExecContext(ctx, reset)
	return explain(ctx, err, "reset", "all tables")
}
