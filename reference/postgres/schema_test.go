package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
)

// within is a database whose every statement is part of one transaction.
type within struct{ *transaction }

func (w within) inTx(_ context.Context, what func(conn) error) error { return what(w) }

// TestHeapOnlyUpdates counts updates that had to touch an index: those of a claim's life must not.
func TestHeapOnlyUpdates(t *testing.T) {
	db := migrated(t)
	s := NewStore(db, WithNow(func() time.Time { return nudge }))
	if err := s.Load(t.Context(), []reference.Hold{heldHold("h1")}, []reference.Row{claimedRow(time.Second)}); err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	inside := &Store{db: within{&transaction{newPool(db), tx}}, now: s.now}
	if err := inside.Release(t.Context(), reference.Release{Reminder: email, Token: "a", Doubt: reference.Timeout}); err != nil {
		t.Fatal(err)
	}
	if claim, err := inside.Claim(t.Context(), claimOf(email, "b")); err != nil || claim.Answer != reference.Granted {
		t.Fatal(claim, err)
	}
	var updates, heapOnly int
	const counts = "select n_tup_upd, n_tup_hot_upd from pg_stat_xact_user_tables where relname = 'reminders'"
	if err := tx.QueryRow(counts).Scan(&updates, &heapOnly); err != nil {
		t.Fatal(err)
	}
	if updates != 2 || heapOnly != 2 {
		t.Errorf("of %d updates %d were heap-only, want 2 of 2", updates, heapOnly)
	}
}

// TestSchemaRefuses puts in what can't be, as a host application's own SQL might.
func TestSchemaRefuses(t *testing.T) {
	db := migrated(t)
	s := NewStore(db)
	if err := s.Load(t.Context(), []reference.Hold{heldHold("h1")}, nil); err != nil {
		t.Fatal(err)
	}
	const row = "insert into reminders (hold_id, window_expires_at, channel, outcome, reason, settled_at, doubt) values ('h1', '2026-03-02 12:10:00Z', "
	for name, statement := range map[string]string{
		"state":               "update seat_holds set state = 'lost'",
		"no-channel":          "update seat_holds set channels = '{}'",
		"unknown-channel":     "update seat_holds set channels = '{email,fax}'",
		"fraction":            "update seat_holds set expires_at = expires_at + interval '1 microsecond'",
		"unknown-outcome":     row + "'email', 'lost', null, '2026-03-02Z', null)",
		"sent-with-reason":    row + "'email', 'sent', 'missed', '2026-03-02Z', null)",
		"dropped-by-timeout":  row + "'email', 'dropped', 'timeout', '2026-03-02Z', null)",
		"dropped-for-nothing": row + "'email', 'dropped', null, '2026-03-02Z', null)",
		"reason-when-open":    row + "'email', null, 'missed', null, null)",
		"outcome-at-no-time":  row + "'email', 'sent', null, null, null)",
		"unknown-doubt":       row + "'email', null, null, null, 'missed')",
		"row-of-no-channel":   row + "'fax', null, null, null, null)",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := db.Exec(statement); !hasCode(err, checkViolation) {
				t.Errorf("%v, want a violated check", err)
			}
		})
	}
}
