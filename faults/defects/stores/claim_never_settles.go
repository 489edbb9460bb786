package stores

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var claimNeverSettles = defect.Defect{
	Name:    "claim-never-settles-after-a-crash",
	Mistake: "A claim has no lease: what its worker leaves open stays claimed for good",
	Seen:    "a claim that is a one-way door: https://github.com/namuh-eng/opensend/pull/662",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			if f.Row != nil && f.Row.Lapsed(f.Now) && f.Row.Token != q.Token {
				return reference.Claim{Answer: reference.Busy, Wait: 5 * time.Second}, nil
			}
			return q.Decide(f)
		},
	}),
}
