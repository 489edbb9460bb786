package workers

import (
	"context"
	"errors"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var blindRetryOnTimeout = defect.Defect{
	Name:    "blind-retry-on-timeout",
	Mistake: "No answer is taken for not accepted, and the message comes back for another try",
	Seen:    "one SMS, two or three on the phone: https://github.com/twilio/twilio-ruby/issues/519",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return noAnswerIsNo{s} })
	}),
}

type noAnswerIsNo struct{ reference.Sender }

func (s noAnswerIsNo) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	receipt, err := s.Sender.Send(ctx, n)
	if nobodyKnows(err) {
		err = &reference.NotAcceptedError{Err: err}
	}
	return receipt, err
}

// nobodyKnows says that err is one of those after which the provider may have accepted.
func nobodyKnows(err error) bool {
	var notAccepted *reference.NotAcceptedError
	return err != nil && !errors.Is(err, reference.ErrRejected) && !errors.Is(err, reference.ErrStartPassed) && !errors.As(err, &notAccepted)
}
