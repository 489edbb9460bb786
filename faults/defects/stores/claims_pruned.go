package stores

import (
	"context"
	"slices"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var claimsPruned = defect.Defect{
	Name:    "claims-pruned-before-messages-can-no-longer-return",
	Mistake: "Rows are deleted an hour after they were settled, and messages and dead letters live for weeks",
	Seen:    "a claim that is a key with a time to live; jobs a month old that came back: https://github.com/sidekiq/sidekiq/issues/5719",
	New:     defect.Database(func(s *memory.Store) defect.Store { return pruning{s} }),
}

const prunedAfter = time.Hour

// pruning cleans up at the end of every sweep.
type pruning struct{ *memory.Store }

func (s pruning) RecordSweep(ctx context.Context, r reference.Report) error {
	holds, _ := s.Snapshot()
	for _, h := range holds {
		s.Edit(h.ID, func(now time.Time, _ *reference.Hold, rows *[]reference.Row) {
			*rows = slices.DeleteFunc(*rows, func(row reference.Row) bool {
				return !row.Open() && now.Sub(row.SettledAt) >= prunedAfter
			})
		})
	}
	return s.Store.RecordSweep(ctx, r)
}
