package stores

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var expireOnlyWithReminder = defect.Defect{
	Name:    "expire-only-with-reminder",
	Mistake: "A hold is expired only where its reminders were sent, and there is no backstop",
	Seen:    "the published design, which expires in the branch that won the claim",
	New: defect.Database(func(s *memory.Store) defect.Store {
		return noBackstop{defect.Decisions{Store: s, Expired: expiredIfSent, Dropped: defect.AsReference}}
	}),
}

func expiredIfSent(w reference.Window, h reference.Hold, rows []reference.Row, now time.Time) (reference.Expiry, time.Duration) {
	for _, c := range h.Channels {
		if row := defect.Find(rows, reference.Reminder{Window: w, Channel: c}); row == nil || row.Outcome.Verdict != reference.Sent {
			return reference.ExpiryDone, 0
		}
	}
	return reference.DecideExpiry(w, &h, now)
}

type noBackstop struct{ defect.Decisions }

func (noBackstop) ExpireOverdue(context.Context, time.Duration, int) ([]reference.Window, error) {
	return nil, nil
}
