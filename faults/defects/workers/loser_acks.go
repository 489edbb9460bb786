package workers

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var loserAcksALiveClaim = defect.Defect{
	Name:    "loser-acks-a-live-claim",
	Mistake: "\"Claimed by another\" is read as \"done by another\", and the message is acknowledged",
	Seen:    "mail that is sending for ever: https://github.com/namuh-eng/opensend/pull/662, https://github.com/mautic/mautic/issues/6280",
	New:     defect.Worker(func(w *reference.Worker) { w.Store = busyIsDone{w.Store} }),
}

type busyIsDone struct{ reference.WorkerStore }

func (s busyIsDone) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	claim, err := s.WorkerStore.Claim(ctx, q)
	if claim.Answer == reference.Busy {
		claim.Answer = reference.Settled
	}
	return claim, err
}
