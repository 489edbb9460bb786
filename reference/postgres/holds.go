package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
)

const createHold = `
insert into seat_holds (hold_id, learner_id, section_id, expires_at, timezone, channels)
values ($1, $2, $3, $4, $5, $6)
on conflict do nothing
returning true`

const getHold = `
select learner_id, section_id, expires_at, timezone, state, channels
from seat_holds
where hold_id = $1`

// Create implements reference.HoldStore. What the schema refuses wraps ErrInvalid.
func (s *Store) Create(ctx context.Context, h reference.Hold) error {
	h.State = reference.Held
	// Once more if the hold that was in the way is gone before it is looked at.
	for range askMax {
		var created bool
		_, err := one(ctx, s.db, createHold, []any{h.ID, h.Learner, h.Section, h.ExpiresAt, h.Zone, channels(h.Channels)}, &created)
		if hasCode(err, checkViolation) {
			err = fmt.Errorf("%w: %w", reference.ErrInvalid, err)
		}
		if err != nil || created {
			return explain(ctx, err, "create", h.ID)
		}
		there, found, err := s.get(ctx, h.ID)
		switch {
		case err != nil:
			return explain(ctx, err, "create", h.ID)
		case found && same(there, h):
			return nil
		case found:
			return fmt.Errorf("create %s: %w", h.ID, reference.ErrHoldExists)
		}
	}
	return fmt.Errorf("create %s: a hold of that id came and went %d times", h.ID, askMax)
}

func same(a, b reference.Hold) bool {
	return a.ID == b.ID && a.Learner == b.Learner && a.Section == b.Section && a.ExpiresAt.Equal(b.ExpiresAt) &&
		a.Zone == b.Zone && a.State == b.State && slices.Equal(a.Channels, b.Channels)
}

// Get implements reference.HoldStore.
func (s *Store) Get(ctx context.Context, id reference.HoldID) (reference.Hold, error) {
	h, found, err := s.get(ctx, id)
	if err == nil && !found {
		err = reference.ErrNoHold
	}
	if err != nil {
		return reference.Hold{}, explain(ctx, err, "get", id)
	}
	return h, nil
}

func (s *Store) get(ctx context.Context, id reference.HoldID) (reference.Hold, bool, error) {
	h := reference.Hold{ID: id}
	found, err := one(ctx, s.db, getHold, []any{id}, holdColumns(&h)...)
	h.ExpiresAt = h.ExpiresAt.UTC()
	return h, found, err
}

// What people do is one statement each: it locks the hold, reads the clock, changes the hold if it
// may, and gives the state and time that it found, from which the answer follows.
const (
	lockedHold = `
with hold as materialized (
	select hold_id, expires_at, state
	from seat_holds
	where hold_id = $1
	for no key update
), judged as materialized (
	select hold.*, coalesce($2::timestamptz, clock_timestamp()) as now
	from hold
), done as (
	update seat_holds h`

	foundHold = `
	returning true
)
select expires_at, state, now, exists (select from done)
from judged`

	confirmHold = lockedHold + `
	set state = 'confirmed'
	from judged
	where h.hold_id = judged.hold_id and judged.state = 'held' and judged.now < judged.expires_at` + foundHold

	cancelHold = lockedHold + `
	set state = 'cancelled'
	from judged
	where h.hold_id = judged.hold_id and judged.state = 'held'` + foundHold

	extendHold = lockedHold + `
	set expires_at = $4
	from judged
	where h.hold_id = judged.hold_id and judged.state = 'held' and judged.expires_at = $3
		and judged.now < judged.expires_at and $4 > judged.expires_at` + foundHold
)

// locked is a hold as a statement found it, under its lock.
type locked struct {
	expiresAt, now time.Time
	state          reference.State
	// changed says that the statement then did what it was for.
	changed bool
}

func (h locked) over() bool { return !h.now.Before(h.expiresAt) }

// change runs one of the statements. The error wraps ErrNoHold, or what refuse makes of a hold that
// was left as it is; nil from refuse means that it is as it was to become.
func (s *Store) change(ctx context.Context, statement string, id reference.HoldID, more []any, refuse func(locked) error) error {
	var h locked
	there, err := one(ctx, s.db, statement, append([]any{id, s.clock()}, more...), &h.expiresAt, &h.state, &h.now, &h.changed)
	switch {
	case err != nil || h.changed:
		return err
	case !there:
		return reference.ErrNoHold
	}
	return refuse(h)
}

// Confirm implements reference.HoldStore.
func (s *Store) Confirm(ctx context.Context, id reference.HoldID) error {
	return explain(ctx, s.change(ctx, confirmHold, id, nil, refuseConfirm), "confirm", id)
}

func refuseConfirm(h locked) error {
	switch {
	case h.state == reference.Confirmed:
		return nil
	case h.state != reference.Held:
		return reference.ErrNotHeld
	}
	return reference.ErrRunOut
}

// Cancel implements reference.HoldStore.
func (s *Store) Cancel(ctx context.Context, id reference.HoldID) error {
	return explain(ctx, s.change(ctx, cancelHold, id, nil, refuseCancel), "cancel", id)
}

func refuseCancel(h locked) error {
	if h.state == reference.Cancelled {
		return nil
	}
	return reference.ErrNotHeld
}

// Extend implements reference.HoldStore.
func (s *Store) Extend(ctx context.Context, w reference.Window, to time.Time) error {
	err := s.change(ctx, extendHold, w.Hold, []any{w.ExpiresAt, to}, func(h locked) error {
		switch {
		case h.state != reference.Held:
			return reference.ErrNotHeld
		case h.expiresAt.Equal(to):
			return nil
		case !h.expiresAt.Equal(w.ExpiresAt):
			return reference.ErrOtherWindow
		case h.over():
			return reference.ErrRunOut
		}
		return reference.ErrNotLater
	})
	if hasCode(err, checkViolation) {
		err = fmt.Errorf("%w: %w", reference.ErrInvalid, err)
	}
	return explain(ctx, err, "extend", fmt.Sprintf("%s to %s", w, to.UTC().Format(time.RFC3339)))
}
