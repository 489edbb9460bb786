package stores

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var expireUnguarded = defect.Defect{
	Name:    "expire-unguarded",
	Mistake: "Expiring is an update by the hold's id alone, whatever state it is in",
	Seen:    "stock put back twice, by two paths: https://github.com/woocommerce/woocommerce/issues/22489",
	New: defect.Deciding(defect.Decisions{
		Expired: func(reference.Window, reference.Hold, []reference.Row, time.Time) (reference.Expiry, time.Duration) {
			return reference.ExpiredNow, 0
		},
		Dropped: defect.AsReference,
	}),
}
