package postgres

import (
	"context"
	"database/sql"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest"
	"github.com/seathold/seathold/reference/postgres/pgtest"
)

func TestMain(m *testing.M) {
	// Few by default; -rapid.checks asks for more.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	os.Exit(pgtest.Main(m))
}

// start is when a test's clock starts.
var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// hand is a clock that a test turns by hand.
type hand struct{ time.Time }

func (h *hand) now() time.Time { return h.Time }

// migrated opens a new database with empty tables.
func migrated(t testing.TB) *sql.DB {
	t.Helper()
	return opened(t, pgtest.Database(t))
}

func opened(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := Open(dsn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

func empty(t testing.TB, db *sql.DB) {
	t.Helper()
	if err := NewStore(db).Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestStores(t *testing.T)       { porttest.TestStores(t, openStores(t)) }
func TestStoresAtOnce(t *testing.T) { porttest.TestStoresAtOnce(t, openStores(t)) }

func openStores(t *testing.T) func(t *testing.T) porttest.Stores {
	db := migrated(t)
	return func(t *testing.T) porttest.Stores {
		empty(t, db)
		clock := &hand{start}
		s := NewStore(db, WithNow(clock.now))
		return porttest.Stores{
			Sweep: s, Worker: s, Holds: s,
			SetNow: func(t time.Time) { clock.Time = t },
			Load: func(holds []reference.Hold, rows []reference.Row) error {
				return s.Load(context.Background(), holds, rows)
			},
			Snapshot: func() ([]reference.Hold, []reference.Row, error) { return s.Snapshot(context.Background()) },
		}
	}
}

func TestQueue(t *testing.T) {
	db := migrated(t)
	porttest.TestQueue(t, func(t *testing.T) porttest.Queue {
		empty(t, db)
		clock := &hand{start}
		q := NewQueue(db, QueueConfig{Visibility: time.Minute, MaxReceives: 3}, WithNow(clock.now))
		return porttest.Queue{
			Publisher: q, Consumer: q, DeadLetters: q,
			Advance: func(d time.Duration) { clock.Time = clock.Add(d) },
			Traits: porttest.Traits{
				KeyMemory: porttest.WhileStored, Ordered: true, Nack: true, DeadLetter: true, Visibility: time.Minute, MaxReceives: 3,
			},
		}
	})
}
