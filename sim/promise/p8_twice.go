package promise

import (
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// watchReplay keeps the first half of P8: of messages delivered again after the end of the run, the
// provider accepts nothing.
func watchReplay(t *trial, m *moment) {
	switch {
	case m.What == trace.Replay:
		t.replayed = true
	case m.What == trace.Accepted && t.replayed && m.reminder != nil:
		t.breach(acceptedAgain, m, "%s accepted %s at %s, when the messages of the finished run were delivered again; then nothing is accepted",
			m.Who, t.named(m.reminder), t.clock(m.now))
	}
}

// judgeTwice keeps the second half: no row changes. Of each table it reports the first that does. A
// run whose trouble went on to the end isn't finished: what was held up may come to its end during
// the replay.
func judgeTwice(t *trial) {
	if !t.replayed || !t.healed() {
		return
	}
	if h, how := firstChange(t.run.Holds, t.run.ReplayHolds, changeOfHold); how != "" {
		t.about(holdChanged, t.window(t.hold(h.ID), at(h.ExpiresAt)), "", 0, t.end, "hold %s %s after every message was delivered again; then nothing changes", h.ID, how)
	}
	if r, how := firstChange(t.run.Rows, t.run.ReplayRows, changeOfRow); how != "" {
		t.about(rowChanged, t.window(t.hold(r.Hold), at(r.ExpiresAt)), r.Channel, 0, t.end, "row %s %s after every message was delivered again; then nothing changes", r.Reminder, how)
	}
}

// firstChange finds the first row that differs between two states of a table, and says how.
func firstChange[T any](was, is []T, change func(a, b *T) string) (row *T, how string) {
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			return &was[i], "is gone"
		case i >= len(was):
			return &is[i], "is new"
		}
		if how := change(&was[i], &is[i]); how != "" {
			return &was[i], how
		}
	}
	return nil, ""
}

// column is one column of a row in two states.
type column struct {
	name    string
	was, is any
}

func firstColumn(columns ...column) string {
	for _, c := range columns {
		if c.was != c.is {
			return fmt.Sprintf("had %s %v and has %v", c.name, c.was, c.is)
		}
	}
	return ""
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func changeOfHold(a, b *reference.Hold) string {
	switch {
	case a.ID != b.ID:
		return fmt.Sprintf("has %s in its place", b.ID)
	case a.State == b.State && a.ExpiresAt.Equal(b.ExpiresAt) && a.Learner == b.Learner && a.Section == b.Section && a.Zone == b.Zone && slices.Equal(a.Channels, b.Channels):
		return ""
	}
	return firstColumn(column{"state", a.State, b.State}, column{"expires_at", iso(a.ExpiresAt), iso(b.ExpiresAt)},
		column{"learner_id", a.Learner, b.Learner}, column{"section_id", a.Section, b.Section}, column{"timezone", a.Zone, b.Zone},
		column{"channels", fmt.Sprint(a.Channels), fmt.Sprint(b.Channels)})
}

func changeOfRow(a, b *reference.Row) string {
	switch {
	case *a == *b:
		return ""
	case a.Window.Compare(b.Window) != 0 || a.Channel != b.Channel:
		return fmt.Sprintf("has %s in its place", b.Reminder)
	}
	return firstColumn(column{"outcome", a.Outcome, b.Outcome}, column{"token", a.Token, b.Token}, column{"doubt", a.Doubt, b.Doubt},
		column{"lease_until", iso(a.LeaseUntil), iso(b.LeaseUntil)}, column{"not_before", iso(a.NotBefore), iso(b.NotBefore)},
		column{"first_claimed_at", iso(a.FirstClaimedAt), iso(b.FirstClaimedAt)}, column{"settled_at", iso(a.SettledAt), iso(b.SettledAt)},
		column{"message_id", a.MessageID, b.MessageID}, column{"provider_ref", a.ProviderRef, b.ProviderRef})
}
