// Package porttest is what every adapter and every simulated port must do: a conformance suite for
// each port of package reference. An adapter's test opens the adapter and hands it over:
//
//	func TestStores(t *testing.T) {
//		porttest.TestStores(t, func(t *testing.T) porttest.Stores { … })
//	}
//
// Each suite calls open once for every subtest, and wants nothing left of the subtest before. Time
// is what the suite sets; nothing sleeps. All but TestStoresAtOnce call from one goroutine only.
package porttest

import (
	"context"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// Stores are the three stores over one database, and what the suite needs besides.
type Stores struct {
	Sweep  reference.SweepStore
	Worker reference.WorkerStore
	Holds  reference.HoldStore
	// SetNow sets the database's clock, which stands still until it is set again. The suite sets it
	// before it calls anything, and in whole microseconds.
	SetNow func(time.Time)
	// Load puts holds and rows into the database, beside those that are there, in the states given.
	Load func(holds []reference.Hold, rows []reference.Row) error
	// Snapshot reads everything: holds by id, and rows by hold id, window, and channel in the order
	// of reference.Channels.
	Snapshot func() ([]reference.Hold, []reference.Row, error)
}

// TestStores runs the suite of SweepStore, WorkerStore and HoldStore. Open gives empty stores.
func TestStores(t *testing.T, open func(t *testing.T) Stores) {
	t.Run("claim", func(t *testing.T) { testClaim(t, open) })
	t.Run("settle", func(t *testing.T) { testSettle(t, open) })
	t.Run("release", func(t *testing.T) { testRelease(t, open) })
	t.Run("expire", func(t *testing.T) { testExpire(t, open) })
	t.Run("due", func(t *testing.T) { testDue(t, open) })
	t.Run("overdue", func(t *testing.T) { testOverdue(t, open) })
	t.Run("holds", func(t *testing.T) { testHolds(t, open) })
	t.Run("sweeps", func(t *testing.T) { testRecordSweep(t, open) })
	t.Run("cancelled-context", func(t *testing.T) { testStoresCancelled(t, open) })
}

// load fails t if the database doesn't take the state.
func (s Stores) load(t *testing.T, holds []reference.Hold, rows []reference.Row) {
	t.Helper()
	if err := s.Load(holds, rows); err != nil {
		t.Fatalf("load: %v", err)
	}
}

// wants fails t if the database holds anything else than what is given, in the order of Snapshot.
func (s Stores) wants(t *testing.T, holds []reference.Hold, rows []reference.Row) {
	t.Helper()
	gotHolds, gotRows, err := s.Snapshot()
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	expect.Same(t, "holds", holds, gotHolds)
	expect.Same(t, "rows", rows, gotRows)
}

// What the suites' cases are made of: a hold whose window ends at ends, nudged from due on and
// before cutoff.
var (
	ends    = time.Date(2026, 3, 2, 12, 10, 0, 0, time.UTC)
	policy  = reference.DefaultPolicy()
	due     = ends.Add(-policy.Lead)
	cutoff  = ends.Add(-policy.Cutoff)
	between = due.Add(time.Minute)
)

const tick = time.Microsecond

func hold(edits ...func(*reference.Hold)) reference.Hold {
	h := reference.Hold{
		ID: "h1", Learner: "l1", Section: "s1", ExpiresAt: ends, Zone: "Europe/Berlin",
		State: reference.Held, Channels: []reference.Channel{reference.Email, reference.SMS},
	}
	for _, edit := range edits {
		edit(&h)
	}
	return h
}

func state(s reference.State) func(*reference.Hold) { return func(h *reference.Hold) { h.State = s } }
func expires(at time.Time) func(*reference.Hold)    { return func(h *reference.Hold) { h.ExpiresAt = at } }
func named(id reference.HoldID) func(*reference.Hold) {
	return func(h *reference.Hold) { h.ID = id }
}
func reached(by ...reference.Channel) func(*reference.Hold) {
	return func(h *reference.Hold) { h.Channels = by }
}

// claimed is the row of h1's email as a claim by token t0 left it at due.
func claimed(edits ...func(*reference.Row)) reference.Row {
	r := reference.Row{
		Reminder: reminder(reference.Email), Token: "t0", LeaseUntil: due.Add(policy.Lease),
		FirstClaimedAt: due, MessageID: "m0",
	}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

// free is the row of h1's email after the claim of claimed was released.
func free(edits ...func(*reference.Row)) reference.Row {
	r := claimed()
	r.Token, r.LeaseUntil = "", time.Time{}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

// settled is the row of claimed with an outcome.
func settled(o reference.Outcome, edits ...func(*reference.Row)) reference.Row {
	r := claimed()
	r.Outcome, r.SettledAt = o, due.Add(time.Second)
	if o.Verdict == reference.Sent {
		r.ProviderRef = "p0"
	}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

func doubt(d reference.Reason) func(*reference.Row) { return func(r *reference.Row) { r.Doubt = d } }
func notBefore(at time.Time) func(*reference.Row)   { return func(r *reference.Row) { r.NotBefore = at } }
func on(c reference.Channel) func(*reference.Row)   { return func(r *reference.Row) { r.Channel = c } }
func of(w reference.Window) func(*reference.Row)    { return func(r *reference.Row) { r.Window = w } }
func leased(until time.Time) func(*reference.Row) {
	return func(r *reference.Row) { r.LeaseUntil = until }
}

func reminder(c reference.Channel) reference.Reminder {
	return reference.Reminder{Window: hold().Window(), Channel: c}
}

var (
	sent    = reference.Outcome{Verdict: reference.Sent}
	missed  = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Missed}
	lapsed  = reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed}
	timeout = reference.Outcome{Verdict: reference.Unknown, Reason: reference.Timeout}
)

func dropped(r reference.Reason) reference.Outcome {
	return reference.Outcome{Verdict: reference.Dropped, Reason: r}
}

// some makes a list of what there is: none for nil.
func some[T any](v *T) []T {
	if v == nil {
		return nil
	}
	return []T{*v}
}

func ptr[T any](v T) *T { return &v }

var background = context.Background()
