package reference

import (
	"context"
	"slices"
	"time"
)

const (
	owedMax   = 1000             // settlements that a slot keeps while it goes on with other messages
	owedPause = 20 * time.Second // between askings for what is owed
)

// owed are settlements that the store could not be brought to record. What the provider did can't be
// found out a second time, so they are kept until they are recorded or the process ends; but asked for
// between messages, so that one reminder's trouble doesn't keep the slot from all others.
type owed struct {
	settlements []Settlement
	// failed is when the store failed last, by the process clock.
	failed time.Time
}

// due says that the store may be asked again.
func (o *owed) due(since time.Duration) bool { return len(o.settlements) > 0 && since >= owedPause }

// owe keeps a settlement, unless there are too many: then the slot has to wait for it.
func (w *Worker) owe(s Settlement) bool {
	if len(w.owed.settlements) >= owedMax {
		return false
	}
	w.owed.settlements = append(w.owed.settlements, s)
	w.owed.failed = w.Clock.Now()
	return true
}

// pay asks for what is owed, if it is time, until the store fails again or other messages have waited
// for long enough. What failed goes to the end.
func (w *Worker) pay(ctx context.Context) {
	began := w.Clock.Now()
	for ctx.Err() == nil && w.owed.due(w.Clock.Since(w.owed.failed)) && w.Clock.Since(began) < w.patience() {
		s := w.owed.settlements[0]
		w.owed.settlements = w.owed.settlements[1:]
		if _, err := w.settle(ctx, s); err != nil {
			w.owe(s)
		}
	}
}

// paid asks for what is owed for one reminder, and says whether nothing is any more: a slot that owes
// an outcome must not ask for a claim as if it knew none.
func (w *Worker) paid(ctx context.Context, r Reminder) bool {
	i := slices.IndexFunc(w.owed.settlements, func(s Settlement) bool {
		return s.Reminder.Hold == r.Hold && s.Reminder.Channel == r.Channel && s.Reminder.ExpiresAt.Equal(r.ExpiresAt)
	})
	if i < 0 {
		return true
	}
	_, err := w.settle(ctx, w.owed.settlements[i])
	if err == nil {
		w.owed.settlements = slices.Delete(w.owed.settlements, i, i+1)
	}
	return err == nil
}

// payAll asks for what is owed until nothing is, or ctx ends.
func (w *Worker) payAll(ctx context.Context) {
	for failures := 1; len(w.owed.settlements) > 0 && ctx.Err() == nil; failures++ {
		w.owed.failed = time.Time{}
		if w.pay(ctx); len(w.owed.settlements) > 0 {
			w.pause(ctx, "owed", failures)
		}
	}
}

// settle asks once, and says what came of it.
func (w *Worker) settle(ctx context.Context, s Settlement) (answer SettleAnswer, err error) {
	asked := w.Clock.Now()
	err = w.once(ctx, func(ctx context.Context) (err error) {
		answer, err = w.Store.Settle(ctx, s)
		return err
	})
	observe(w.Observer, Observation{
		Point: "worker.settle", Window: s.Reminder.Window, Channel: s.Reminder.Channel, MessageID: s.MessageID, Token: s.Token,
		Answer: string(answer), Took: w.Clock.Since(asked), Err: err,
	})
	return answer, err
}
