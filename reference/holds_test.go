package reference_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// lobby is a HoldStore that keeps what it was asked.
type lobby struct {
	reference.HoldStore
	created  []reference.Hold
	extended []reference.Window
}

func (l *lobby) Create(_ context.Context, h reference.Hold) error {
	l.created = append(l.created, h)
	return nil
}

func (l *lobby) Extend(_ context.Context, w reference.Window, to time.Time) error {
	l.extended = append(l.extended, w, reference.Window{ExpiresAt: to})
	return nil
}

func TestHoldsCreate(t *testing.T) {
	l := &lobby{}
	given := hold(state(reference.Expired), expires(ends.In(time.FixedZone("x", 3600))))
	given.Channels = nil
	if err := (reference.Holds{Store: l}).Create(t.Context(), *given); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]reference.Hold{*hold()}, l.created); d != "" || l.created[0].ExpiresAt.Location() != time.UTC {
		t.Errorf("created in %s (-want +got):\n%s", l.created[0].ExpiresAt.Location(), d)
	}
	given.ID = ""
	wantInvalid(t, "create hold: hold id is empty", reference.Holds{Store: l}.Create(t.Context(), *given))
	if len(l.created) != 1 {
		t.Errorf("a hold without an id reached the store")
	}
}

func TestHoldsExtend(t *testing.T) {
	l := &lobby{}
	holds := reference.Holds{Store: l}
	for _, to := range []time.Time{ends, ends.Add(-time.Second)} {
		if err := holds.Extend(t.Context(), window, to); !errors.Is(err, reference.ErrNotLater) {
			t.Errorf("to %s: error is %v, want one that wraps %q", to, err, reference.ErrNotLater)
		}
	}
	wantInvalid(t, "extend h1@2026-03-02T12:10:00Z: expires_at 2026-03-02T12:10:00.5Z is not in whole seconds",
		holds.Extend(t.Context(), window, ends.Add(time.Second/2)))
	later := ends.Add(time.Second)
	if err := holds.Extend(t.Context(), window, later.In(time.FixedZone("x", 3600))); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]reference.Window{window, {ExpiresAt: later}}, l.extended); d != "" {
		t.Errorf("extended (-want +got):\n%s", d)
	}
}

func TestNotAcceptedError(t *testing.T) {
	err := &reference.NotAcceptedError{After: 30 * time.Second, Err: errLost}
	if !errors.Is(err, errLost) || err.Error() != "not accepted, may be asked again after 30s: connection lost" {
		t.Errorf("error is %q", err)
	}
}
