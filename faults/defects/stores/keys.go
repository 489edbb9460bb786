package stores

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var keyWithoutChannel = defect.Defect{
	Name:    "key-without-channel",
	Mistake: "A row is of (hold, window), so that the first channel's claim is everybody's",
	Seen:    "one task with one flag for two effects: https://github.com/gestaogovbr/Ro-dou/issues/292",
	New: keyedBy(func(_ *reference.Hold, a, b reference.Reminder) bool {
		return a.Compare(b.Window) == 0
	}),
}

var keyWithoutWindow = defect.Defect{
	Name:    "key-without-window",
	Mistake: "A row is of (hold, channel), so that who extends a hold is never reminded again",
	Seen:    "an identity that names the thing and not the occurrence: https://github.com/nats-io/nats-server/issues/2921",
	New: keyedBy(func(_ *reference.Hold, a, b reference.Reminder) bool {
		return a.Channel == b.Channel
	}),
}

var windowsThatComeBack = defect.Defect{
	Name:    "windows-that-come-back",
	Mistake: "A window is named by the learner's wall clock, which in autumn shows one hour twice",
	Seen:    "times kept without their zone: https://github.com/celery/celery/issues/10107",
	New: keyedBy(func(h *reference.Hold, a, b reference.Reminder) bool {
		return a.Channel == b.Channel && wall(h.Zone, a.ExpiresAt).Equal(wall(h.Zone, b.ExpiresAt))
	}),
}

// keyedBy is a table in which rows are the same that should not be.
func keyedBy(same func(h *reference.Hold, a, b reference.Reminder) bool) func(int) defect.Pipeline {
	return defect.Deciding(defect.Decisions{
		Find: func(h *reference.Hold, rows []reference.Row, r reference.Reminder) *reference.Row {
			for i := range rows {
				if same(h, rows[i].Reminder, r) {
					return &rows[i]
				}
			}
			return nil
		},
	})
}

// wall is what a clock on the learner's wall shows at t, taken for UTC.
func wall(zone string, t time.Time) time.Time {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return t
	}
	_, offset := t.In(place).Zone()
	return t.Add(time.Duration(offset) * time.Second)
}
