// Package defect is what a wrong pipeline is made of: the reference with one thing done otherwise,
// either in what a worker or a sweep asks of its ports, or in how the database behind them answers.
package defect

import (
	"context"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// Defect is a wrong pipeline.
type Defect struct {
	Name string
	// Mistake says in a sentence what is done otherwise, and Seen who does so, with a public report
	// where there is one.
	Mistake, Seen string
	// New makes the pipeline of one run, with what that keeps. Process numbers the runs of one and the
	// same thing from 1, and stands for all that differs between two processes.
	New func(process int) Pipeline
}

// Pipeline is what a defect replaces; what is nil stays the reference's.
type Pipeline struct {
	// Store puts a wrong database in place of the model's.
	Store func(*memory.Store) Store
	// Work runs one slot of a worker, and Sweep one sweep, given what the reference's are made of.
	Work  func(ctx, accept context.Context, w *reference.Worker) error
	Sweep func(ctx context.Context, s *reference.Sweeper) (reference.Report, error)
}

// Store is the database as a pipeline sees it.
type Store interface {
	reference.SweepStore
	reference.WorkerStore
	reference.HoldStore
}

// Worker is a pipeline whose worker is made otherwise.
func Worker(change func(w *reference.Worker)) func(int) Pipeline {
	return func(int) Pipeline { return Pipeline{Work: Work(change)} }
}

// Sweeper is a pipeline whose sweep is made otherwise.
func Sweeper(change func(s *reference.Sweeper)) func(int) Pipeline {
	return func(int) Pipeline { return Pipeline{Sweep: Sweep(change)} }
}

// Database is a pipeline on another database.
func Database(make func(*memory.Store) Store) func(int) Pipeline {
	return func(int) Pipeline { return Pipeline{Store: make} }
}

// Work is the reference's loop of a worker that is made otherwise.
func Work(change func(w *reference.Worker)) func(ctx, accept context.Context, w *reference.Worker) error {
	return func(ctx, accept context.Context, w *reference.Worker) error {
		change(w)
		return w.Run(ctx, accept)
	}
}

// Sweep is the reference's sweep, made otherwise.
func Sweep(change func(s *reference.Sweeper)) func(ctx context.Context, s *reference.Sweeper) (reference.Report, error) {
	return func(ctx context.Context, s *reference.Sweeper) (reference.Report, error) {
		change(s)
		return s.Run(ctx)
	}
}

// Senders puts a wrong sender in place of every one that w has.
func Senders(w *reference.Worker, make func(reference.Sender) reference.Sender) {
	for i, r := range w.Routes {
		w.Routes[i].Sender = make(r.Sender)
	}
}
