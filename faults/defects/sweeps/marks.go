package sweeps

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var marksPublishedBeforePublishing = defect.Defect{
	Name:    "marks-published-before-publishing",
	Mistake: "The statement that finds what is due marks it as published, and what then isn't published never is",
	Seen:    "an id remembered for a message that was never stored: https://github.com/nats-io/nats-server/pull/6415",
	New: defect.Database(func(s *memory.Store) defect.Store {
		return marking{s, map[mark]bool{}}
	}),
}

type mark struct {
	kind   reference.Kind
	window string
}

type marking struct {
	*memory.Store
	marked map[mark]bool
}

func (s marking) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	return defect.Filtered(ctx, s.Store, q, func(n reference.Nomination) bool {
		m := mark{n.Message.Kind, n.Message.Window.String()}
		first := !s.marked[m]
		s.marked[m] = true
		return first
	})
}
