package sweeps

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var limitWithoutPaging = defect.Defect{
	Name:    "limit-without-paging",
	Mistake: "A sweep reads one page and ends",
	Seen:    "a batch of rows that nobody will act on starves all behind it: https://github.com/riverqueue/river/pull/1318",
	New:     defect.Sweeper(func(s *reference.Sweeper) { s.Store = onePage{s.Store} }),
}

type onePage struct{ reference.SweepStore }

func (s onePage) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	if q.After.Hold != "" {
		return nil, nil
	}
	return s.SweepStore.Due(ctx, q)
}

var pageCursorThatSkipsTies = defect.Defect{
	Name:    "page-cursor-that-skips-ties",
	Mistake: "The next page begins after the last one's time, and passes over what runs out in the same second",
	Seen:    "cursors of one column that isn't unique",
	New:     defect.Sweeper(func(s *reference.Sweeper) { s.Store = byTimeOnly{s.Store} }),
}

type byTimeOnly struct{ reference.SweepStore }

func (s byTimeOnly) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	if q.After.Hold != "" {
		q.After.Hold = "\xff" // after every id, for no UTF-8 has this byte
	}
	return s.SweepStore.Due(ctx, q)
}
