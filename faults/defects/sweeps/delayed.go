package sweeps

import (
	"context"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var delayedMessageInsteadOfASweep = defect.Defect{
	Name:    "delayed-message-instead-of-a-sweep",
	Mistake: "When a hold is made its messages are published once, delayed until it is due and until it is over, and nothing is looked for later",
	Seen:    "reminders registered in advance, which no change of the booking reached: https://github.com/calcom/cal.diy/pull/7232",
	New: func(int) defect.Pipeline {
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store { return onceMade{s, map[madeFor]bool{}} },
			Sweep: defect.Sweep(func(s *reference.Sweeper) { s.Queue = delaying{s.Queue, s.Clock, s.Policy.Lead} }),
		}
	},
}

type madeFor struct {
	kind reference.Kind
	hold reference.HoldID
}

// onceMade gives every hold once, at the first sweep after it was made.
type onceMade struct {
	*memory.Store
	made map[madeFor]bool
}

func (s onceMade) Due(_ context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	return defect.Nominate(s.Store, q, func(h reference.Hold, _ []reference.Row, _ time.Time) bool {
		m := madeFor{q.Kind, h.ID}
		first := !s.made[m]
		s.made[m] = true
		return first
	}), nil
}

type delaying struct {
	reference.Publisher
	clock clock.Clock
	lead  time.Duration
}

func (q delaying) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	for i, e := range entries {
		m := defect.MessageIn(e)
		at := m.Window.ExpiresAt
		if m.Kind == reference.Remind {
			at = at.Add(-q.lead)
		}
		entries[i].Delay = min(max(at.Sub(q.clock.Now()), 0), reference.DelayMax)
	}
	return q.Publisher.Publish(ctx, entries)
}
