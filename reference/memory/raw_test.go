package memory

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// TestEditKeepsTheIndexes shows that what was edited is found by the next sweep, and nothing else.
func TestEditKeepsTheIndexes(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s := NewStore(func() time.Time { return now })
	hold := func(id reference.HoldID, state reference.State) reference.Hold {
		return reference.Hold{ID: id, Learner: "ann", Section: "s", ExpiresAt: now.Add(2 * time.Minute), State: state, Channels: reference.Channels}
	}
	if err := s.Load([]reference.Hold{hold("h1", reference.Held), hold("h2", reference.Expired)}, nil); err != nil {
		t.Fatal(err)
	}
	due := func() (found []string) {
		t.Helper()
		all, err := s.Due(context.Background(), reference.DueQuery{Kind: reference.Remind, Lead: 3 * time.Minute, Cutoff: 30 * time.Second, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range all {
			found = append(found, n.Message.Window.String())
		}
		return found
	}
	if diff := cmp.Diff([]string{"h1@2026-03-02T12:02:00Z"}, due()); diff != "" {
		t.Errorf("due at first (-want +got):\n%s", diff)
	}
	s.Edit("h1", func(_ time.Time, h *reference.Hold, rows *[]reference.Row) {
		h.State = reference.Cancelled
		*rows = append(*rows, reference.Row{Reminder: reference.Reminder{Window: h.Window(), Channel: reference.SMS}, FirstClaimedAt: now})
	})
	s.Edit("h2", func(_ time.Time, h *reference.Hold, _ *[]reference.Row) {
		h.State, h.ExpiresAt = reference.Held, h.ExpiresAt.Add(time.Second)
	})
	want := []string{"h1@2026-03-02T12:02:00Z", "h2@2026-03-02T12:02:01Z"} // the open row of the one, the other held again
	if diff := cmp.Diff(want, due()); diff != "" {
		t.Errorf("due after the edit (-want +got):\n%s", diff)
	}
	s.Edit("h1", func(_ time.Time, _ *reference.Hold, rows *[]reference.Row) { *rows = nil })
	if diff := cmp.Diff(want[1:], due()); diff != "" {
		t.Errorf("due after deleting the row (-want +got):\n%s", diff)
	}
	if held := s.Held(); len(held) != 1 || held[0].ID != "h2" {
		t.Errorf("held are %v, want h2", held)
	}
	s.Edit("h9", func(at time.Time, h *reference.Hold, rows *[]reference.Row) {
		if h != nil || len(*rows) > 0 || !at.Equal(s.now()) {
			t.Errorf("edit of no hold got %v and %v at %s", h, *rows, at)
		}
	})
}
