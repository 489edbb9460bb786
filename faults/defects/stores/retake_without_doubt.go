package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var retakeWithoutDoubt = defect.Defect{
	Name:    "retake-without-doubt",
	Mistake: "Who takes over a lapsed claim forgets that the first attempt may have been accepted",
	Seen:    "locks that know their holder and not their history",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			claim, row := q.Decide(f)
			if claim.Answer == reference.Granted && row != nil {
				claim.Doubt, row.Doubt = "", ""
			}
			return claim, row
		},
	}),
}
