package stores

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var processClockDecides = defect.Defect{
	Name:    "process-clock-decides",
	Mistake: "What is due, late or over is decided by a time that the worker passes, read from its own clock",
	Seen:    "a lock by the application's clock: https://github.com/lukas-krecan/ShedLock/issues/132",
	New: func(int) defect.Pipeline {
		passed := map[string]time.Time{}
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store {
				return defect.Decisions{
					Store: s,
					Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
						f.Now = passed[string(q.Token)]
						return q.Decide(f)
					},
					Expired: func(w reference.Window, h reference.Hold, _ []reference.Row, _ time.Time) (reference.Expiry, time.Duration) {
						return reference.DecideExpiry(w, &h, passed[w.String()])
					},
					Dropped: defect.AsReference,
				}
			},
			Work: defect.Work(func(w *reference.Worker) { w.Store = passingNow{w.Store, w, passed} }),
		}
	},
}

// passingNow passes the process's time along with what a worker asks.
type passingNow struct {
	reference.WorkerStore
	worker *reference.Worker
	passed map[string]time.Time
}

func (s passingNow) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	s.passed[string(q.Token)] = s.worker.Clock.Now()
	return s.WorkerStore.Claim(ctx, q)
}

func (s passingNow) Expire(ctx context.Context, w reference.Window, messageID string) (reference.Expiry, time.Duration, error) {
	s.passed[w.String()] = s.worker.Clock.Now()
	return s.WorkerStore.Expire(ctx, w, messageID)
}
