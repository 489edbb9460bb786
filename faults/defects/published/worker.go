package published

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference"
)

// worker receives, claims, sends, expires and acknowledges; an error leaves the message to its
// visibility.
type worker struct {
	// expire says that who won the claim expires the hold right after sending.
	expire bool
}

func (v worker) run(ctx, accept context.Context, w *reference.Worker) error {
	for accept.Err() == nil {
		deliveries, err := w.Queue.Receive(accept, 1, w.Policy.LongPoll)
		if err != nil {
			// An error means that ctx ended, which the loop looks at next.
			_ = w.Waiter.Wait(accept, idle)
		}
		for _, d := range deliveries {
			if err := v.handle(ctx, w, d); err == nil {
				_ = w.Queue.Ack(ctx, d) // it comes back, and the claim is lost
			}
		}
	}
	return context.Cause(accept)
}

func (v worker) handle(ctx context.Context, w *reference.Worker, d reference.Delivery) error {
	m, err := reference.DecodeMessage(d.Payload)
	if err != nil {
		return err
	}
	if m.Kind == reference.Expire {
		_, _, err := w.Store.Expire(ctx, m.Window, d.MessageID)
		return err
	}
	token := w.Tokens.NewToken()
	for _, route := range w.Routes {
		won, err := send(ctx, w, route, m, token, d.MessageID)
		if err != nil || !won {
			return err
		}
	}
	if v.expire {
		_, _, err = w.Store.Expire(ctx, m.Window, d.MessageID)
	}
	return err
}

// send reminds on one channel, and says whether the claim was won.
func send(ctx context.Context, w *reference.Worker, route reference.Route, m reference.Message, token reference.Token, id string) (bool, error) {
	r := reference.Reminder{Window: m.Window, Channel: route.Channel}
	claim, err := w.Store.Claim(ctx, reference.ClaimRequest{Reminder: r, Token: token, MessageID: id, Lease: w.Policy.Lease})
	if err != nil || claim.Answer != reference.Granted {
		return false, err
	}
	receipt, err := route.Sender.Send(ctx, reference.Notice{
		Reminder: r, Attempt: token, Learner: m.Learner, Section: m.Section, Zone: m.Zone,
		StartBy: reference.StartWithin(w.Clock.Now(), 24*time.Hour), Timeout: w.Policy.SendTimeout,
	})
	if err != nil {
		return true, err
	}
	_, err = w.Store.Settle(ctx, reference.Settlement{
		Reminder: r, Token: token, Outcome: reference.Outcome{Verdict: reference.Sent}, MessageID: id, ProviderRef: receipt.Ref,
	})
	return true, err
}
