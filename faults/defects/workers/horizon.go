package workers

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var retakePastTheKeysHorizon = defect.Defect{
	Name:    "retake-past-the-keys-horizon",
	Mistake: "A provider that honours keys is believed to remember them for ever",
	Seen:    "whoever reads that keys are honoured, and not for how long",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return endless{s} })
	}),
}

type endless struct{ reference.Sender }

func (s endless) KeyHorizon() time.Duration {
	if s.Sender.KeyHorizon() == 0 {
		return 0
	}
	return ages
}
