package stores

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var releaseThatDeletes = defect.Defect{
	Name:    "release-that-deletes",
	Mistake: "Giving a claim back deletes its row, and with it what is known of the attempt",
	Seen:    "the usual way to free a lock",
	New: defect.Deciding(defect.Decisions{
		Released: func(r reference.Release, row reference.Row, now time.Time) *reference.Row {
			if _, applies := r.Apply(row, now); applies {
				return nil
			}
			return &row
		},
	}),
}

var releaseWithoutTheToken = defect.Defect{
	Name:    "release-without-the-token",
	Mistake: "Giving back a claim that one doesn't have frees whoever has it",
	Seen:    "a lock freed by who lost it: https://github.com/OptimalBits/bull/issues/308",
	New: defect.Deciding(defect.Decisions{
		Released: func(r reference.Release, row reference.Row, now time.Time) *reference.Row {
			r.Token = row.Token
			row, _ = r.Apply(row, now)
			return &row
		},
	}),
}
