package stores

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var redriveSkipsChecks = defect.Defect{
	Name:    "redrive-skips-checks",
	Mistake: "What comes back from the dead letters is sent whatever has become of the hold, and however late it is",
	Seen:    "2,000 orphaned jobs run by an upgrade: https://github.com/sidekiq/sidekiq/issues/5719",
	New: func(int) defect.Pipeline {
		redriven := map[string]bool{}
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store {
				return defect.Decisions{Store: s, Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
					if redriven[q.MessageID] && f.Row == nil && f.Hold != nil {
						return grantAnyway(q, f)
					}
					return q.Decide(f)
				}}
			},
			Work: defect.Work(func(w *reference.Worker) { w.Queue = redriveWatch{w.Queue, map[string]int{}, redriven} }),
		}
	},
}

func grantAnyway(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
	now := f.Now
	f.Hold, f.Now = asInMessage(q, f.Hold), q.Reminder.ExpiresAt.Add(-q.Lead)
	claim, row := q.Decide(f)
	if row != nil {
		row.FirstClaimedAt, row.LeaseUntil = now, now.Add(q.Lease)
		claim.TimeLeft = time.Hour
	}
	return claim, row
}

// redriveWatch finds messages whose receives are counted anew.
type redriveWatch struct {
	reference.Consumer
	receives map[string]int
	redriven map[string]bool
}

func (q redriveWatch) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	deliveries, err := q.Consumer.Receive(ctx, max, wait)
	for _, d := range deliveries {
		if d.Receives <= q.receives[d.MessageID] {
			q.redriven[d.MessageID] = true
		}
		q.receives[d.MessageID] = d.Receives
	}
	return deliveries, err
}
