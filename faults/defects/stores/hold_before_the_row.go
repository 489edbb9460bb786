package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var holdBeforeTheRow = defect.Defect{
	Name:    "hold-looked-at-before-the-row",
	Mistake: "A hold that is over ends the matter, and what was begun on its row stays open",
	Seen:    "rows stuck in sending: https://github.com/hexclave/hexclave/pull/1356",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			if claim := byHold(q, f); claim.Answer != reference.Granted {
				return claim, nil
			}
			return q.Decide(f)
		},
	}),
}

// byHold is what is answered if the row isn't looked at.
func byHold(q reference.ClaimRequest, f reference.Facts) reference.Claim {
	f.Row = nil
	claim, _ := q.Decide(f)
	return claim
}

var ownRepeatReReadsTheHold = defect.Defect{
	Name:    "own-repeat-re-reads-the-hold",
	Mistake: "Asked again after a lost reply, a claim of one's own is judged anew by the hold, and leaves its row behind",
	Seen:    "whoever makes every check anew on every retry",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			if claim := byHold(q, f); f.Row != nil && f.Row.Token == q.Token && claim.Answer != reference.Granted {
				return claim, nil
			}
			return q.Decide(f)
		},
	}),
}

var noSuchHoldBeforeTheRow = defect.Defect{
	Name:    "no-such-hold-before-the-row",
	Mistake: "The hold is selected where it is held in this window, and none found means that there is no such hold, before the row is looked at",
	Seen:    "a worker that can't find the row it was told of: https://github.com/excid3/noticed/pull/576",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			if f.Hold == nil || f.Hold.State != reference.Held || !f.Hold.ExpiresAt.Equal(q.Reminder.ExpiresAt) {
				return reference.Claim{Answer: reference.NoHold}, nil
			}
			return q.Decide(f)
		},
	}),
}
