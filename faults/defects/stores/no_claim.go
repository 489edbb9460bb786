package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var noClaim = defect.Defect{
	Name:    "no-claim",
	Mistake: "Every delivery of a live hold's message is sent; nothing is claimed, and the row is written afterwards",
	Seen:    "whoever takes at-least-once for once: https://github.com/celery/celery/issues/2599",
	New:     defect.Deciding(unclaimed),
}

// unclaimed grants by the hold alone, and writes a row only for an outcome.
var unclaimed = defect.Decisions{
	Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
		f.Row = nil
		claim, _ := q.Decide(f)
		return claim, nil
	},
	Settled: settleUnclaimed,
}

func settleUnclaimed(s reference.Settlement, f reference.Facts) (reference.SettleAnswer, *reference.Row) {
	if f.Row == nil {
		f.Row = &reference.Row{Reminder: s.Reminder, Token: s.Token, FirstClaimedAt: f.Now}
	}
	return s.DecideSettle(f)
}
