package programtest

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/pgtest"
)

// Database is a database of the test's own.
type Database struct {
	DSN   string
	DB    *sql.DB
	Store *postgres.Store
}

// Empty gives a database without tables.
func Empty(t testing.TB) *Database {
	t.Helper()
	d := &Database{DSN: pgtest.Database(t)}
	db, err := postgres.Open(d.DSN, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	d.DB, d.Store = db, postgres.NewStore(db)
	return d
}

// Migrated gives a database with tables.
func Migrated(t testing.TB) *Database {
	t.Helper()
	d := Empty(t)
	d.Migrate(t)
	return d
}

// Migrate makes the tables.
func (d *Database) Migrate(t testing.TB) {
	t.Helper()
	if err := postgres.Migrate(t.Context(), d.DB); err != nil {
		t.Fatal(err)
	}
}

// Hold creates a hold that expires in a while, and gives its window.
func (d *Database) Hold(t testing.TB, id string, left time.Duration) reference.Window {
	t.Helper()
	h := reference.Hold{
		ID: reference.HoldID(id), Learner: "learner-1", Section: "section-1", Zone: "Europe/Berlin",
		ExpiresAt: time.Now().Add(left).Truncate(time.Second).UTC(),
	}
	if err := (reference.Holds{Store: d.Store}).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	return h.Window()
}

// Outage makes the database unreachable for everybody, until it is over.
func (d *Database) Outage(t testing.TB) (over func()) {
	t.Helper()
	name := pq.QuoteIdentifier(d.Value(t, `select current_database()`))
	admin, err := postgres.Open(pgtest.Server(t).URL(), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	allow := func(connections string) {
		t.Helper()
		if _, err := admin.ExecContext(t.Context(), `alter database `+name+` allow_connections `+connections); err != nil {
			t.Fatal(err)
		}
	}
	allow("false")
	const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`
	if _, err := admin.ExecContext(t.Context(), end, strings.Trim(name, `"`)); err != nil {
		t.Fatal(err)
	}
	return func() { t.Helper(); allow("true") }
}

// Exec runs a statement.
func (d *Database) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := d.DB.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Value reads one value as text; empty if there is none.
func (d *Database) Value(t testing.TB, query string, args ...any) string {
	t.Helper()
	var v sql.Null[string]
	if err := d.DB.QueryRowContext(t.Context(), `select coalesce((`+query+`)::text, '')`, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v.V
}

// Outcomes gives the outcomes of a window, as channel=verdict(reason), in order.
func (d *Database) Outcomes(t testing.TB, w reference.Window) string {
	t.Helper()
	return d.Value(t, `select string_agg(channel || '=' || coalesce(outcome, 'open') || coalesce('(' || reason || ')', ''), ' ' order by channel)
		from reminders where hold_id = $1 and window_expires_at = $2`, w.Hold, w.ExpiresAt)
}
