package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/pgtest"
)

func TestOpenRefusesWithoutThePassword(t *testing.T) {
	for name, of := range map[string]struct{ dsn, want string }{
		"port":                {"postgres://u:hunter2@localhost:abc/db", "invalid port"},
		"password-with-hash":  {"postgres://u:hunter2#x@localhost/db", "percent-encode"},
		"password-with-slash": {"postgres://u:hunter2/x@localhost/db", "percent-encode"},
		"password-as-query":   {"postgres://localhost:abc/db?password=hunter2", "invalid port"},
		"bad-escape":          {"postgres://u:hunter2%zz@localhost/db", "percent-encode"},
		"pairs":               {"host=localhost password=hunter2 hunter2", "key=value"},
		"pairs-quoted":        {"host=localhost password='hunter2", "key=value"},
		"no-password":         {"host=localhost nonsense", "nonsense"},
		"sslmode":             {"postgres://u:hunter2@localhost/db?sslmode=maybe", "sslmode"},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := Open(of.dsn, Options{})
			if err == nil {
				db.Close()
				t.Fatal("no error")
			}
			if !errors.Is(err, reference.ErrInvalid) || !strings.Contains(err.Error(), of.want) {
				t.Errorf("error %q, want one that says %q and is invalid", err, of.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %q tells the password", err)
			}
		})
	}
}

func TestOpenSetsWhatTheDSNDoesNot(t *testing.T) {
	dsn := pgtest.Database(t)
	separator := "?"
	if strings.Contains(dsn, "?") {
		separator = "&"
	}
	for name, of := range map[string]struct {
		dsn     string
		options Options
		want    map[string]string
	}{
		"defaults": {dsn, Options{}, map[string]string{
			"application_name": "seathold", "statement_timeout": "30s", "lock_timeout": "10s", "transaction_isolation": "read committed",
		}},
		"options": {dsn, Options{ApplicationName: "sweep", StatementTimeout: time.Second, LockTimeout: 500 * time.Millisecond}, map[string]string{
			"application_name": "sweep", "statement_timeout": "1s", "lock_timeout": "500ms",
		}},
		"dsn": {dsn + separator + "statement_timeout=7s&application_name=mine&default_transaction_isolation=serializable",
			Options{ApplicationName: "sweep", StatementTimeout: time.Second}, map[string]string{
				"application_name": "mine", "statement_timeout": "7s", "transaction_isolation": "read committed",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := Open(of.dsn, of.options)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for setting, want := range of.want {
				var got string
				if err := db.QueryRow("select current_setting($1)", setting).Scan(&got); err != nil || got != want {
					t.Errorf("%s is %q, %v, want %q", setting, got, err, want)
				}
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	db := migrated(t)
	if err := Migrate(t.Context(), db); err != nil {
		t.Errorf("again: %v", err)
	}
	all, err := MigrationStatus(t.Context(), db)
	if err != nil || len(all) == 0 {
		t.Fatalf("status: %v, %v", all, err)
	}
	for _, m := range all {
		if m.AppliedAt.IsZero() {
			t.Errorf("%s is pending", m.Name)
		}
	}
	p, err := migrations(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(t.Context(), 0); err != nil {
		t.Fatalf("down: %v", err)
	}
	all, err = MigrationStatus(t.Context(), db)
	if err != nil || !all[0].AppliedAt.IsZero() {
		t.Errorf("status after going down: %v, %v", all, err)
	}
	if err := Migrate(t.Context(), db); err != nil {
		t.Errorf("up again: %v", err)
	}
}

// TestEndedContext ends contexts before a call and during one, where lib/pq answers with the server's
// error 57014.
func TestEndedContext(t *testing.T) {
	db := migrated(t)
	s := NewStore(db)
	if err := s.Load(t.Context(), []reference.Hold{heldHold("h1")}, nil); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Confirm(ended, "h1"); !errors.Is(err, context.Canceled) {
		t.Errorf("before: %v, want %v", err, context.Canceled)
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"statement": func(ctx context.Context) error { return s.Confirm(ctx, "h1") },
		"transaction": func(ctx context.Context) error {
			_, err := s.Settle(ctx, settlementOf(reference.Sent, "", "a"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			tx, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tx.Rollback() }()
			if _, err := tx.Exec("select from seat_holds for update"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("during: %v, want %v", err, context.DeadlineExceeded)
			}
		})
	}
}

// TestConnectionsLost ends every connection of the pool: prepared statements are prepared again.
func TestConnectionsLost(t *testing.T) {
	dsn := pgtest.Database(t)
	db, other := opened(t, dsn), opened(t, dsn)
	s := NewStore(db)
	if err := s.Create(t.Context(), heldHold("h1")); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	if err := s.Create(t.Context(), heldHold("h1")); err != nil {
		t.Errorf("after the connections were lost: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	s := NewStore(migrated(t))
	bad := heldHold("h2")
	bad.State = "lost"
	stray := claimedRow(time.Second)
	stray.Hold = "nobody"
	half := claimedRow(time.Second)
	half.Token = ""
	for name, of := range map[string]struct {
		holds []reference.Hold
		rows  []reference.Row
		want  error
	}{
		"unknown-state": {[]reference.Hold{heldHold("h1"), bad}, nil, reference.ErrInvalid},
		"hold-twice":    {[]reference.Hold{heldHold("h1"), heldHold("h1")}, nil, reference.ErrHoldExists},
		"stray-row":     {[]reference.Hold{heldHold("h1")}, []reference.Row{stray}, reference.ErrNoHold},
		"half-a-claim":  {[]reference.Hold{heldHold("h1")}, []reference.Row{half}, reference.ErrInvalid},
		"no-channel":    {[]reference.Hold{{ID: "h1", Learner: "l", Section: "s", ExpiresAt: ends}}, nil, reference.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.Load(t.Context(), of.holds, of.rows); !errors.Is(err, of.want) {
				t.Errorf("load: %v, want %v", err, of.want)
			}
			holds, rows, err := s.Snapshot(t.Context())
			if err != nil || len(holds)+len(rows) > 0 {
				t.Errorf("loaded %v and %v, %v, want nothing", holds, rows, err)
			}
		})
	}
}

// TestLocked: a row that somebody else keeps is waited for by the lock timeout; nothing is done then,
// and that is said.
func TestLocked(t *testing.T) {
	dsn := pgtest.Database(t)
	other := opened(t, dsn)
	db, err := Open(dsn, Options{LockTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := NewStore(db, WithNow((&hand{nudge}).now))
	if err := s.Load(t.Context(), []reference.Hold{heldHold("h1")}, nil); err != nil {
		t.Fatal(err)
	}
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("select from seat_holds for update"); err != nil {
		t.Fatal(err)
	}
	claim := func() (reference.Claim, error) { return s.Claim(t.Context(), claimOf(email, "a")) }
	if c, err := claim(); !errors.Is(err, reference.ErrLocked) {
		t.Errorf("claim: %v, %v; want %v", c, err, reference.ErrLocked)
	}
	over := s.With(WithNow((&hand{ends}).now))
	if answer, _, err := over.Expire(t.Context(), email.Window, "1"); !errors.Is(err, reference.ErrLocked) {
		t.Errorf("expire: %v, %v; want %v", answer, err, reference.ErrLocked)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if holds, rows, err := s.Snapshot(t.Context()); err != nil || len(rows) > 0 || holds[0].State != reference.Held {
		t.Errorf("after what was refused: %v, %v, %v; want one held hold and no row", holds, rows, err)
	}
	if c, err := claim(); err != nil || c.Answer != reference.Granted {
		t.Errorf("claim without the lock: %v, %v; want it granted", c, err)
	}
}
