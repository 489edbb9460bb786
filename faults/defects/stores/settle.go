package stores

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var settleByKey = defect.Defect{
	Name:    "settle-by-key",
	Mistake: "An outcome is written by the reminder's key, over a claim that somebody else has by now",
	Seen:    "a job's second completion: https://github.com/taskforcesh/bullmq/issues/439",
	New: defect.Deciding(defect.Decisions{
		Settled: func(s reference.Settlement, f reference.Facts) (reference.SettleAnswer, *reference.Row) {
			if f.Row != nil {
				s.Token = f.Row.Token
			}
			return s.DecideSettle(f)
		},
	}),
}

var lateSentTiedToTheToken = defect.Defect{
	Name:    "late-sent-tied-to-the-token",
	Mistake: "A receipt that comes after the lease was taken over is thrown away",
	Seen:    "fencing where there is nothing left to fence",
	New: defect.Deciding(defect.Decisions{
		Settled: func(s reference.Settlement, f reference.Facts) (reference.SettleAnswer, *reference.Row) {
			switch {
			case f.Row == nil || f.Row.Open() && f.Row.Token != s.Token:
				return reference.NotYours, nil
			case !f.Row.Open():
				return reference.AlreadyFinal, nil
			}
			return s.DecideSettle(f)
		},
	}),
}
