package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var zeroRowsTakenForALostClaim = defect.Defect{
	Name:    "zero-rows-taken-for-a-lost-claim",
	Mistake: "A claim that inserted nothing was somebody else's, though the driver ran one's own statement twice",
	Seen:    "one Exec, two executions, no error: https://github.com/lib/pq/issues/939",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			if f.Row != nil && f.Row.Token == q.Token {
				q.Token += ", which is taken for another's"
			}
			return q.Decide(f)
		},
	}),
}
