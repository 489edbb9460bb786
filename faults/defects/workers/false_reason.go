package workers

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var dropWithAFalseReason = defect.Defect{
	Name:    "drop-with-a-false-reason",
	Mistake: "What nobody knows is recorded as rejected by the provider",
	Seen:    "statuses with failed for everything that was no success",
	New:     defect.Worker(func(w *reference.Worker) { w.Store = sureOfIt{w.Store} }),
}

type sureOfIt struct{ reference.WorkerStore }

func (s sureOfIt) Settle(ctx context.Context, m reference.Settlement) (reference.SettleAnswer, error) {
	if m.Outcome.Verdict == reference.Unknown {
		m.Outcome = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected}
	}
	return s.WorkerStore.Settle(ctx, m)
}
