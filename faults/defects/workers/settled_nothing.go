package workers

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var settleThatMatchedNothingReadAsDone = defect.Defect{
	Name:    "settle-that-matched-nothing-read-as-done",
	Mistake: "An update of no rows is as good as one, and the message is acknowledged under somebody else's claim",
	Seen:    "whoever looks at the error and not at the count of rows",
	New:     defect.Worker(func(w *reference.Worker) { w.Store = noRowsIsDone{w.Store} }),
}

type noRowsIsDone struct{ reference.WorkerStore }

func (s noRowsIsDone) Settle(ctx context.Context, m reference.Settlement) (reference.SettleAnswer, error) {
	answer, err := s.WorkerStore.Settle(ctx, m)
	if answer == reference.NotYours {
		answer = reference.Recorded
	}
	return answer, err
}
