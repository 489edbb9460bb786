package workers

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var commitErrorTakenForFailure = defect.Defect{
	Name:    "commit-error-taken-for-failure",
	Mistake: "A claim whose commit gave an error was not made, so there is nothing to ask again and nothing to give back",
	Seen:    "a cancelled wait that was committed: https://paquier.xyz/postgresql-2/track-commit-synchronous",
	New: defect.Worker(func(w *reference.Worker) {
		w.Store = errorMeansNothing{w.Store, map[reference.Token]error{}}
	}),
}

type errorMeansNothing struct {
	reference.WorkerStore
	failed map[reference.Token]error
}

func (s errorMeansNothing) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	if err := s.failed[q.Token]; err != nil {
		return reference.Claim{}, err
	}
	claim, err := s.WorkerStore.Claim(ctx, q)
	if err != nil {
		s.failed[q.Token] = err
	}
	return claim, err
}

func (s errorMeansNothing) Release(ctx context.Context, r reference.Release) error {
	if s.failed[r.Token] != nil {
		return nil
	}
	return s.WorkerStore.Release(ctx, r)
}
