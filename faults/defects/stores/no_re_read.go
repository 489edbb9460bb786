package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var noReRead = defect.Defect{
	Name:    "no-re-read",
	Mistake: "The worker believes the message, and doesn't look at what has become of the hold since",
	Seen:    "reminders of bookings that were cancelled or moved: https://github.com/calcom/cal.diy/pull/6991",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			f.Hold = asInMessage(q, f.Hold)
			return q.Decide(f)
		},
	}),
}

// asInMessage is the hold as it was when the message was published.
func asInMessage(q reference.ClaimRequest, h *reference.Hold) *reference.Hold {
	if h == nil {
		return nil // a row needs its hold
	}
	then := *h
	then.State, then.ExpiresAt = reference.Held, q.Reminder.ExpiresAt
	return &then
}
