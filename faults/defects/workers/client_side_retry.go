package workers

import (
	"context"
	"errors"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var clientSideRetryInsideTheSender = defect.Defect{
	Name:    "client-side-retry-inside-the-sender",
	Mistake: "The provider's client asks up to three times before it gives an error",
	Seen:    "a retry loop without an idempotency token: https://github.com/michaelkourlas/voipms-sms-client/issues/105",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return retrying{s, w.Clock, 3, nobodyKnows} })
	}),
}

var httpClientThatRetriesByItself = defect.Defect{
	Name:    "http-client-that-retries-by-itself",
	Mistake: "The key goes to a provider that ignores it, and makes the HTTP client repeat the call when its connection breaks",
	Seen:    "net/http repeats a POST that carries Idempotency-Key",
	New: defect.Worker(func(w *reference.Worker) {
		defect.Senders(w, func(s reference.Sender) reference.Sender { return retrying{s, w.Clock, 2, connectionBroke} })
	}),
}

// connectionBroke is every end of a call without an answer, but for the caller's own timeout.
func connectionBroke(err error) bool {
	return nobodyKnows(err) && !errors.Is(err, context.DeadlineExceeded)
}

// retrying makes the same call a number of times, at any time.
type retrying struct {
	reference.Sender
	clock clock.Clock
	times int
	again func(error) bool
}

func (s retrying) Send(ctx context.Context, n reference.Notice) (receipt reference.Receipt, err error) {
	for try := 1; try <= s.times && ctx.Err() == nil; try++ {
		if receipt, err = s.Sender.Send(ctx, n); !s.again(err) {
			break
		}
		n.StartBy = reference.StartWithin(s.clock.Now(), n.Timeout)
	}
	return receipt, errors.Join(err, ctx.Err())
}
