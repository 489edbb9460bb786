package watch

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference"
)

// Ledger is what is read of the tables for metrics alone. Nothing is decided by it.
type Ledger interface {
	// Get reads a hold.
	Get(ctx context.Context, id reference.HoldID) (reference.Hold, error)
	// Dropped counts the rows that expiring those windows wrote, under a message or, where that is
	// empty, under none.
	Dropped(ctx context.Context, windows []reference.Window, messageID string) ([]Dropped, error)
	// LastSweep reads the newest report on record; false if there is none.
	LastSweep(ctx context.Context) (SweepOnRecord, bool, error)
}

// Dropped counts rows of one channel and reason.
type Dropped struct {
	Channel reference.Channel
	Reason  reference.Reason
	Count   int
}

// SweepOnRecord is a report, and how long ago it was recorded by the database's clock.
type SweepOnRecord struct {
	Report reference.Report
	Age    time.Duration
}
