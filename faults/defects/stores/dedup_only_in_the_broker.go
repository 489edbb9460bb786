package stores

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/faults/defects/sweeps"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var dedupOnlyInTheBroker = defect.Defect{
	Name:    "dedup-only-in-the-broker",
	Mistake: "A window is published on every sweep under one key, and that the broker remembers it is all there is against sending twice",
	Seen:    "a window of memory is a filter and no record: https://github.com/nats-io/nats-server/issues/7302",
	New: func(int) defect.Pipeline {
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store {
				d := unclaimed
				d.Store = s
				return rowsUnseen{d}
			},
			Sweep: defect.Sweep(func(s *reference.Sweeper) { s.Queue = sweeps.OneKey{Publisher: s.Queue, Policy: s.Policy} }),
		}
	},
}

// rowsUnseen nominates whether there are rows or not.
type rowsUnseen struct{ defect.Decisions }

func (s rowsUnseen) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	if q.Kind == reference.Expire {
		return s.Store.Due(ctx, q)
	}
	return defect.Nominate(s.Store, q, func(h reference.Hold, _ []reference.Row, now time.Time) bool {
		return defect.InTime(q, h, now)
	}), nil
}
