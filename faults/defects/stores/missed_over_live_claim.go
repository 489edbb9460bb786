package stores

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var missedWrittenOverALiveClaim = defect.Defect{
	Name:    "missed-written-over-a-live-claim",
	Mistake: "Expiring a hold records every reminder that has no outcome as missed, also one that somebody is sending",
	Seen:    "whoever closes a case and all that belongs to it in one update",
	New: defect.Deciding(defect.Decisions{
		Expired: func(w reference.Window, h reference.Hold, _ []reference.Row, now time.Time) (reference.Expiry, time.Duration) {
			return reference.DecideExpiry(w, &h, now)
		},
		Dropped: func(reference.Row, time.Time) bool { return true },
	}),
}
