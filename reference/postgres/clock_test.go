package postgres

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
)

// These tests use the database's own clock, as production does.

func databaseNow(t *testing.T, db *sql.DB) time.Time {
	t.Helper()
	var now time.Time
	if err := db.QueryRowContext(t.Context(), "select clock_timestamp()").Scan(&now); err != nil {
		t.Fatal(err)
	}
	return now.UTC()
}

// waitOut calls f while somebody else has h1 locked, and lets go of the hold when Postgres says that
// a statement waits for it and the time has come.
func waitOut(t *testing.T, db *sql.DB, until time.Time, f func()) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	var pid int
	if err := tx.QueryRow("select pg_backend_pid() from seat_holds where hold_id = 'h1' for update").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if !databaseNow(t, db).Before(until) {
		t.Fatal("too slow: the time had come before the call was made")
	}
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for waits := false; !waits; {
		const anybodyWaits = "select exists (select from pg_stat_activity where $1 = any (pg_blocking_pids(pid)))"
		if err := db.QueryRowContext(t.Context(), anybodyWaits, pid).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
			t.Fatal("the call did not wait for the hold")
		default:
		}
	}
	for databaseNow(t, db).Before(until) {
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	<-done
}

// dueUntil loads h1 so that its cut-off is a little later than now, and gives a claim with that cut-off.
func dueUntil(t *testing.T, db *sql.DB, s *Store, rows func(w reference.Window) []reference.Row) (reference.ClaimRequest, time.Time) {
	t.Helper()
	empty(t, db)
	now := databaseNow(t, db)
	h := heldHold("h1")
	h.ExpiresAt = now.Truncate(time.Second).Add(time.Minute)
	if err := s.Load(t.Context(), []reference.Hold{h}, rows(h.Window())); err != nil {
		t.Fatal(err)
	}
	q := claimOf(reference.Reminder{Window: h.Window(), Channel: reference.Email}, "b")
	late := now.Add(200 * time.Millisecond)
	q.Cutoff = h.ExpiresAt.Sub(late)
	return q, late
}

func TestClaimThatWaitedIsLate(t *testing.T) {
	db := migrated(t)
	s := NewStore(db)
	none := func(reference.Window) []reference.Row { return nil }
	lapsedRow := func(w reference.Window) []reference.Row {
		r := claimedRow(0)
		r.Window = w
		return []reference.Row{r}
	}
	for name, of := range map[string]struct {
		rows func(reference.Window) []reference.Row
		want reference.Answer
	}{
		"no-row": {none, reference.Late},
		"lapsed": {lapsedRow, reference.SettledHere},
	} {
		t.Run(name, func(t *testing.T) {
			q, late := dueUntil(t, db, s, of.rows)
			var claim reference.Claim
			var err error
			waitOut(t, db, late, func() { claim, err = s.Claim(context.Background(), q) })
			if err != nil || claim.Answer != of.want {
				t.Errorf("claim: %+v, %v, want %s", claim, err, of.want)
			}
		})
	}
}

func TestConfirmAndExtendThatWaitedHaveRunOut(t *testing.T) {
	db := migrated(t)
	s := NewStore(db)
	for name, call := range map[string]func(w reference.Window) error{
		"confirm": func(w reference.Window) error { return s.Confirm(context.Background(), w.Hold) },
		"extend":  func(w reference.Window) error { return s.Extend(context.Background(), w, w.ExpiresAt.Add(time.Minute)) },
	} {
		t.Run(name, func(t *testing.T) {
			empty(t, db)
			h := heldHold("h1")
			h.ExpiresAt = databaseNow(t, db).Add(200 * time.Millisecond).Truncate(time.Second).Add(time.Second)
			if err := s.Load(t.Context(), []reference.Hold{h}, nil); err != nil {
				t.Fatal(err)
			}
			var err error
			waitOut(t, db, h.ExpiresAt, func() { err = call(h.Window()) })
			if !errors.Is(err, reference.ErrRunOut) {
				t.Errorf("%s: %v, want %v", name, err, reference.ErrRunOut)
			}
		})
	}
}

func TestExpireThatWaitedIsNotTooEarly(t *testing.T) {
	db := migrated(t)
	s := NewStore(db)
	h := heldHold("h1")
	h.ExpiresAt = databaseNow(t, db).Add(200 * time.Millisecond).Truncate(time.Second).Add(time.Second)
	if err := s.Load(t.Context(), []reference.Hold{h}, nil); err != nil {
		t.Fatal(err)
	}
	var answer reference.Expiry
	var err error
	waitOut(t, db, h.ExpiresAt, func() { answer, _, err = s.Expire(context.Background(), h.Window(), "1") })
	if err != nil || answer != reference.ExpiredNow {
		t.Errorf("expire: %s, %v, want %s", answer, err, reference.ExpiredNow)
	}
}

// TestDatabaseClock goes once through the pipeline's calls without a clock of our own.
func TestDatabaseClock(t *testing.T) {
	db := migrated(t)
	s := NewStore(db)
	q := NewQueue(db, QueueConfig{Visibility: time.Minute, MaxReceives: 3})
	ctx := t.Context()
	h := heldHold("h1")
	h.ExpiresAt = databaseNow(t, db).Truncate(time.Second).Add(2 * time.Minute)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Create(ctx, h))
	due, err := s.Due(ctx, reference.DueQuery{Kind: reference.Remind, Lead: policy.Lead, Cutoff: policy.Cutoff, Limit: 10})
	must(err)
	if len(due) != 1 || due[0].Age < time.Minute || due[0].Age > time.Minute+time.Hour {
		t.Fatalf("due: %v, want h1, due since a minute", due)
	}
	claim, err := s.Claim(ctx, claimOf(reference.Reminder{Window: h.Window(), Channel: reference.SMS}, "a"))
	must(err)
	if claim.Answer != reference.Granted || claim.LeaseLeft != policy.Lease || claim.TimeLeft > 2*time.Minute-policy.Cutoff {
		t.Errorf("claim: %+v, want granted, and the lease whole", claim)
	}
	_, err = q.Publish(ctx, []reference.Entry{{Key: "k", Payload: []byte("x")}, {Payload: []byte("y"), Delay: time.Hour}})
	must(err)
	got, err := q.Receive(ctx, 10, 0)
	must(err)
	if len(got) != 1 {
		t.Fatalf("received %d, want the one without a delay", len(got))
	}
	must(q.Nack(ctx, got[0], time.Minute))
	stats, err := q.Stats(ctx)
	must(err)
	if stats.Oldest <= 0 || stats.Hidden != 1 || stats.Delayed != 1 {
		t.Errorf("stats: %+v, want one hidden and one delayed", stats)
	}
}
