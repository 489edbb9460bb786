package sweeps

import (
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var renominationSlowerThanTheDueSpan = defect.Defect{
	Name:    "renomination-slower-than-the-due-span",
	Mistake: "A window's key changes only when its cut-off has passed, too late for a message that was lost",
	Seen:    "a retry interval that nobody compared with the deadline",
	New:     defect.Sweeper(func(s *reference.Sweeper) { s.Policy.Renominate = 2 * s.Policy.Lead }),
}
