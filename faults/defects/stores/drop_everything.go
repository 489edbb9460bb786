package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var dropEverything = defect.Defect{
	Name:    "drop-everything",
	Mistake: "Every reminder is properly recorded as missed, and none is sent",
	Seen:    "whoever optimises for never sending twice",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			claim, row := q.Decide(f)
			if claim.Answer != reference.Granted || row == nil {
				return claim, row
			}
			row.Outcome, row.SettledAt = row.Abandoned(), f.Now
			return reference.Claim{Answer: reference.SettledHere, Outcome: row.Outcome}, row
		},
	}),
}
