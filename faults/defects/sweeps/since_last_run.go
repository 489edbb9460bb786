package sweeps

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var sinceLastRunSweep = defect.Defect{
	Name:    "since-last-run-sweep",
	Mistake: "A sweep nominates what came due since the last one ran, and nothing twice",
	Seen:    "catching up by the time of the last run: https://github.com/temporalio/temporal/pull/4332",
	New:     defect.Database(func(s *memory.Store) defect.Store { return &sinceLast{Store: s} }),
}

type sinceLast struct {
	*memory.Store
	last time.Time
}

func (s *sinceLast) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	since := s.Now().Sub(s.last)
	return defect.Filtered(ctx, s.Store, q, func(n reference.Nomination) bool { return n.Age < since })
}

func (s *sinceLast) RecordSweep(ctx context.Context, r reference.Report) error {
	s.last = s.Now()
	return s.Store.RecordSweep(ctx, r)
}
