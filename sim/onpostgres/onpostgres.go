// Package onpostgres runs the simulator on the production adapter and a real Postgres: the same
// scenario, the same trace.
package onpostgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/pgserver"
	"github.com/seathold/seathold/sim"
)

// Backend is one database, emptied for every run. Runs on it take turns.
type Backend struct {
	db  *sql.DB
	end func() error
	url string
	// store and queue are kept from run to run, for their statements are prepared.
	store *postgres.Store
	queue *postgres.Queue
	// now is the present run's time.
	now func() time.Time
}

// Start gets a server as SEATHOLD_POSTGRES says, and makes a database in it.
func Start(ctx context.Context) (*Backend, error) {
	server, err := pgserver.Start(ctx)
	if err != nil {
		return nil, err
	}
	b, err := open(ctx, server)
	if err != nil {
		_ = server.Close()
		return nil, err
	}
	return b, nil
}

func open(ctx context.Context, server *pgserver.Server) (*Backend, error) {
	database, err := server.CreateDatabase(ctx)
	if err != nil {
		return nil, err
	}
	db, err := postgres.Open(database.URL(), postgres.Options{ConnectionsMax: 2})
	if err != nil {
		return nil, err
	}
	if err := postgres.Migrate(ctx, db); err != nil {
		_ = db.Close()
		return nil, err
	}
	b := &Backend{db: db, end: server.Close, url: server.URL()}
	b.store = postgres.NewStore(db, b.clock())
	b.queue = postgres.NewQueue(db, postgres.QueueConfig{}, b.clock())
	return b, nil
}

// ServerURL is how another process reaches the same server, as SEATHOLD_POSTGRES.
func (b *Backend) ServerURL() string { return b.url }

// Close ends the server, if it was started for this.
func (b *Backend) Close() error {
	if err := b.db.Close(); err != nil {
		return err
	}
	return b.end()
}

// Name is postgres.
func (b *Backend) Name() string { return "postgres" }

func (b *Backend) clock() postgres.Option {
	return postgres.WithNow(func() time.Time { return b.now() })
}

// Open empties the database.
func (b *Backend) Open(now func() time.Time, visibility time.Duration, maxReceives int) (sim.Store, sim.Broker, error) {
	b.now = now
	if err := b.store.Reset(context.Background()); err != nil {
		return nil, nil, fmt.Errorf("empty the database: %w", err)
	}
	q := b.queue.With(postgres.QueueConfig{Visibility: visibility, MaxReceives: maxReceives}, b.clock())
	return store{b.store}, queue{q}, nil
}

type store struct{ *postgres.Store }

func (s store) Load(holds []reference.Hold, rows []reference.Row) error {
	return s.Store.Load(context.Background(), holds, rows)
}

func (s store) Snapshot() ([]reference.Hold, []reference.Row, error) {
	return s.Store.Snapshot(context.Background())
}

type queue struct{ *postgres.Queue }

// NextVisible panics when the database fails; the simulator reports that as the harness's fault.
func (q queue) NextVisible() (time.Time, bool) {
	at, any, err := q.Queue.NextVisible(context.Background())
	if err != nil {
		panic(err)
	}
	return at, any
}

func (q queue) Purge() int {
	n, err := q.Queue.Purge(context.Background())
	if err != nil {
		panic(err)
	}
	return n
}
