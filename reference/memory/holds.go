package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
)

// Create implements reference.HoldStore.
func (s *Store) Create(ctx context.Context, h reference.Hold) error {
	if err := ended(ctx, "create", h.ID); err != nil {
		return err
	}
	s.lock()
	defer s.mu.Unlock()
	h.State = reference.Held
	if e := s.holds[h.ID]; e != nil {
		if same(e.hold, h) {
			return nil
		}
		return fmt.Errorf("create %s: %w", h.ID, reference.ErrHoldExists)
	}
	s.add(h)
	return nil
}

func (s *Store) add(h reference.Hold) {
	h.ExpiresAt = micro(h.ExpiresAt)
	h.Channels = slices.Clone(h.Channels)
	e := &entry{hold: h}
	s.holds[h.ID] = e
	if h.State == reference.Held {
		s.held.insert(keyOf(h.Window(), e))
	}
}

func same(a, b reference.Hold) bool {
	return a.ID == b.ID && a.Learner == b.Learner && a.Section == b.Section && a.ExpiresAt.Equal(b.ExpiresAt) &&
		a.Zone == b.Zone && a.State == b.State && slices.Equal(a.Channels, b.Channels)
}

// Confirm implements reference.HoldStore.
func (s *Store) Confirm(ctx context.Context, id reference.HoldID) error {
	return s.leave(ctx, "confirm", id, reference.Confirmed)
}

// Cancel implements reference.HoldStore.
func (s *Store) Cancel(ctx context.Context, id reference.HoldID) error {
	return s.leave(ctx, "cancel", id, reference.Cancelled)
}

// leave takes a hold from held to another state, if a person may do that now.
func (s *Store) leave(ctx context.Context, what string, id reference.HoldID, to reference.State) error {
	if err := ended(ctx, what, id); err != nil {
		return err
	}
	now := s.lock()
	defer s.mu.Unlock()
	e := s.holds[id]
	var refused error
	switch {
	case e == nil:
		refused = reference.ErrNoHold
	case e.hold.State == to:
		return nil
	case e.hold.State != reference.Held:
		refused = reference.ErrNotHeld
	case to == reference.Confirmed && !now.Before(e.hold.ExpiresAt):
		refused = reference.ErrRunOut
	default:
		s.leaveHeld(e, to)
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, id, refused)
}

// Extend implements reference.HoldStore.
func (s *Store) Extend(ctx context.Context, w reference.Window, to time.Time) error {
	if err := ended(ctx, "extend", w); err != nil {
		return err
	}
	now := s.lock()
	defer s.mu.Unlock()
	e := s.holds[w.Hold]
	var refused error
	switch {
	case e == nil:
		refused = reference.ErrNoHold
	case e.hold.State != reference.Held:
		refused = reference.ErrNotHeld
	case e.hold.ExpiresAt.Equal(to):
		return nil
	case !e.hold.ExpiresAt.Equal(w.ExpiresAt):
		refused = reference.ErrOtherWindow
	case !now.Before(w.ExpiresAt):
		refused = reference.ErrRunOut
	case to.Before(w.ExpiresAt):
		refused = reference.ErrNotLater
	default:
		s.held.remove(keyOf(w, e))
		e.hold.ExpiresAt = micro(to)
		s.held.insert(keyOf(e.hold.Window(), e))
		return nil
	}
	return fmt.Errorf("extend %s to %s: %w", w, to.UTC().Format(time.RFC3339), refused)
}

// Get implements reference.HoldStore.
func (s *Store) Get(ctx context.Context, id reference.HoldID) (reference.Hold, error) {
	if err := ended(ctx, "get", id); err != nil {
		return reference.Hold{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.holds[id]
	if e == nil {
		return reference.Hold{}, fmt.Errorf("get %s: %w", id, reference.ErrNoHold)
	}
	return copyOf(e.hold), nil
}

func copyOf(h reference.Hold) reference.Hold {
	h.Channels = slices.Clone(h.Channels)
	return h
}
