package sweeps

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var openRowsNotNominated = defect.Defect{
	Name:    "open-rows-not-nominated",
	Mistake: "A sweep finds what was never begun, and not what was begun and left",
	Seen:    "5,000 jobs stuck running: https://github.com/riverqueue/river/issues/1258",
	New:     defect.Database(func(s *memory.Store) defect.Store { return neverBegun{s} }),
}

type neverBegun struct{ *memory.Store }

func (s neverBegun) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	if q.Kind == reference.Expire {
		return s.Store.Due(ctx, q)
	}
	return defect.Nominate(s.Store, q, func(h reference.Hold, rows []reference.Row, now time.Time) bool {
		return defect.InTime(q, h, now) && defect.LacksRow(h, rows)
	}), nil
}
