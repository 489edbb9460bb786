package reference

import (
	"context"
	"fmt"
	"time"
)

// Holds is what learners and admins do: it checks the input and leaves the decision to the store,
// whose clock is the only one that counts.
type Holds struct{ Store HoldStore }

// Create begins a hold. Its state is Held, and channels left empty are all of Channels.
func (s Holds) Create(ctx context.Context, h Hold) error {
	h.State = Held
	h.ExpiresAt = h.ExpiresAt.UTC()
	if len(h.Channels) == 0 {
		h.Channels = Channels
	}
	if err := h.Check(); err != nil {
		return fmt.Errorf("create hold: %w", err)
	}
	return s.Store.Create(ctx, h)
}

// Confirm makes the seat the learner's for good. It is refused from expires_at on, so that the
// answer doesn't depend on how late the sweep is.
func (s Holds) Confirm(ctx context.Context, id HoldID) error { return s.Store.Confirm(ctx, id) }

// Cancel gives the seat back before the hold runs out, or after, as long as it is held.
func (s Holds) Cancel(ctx context.Context, id HoldID) error { return s.Store.Cancel(ctx, id) }

// Extend moves a hold from the window it is known to be in to a strictly later end, so that
// running it twice extends once.
func (s Holds) Extend(ctx context.Context, w Window, to time.Time) error {
	if err := checkWindowEnd(to); err != nil {
		return fmt.Errorf("extend %s: %w", w, err)
	}
	if !to.After(w.ExpiresAt) {
		return fmt.Errorf("extend %s to %s: %w", w, to.UTC().Format(time.RFC3339), ErrNotLater)
	}
	return s.Store.Extend(ctx, w, to.UTC())
}

// Get reads one hold.
func (s Holds) Get(ctx context.Context, id HoldID) (Hold, error) { return s.Store.Get(ctx, id) }
