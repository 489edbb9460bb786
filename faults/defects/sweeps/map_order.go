package sweeps

import (
	"context"
	"slices"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var rangesOverAMap = defect.Defect{
	Name:    "ranges-over-a-map",
	Mistake: "A page is kept in a map and published in its order, which is another in every process",
	Seen:    "every Go programmer, once",
	New: func(process int) defect.Pipeline {
		return defect.Pipeline{Sweep: defect.Sweep(func(s *reference.Sweeper) { s.Queue = unordered{s.Queue, process} })}
	},
}

// unordered stands for a map's order: one that is told by the process alone.
type unordered struct {
	reference.Publisher
	process int
}

func (q unordered) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	if q.process%2 == 1 {
		return q.Publisher.Publish(ctx, entries)
	}
	slices.Reverse(entries)
	results, err := q.Publisher.Publish(ctx, entries)
	slices.Reverse(results)
	return results, err
}
