// Package backend is what a run stands on: a database and a queue, simulated or real.
package backend

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference"
)

// Store is the database behind a run: the ports, and what the harness has to do to it.
type Store interface {
	reference.SweepStore
	reference.WorkerStore
	reference.HoldStore
	// Load puts holds and reminders in, in any state.
	Load(holds []reference.Hold, rows []reference.Row) error
	// Snapshot gives holds by id, and rows by hold, window and channel.
	Snapshot() ([]reference.Hold, []reference.Row, error)
}

// Broker is a queue as the simulator needs it: the ports, and what a long poll has to know.
type Broker interface {
	reference.Publisher
	reference.Consumer
	reference.DeadLetters
	// NextVisible is when the first message can be received; false if there is none.
	NextVisible() (time.Time, bool)
	// Purge throws away what is in the queue, and says how many there were.
	Purge() int
}

// Backend makes what a run needs that may be simulated or real.
type Backend interface {
	// Name is memory or postgres.
	Name() string
	// Open gives an empty store, and the production queue for profile=table, both in the time that
	// now tells.
	Open(now func() time.Time, visibility time.Duration, maxReceives int) (Store, Broker, error)
}

// Pipeline is a Store that brings its own loops in place of the reference's, given what those are
// made of. A loop must end with its contexts.
type Pipeline interface {
	Work(ctx, accept context.Context, w *reference.Worker) error
	Sweep(ctx context.Context, s *reference.Sweeper) (reference.Report, error)
}

// PipelineOf gives the loops to run on a store: its own, or the reference's.
func PipelineOf(s Store) Pipeline {
	if own, ok := s.(Pipeline); ok {
		return own
	}
	return ours{}
}

type ours struct{}

func (ours) Work(ctx, accept context.Context, w *reference.Worker) error { return w.Run(ctx, accept) }

func (ours) Sweep(ctx context.Context, s *reference.Sweeper) (reference.Report, error) {
	return s.Run(ctx)
}
