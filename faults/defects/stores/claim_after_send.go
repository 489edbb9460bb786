package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var claimAfterSend = defect.Defect{
	Name:    "claim-after-send-under-claim-first",
	Mistake: "The worker looks whether there is a row, sends, and only then writes one",
	Seen:    "a mark that a fallible step keeps from being made sends again: https://directflow.io/blog/sms-incident-postmortem",
	New: defect.Deciding(defect.Decisions{
		Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
			claim, row := q.Decide(f)
			if claim.Answer == reference.Granted {
				row = nil
			}
			return claim, row
		},
		Settled: settleUnclaimed,
	}),
}
