package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var tokensDerivedFromTheMessage = defect.Defect{
	Name:    "tokens-derived-from-the-message",
	Mistake: "An attempt's token is the message's id, so that every delivery of it takes the claim for its own",
	Seen:    "a request id that names the request and not the attempt",
	New: defect.Worker(func(w *reference.Worker) {
		t := &messageTokens{Consumer: w.Queue}
		w.Queue, w.Tokens = t, t
	}),
}

type messageTokens struct {
	reference.Consumer
	message string
	made    int
}

func (t *messageTokens) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	deliveries, err := t.Consumer.Receive(ctx, max, wait)
	for _, d := range deliveries {
		t.message, t.made = d.MessageID, 0
	}
	return deliveries, err
}

func (t *messageTokens) NewToken() reference.Token {
	t.made++
	return reference.Token(fmt.Sprintf("%s/%d", t.message, t.made))
}
