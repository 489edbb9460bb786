package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// pair is the model and Postgres, with one clock.
type pair struct {
	clock *hand
	store struct {
		model  *memory.Store
		actual *Store
	}
	queue struct {
		model  *memory.Queue
		actual *Queue
	}
	deliveries []deliveries
}

// deliveries are what the two handed over for one another.
type deliveries struct{ model, actual reference.Delivery }

func newPair(t *rapid.T, db *sql.DB) *pair {
	p := &pair{clock: &hand{start}}
	p.store.model, p.store.actual = memory.NewStore(p.clock.now), NewStore(db, WithNow(p.clock.now))
	p.queue.model = memory.NewQueue(p.clock.now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 2})
	p.queue.actual = NewQueue(db, QueueConfig{Visibility: time.Minute, MaxReceives: 2}, WithNow(p.clock.now))
	if err := p.store.actual.Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	return p
}

// sameAnswer fails t unless the model and Postgres answered the same.
func sameAnswer[T any](t *rapid.T, what string, model T, modelErr error, actual T, realErr error) {
	if d := cmp.Diff(model, actual); d != "" {
		t.Errorf("%s (-model +postgres)\n%s", what, d)
	}
	if fmt.Sprint(modelErr) != fmt.Sprint(realErr) {
		t.Errorf("%s: the model says %v, Postgres %v", what, modelErr, realErr)
	}
}

// both asks the two stores the same.
func both[T any](t *rapid.T, p *pair, what string, ask func(s reference.SweepStore, w reference.WorkerStore, h reference.HoldStore) (T, error)) {
	model, modelErr := ask(p.store.model, p.store.model, p.store.model)
	actual, realErr := ask(p.store.actual, p.store.actual, p.store.actual)
	sameAnswer(t, what, model, modelErr, actual, realErr)
}

func ask(t *rapid.T, p *pair, what string, question func(h reference.HoldStore) error) {
	both(t, p, what, func(_ reference.SweepStore, _ reference.WorkerStore, h reference.HoldStore) (int, error) {
		return 0, question(h)
	})
}

// What operations are drawn from: few of each, so that they meet.
var (
	drawHold    = rapid.SampledFrom([]reference.HoldID{"a", "B", "é"})
	drawEnd     = rapid.SampledFrom([]time.Time{start.Add(4 * time.Minute), start.Add(5 * time.Minute), start.Add(10 * time.Minute)})
	drawToken   = rapid.SampledFrom([]reference.Token{"t1", "t2", "t3"})
	drawChannel = rapid.SampledFrom(reference.Channels)
	drawStep    = rapid.SampledFrom([]time.Duration{time.Microsecond, time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute})
	drawWait    = rapid.SampledFrom([]time.Duration{0, time.Microsecond, time.Second, time.Minute})
	drawOutcome = rapid.SampledFrom([]reference.Outcome{
		{Verdict: reference.Sent}, {Verdict: reference.Dropped, Reason: reference.Rejected}, {Verdict: reference.Dropped, Reason: reference.Throttled},
		{Verdict: reference.Dropped, Reason: reference.Stalled}, {Verdict: reference.Unknown, Reason: reference.Timeout},
	})
	drawChannels = rapid.SampledFrom([][]reference.Channel{reference.Channels, {reference.Email}, {reference.SMS}})
	drawKey      = rapid.SampledFrom([]string{"", "k1", "k2", "k3"})
)

func drawWindow(t *rapid.T) reference.Window {
	return reference.Window{Hold: drawHold.Draw(t, "hold"), ExpiresAt: drawEnd.Draw(t, "end")}
}

func drawReminder(t *rapid.T) reference.Reminder {
	return reference.Reminder{Window: drawWindow(t), Channel: drawChannel.Draw(t, "channel")}
}

var ctx = context.Background()

func (p *pair) holdActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"create": func(t *rapid.T) {
			w := drawWindow(t)
			h := reference.Hold{ID: w.Hold, Learner: "l", Section: "s", ExpiresAt: w.ExpiresAt, Zone: "UTC", Channels: drawChannels.Draw(t, "channels")}
			ask(t, p, "create", func(s reference.HoldStore) error { return s.Create(ctx, h) })
		},
		"confirm": func(t *rapid.T) {
			id := drawHold.Draw(t, "hold")
			ask(t, p, "confirm", func(s reference.HoldStore) error { return s.Confirm(ctx, id) })
		},
		"cancel": func(t *rapid.T) {
			id := drawHold.Draw(t, "hold")
			ask(t, p, "cancel", func(s reference.HoldStore) error { return s.Cancel(ctx, id) })
		},
		"extend": func(t *rapid.T) {
			w, to := drawWindow(t), drawEnd.Draw(t, "to")
			ask(t, p, "extend", func(s reference.HoldStore) error { return s.Extend(ctx, w, to) })
		},
		"get": func(t *rapid.T) {
			id := drawHold.Draw(t, "hold")
			both(t, p, "get", func(_ reference.SweepStore, _ reference.WorkerStore, s reference.HoldStore) (reference.Hold, error) {
				return s.Get(ctx, id)
			})
		},
	}
}

func (p *pair) workerActions() map[string]func(*rapid.T) {
	claim := func(t *rapid.T) {
		q := claimOf(drawReminder(t), drawToken.Draw(t, "token"))
		q.Order = rapid.SampledFrom([]reference.Order{reference.ClaimFirst, reference.SendFirst}).Draw(t, "order")
		q.KeyHorizon = rapid.SampledFrom([]time.Duration{0, 2 * time.Minute, time.Hour}).Draw(t, "horizon")
		both(t, p, "claim", func(_ reference.SweepStore, w reference.WorkerStore, _ reference.HoldStore) (reference.Claim, error) {
			return w.Claim(ctx, q)
		})
	}
	return map[string]func(*rapid.T){
		"claim": claim, "claim-again": claim, // twice as often
		"settle": func(t *rapid.T) {
			s := reference.Settlement{
				Reminder: drawReminder(t), Token: drawToken.Draw(t, "token"), Outcome: drawOutcome.Draw(t, "outcome"), MessageID: "7", ProviderRef: "p",
			}
			both(t, p, "settle", func(_ reference.SweepStore, w reference.WorkerStore, _ reference.HoldStore) (reference.SettleAnswer, error) {
				return w.Settle(ctx, s)
			})
		},
		"release": func(t *rapid.T) {
			r := reference.Release{
				Reminder: drawReminder(t), Token: drawToken.Draw(t, "token"), After: drawWait.Draw(t, "after"),
				Doubt: rapid.SampledFrom([]reference.Reason{"", reference.Timeout}).Draw(t, "doubt"),
			}
			both(t, p, "release", func(_ reference.SweepStore, w reference.WorkerStore, _ reference.HoldStore) (int, error) {
				return 0, w.Release(ctx, r)
			})
		},
		"expire": func(t *rapid.T) {
			w := drawWindow(t)
			both(t, p, "expire", func(_ reference.SweepStore, s reference.WorkerStore, _ reference.HoldStore) (string, error) {
				answer, wait, err := s.Expire(ctx, w, "9")
				return fmt.Sprint(answer, wait), err
			})
		},
	}
}

func (p *pair) sweepActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"due": func(t *rapid.T) {
			q := reference.DueQuery{
				Kind: rapid.SampledFrom([]reference.Kind{reference.Remind, reference.Expire}).Draw(t, "kind"),
				Lead: policy.Lead, Cutoff: policy.Cutoff, Limit: rapid.IntRange(1, 4).Draw(t, "limit"),
			}
			if rapid.Bool().Draw(t, "next page") {
				q.After = drawWindow(t)
			}
			both(t, p, "due", func(s reference.SweepStore, _ reference.WorkerStore, _ reference.HoldStore) ([]reference.Nomination, error) {
				return s.Due(ctx, q)
			})
		},
		"expire-overdue": func(t *rapid.T) {
			age, limit := drawStep.Draw(t, "age"), rapid.IntRange(1, 2).Draw(t, "limit")
			both(t, p, "expire overdue", func(s reference.SweepStore, _ reference.WorkerStore, _ reference.HoldStore) ([]reference.Window, error) {
				return s.ExpireOverdue(ctx, age, limit)
			})
		},
		"record-sweep": func(t *rapid.T) {
			r := reference.Report{ID: drawToken.Draw(t, "id"), Pages: rapid.IntRange(0, 9).Draw(t, "pages"), Drained: true}
			both(t, p, "record sweep", func(s reference.SweepStore, _ reference.WorkerStore, _ reference.HoldStore) (int, error) {
				return 0, s.RecordSweep(ctx, r)
			})
		},
		"time-passes": func(t *rapid.T) { p.clock.Time = p.clock.Add(drawStep.Draw(t, "step")) },
	}
}

func (p *pair) queueActions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"publish": func(t *rapid.T) {
			entries := rapid.SliceOfN(rapid.Custom(drawEntry), 0, 4).Draw(t, "entries")
			model, modelErr := p.queue.model.Publish(ctx, entries)
			actual, realErr := p.queue.actual.Publish(ctx, entries)
			sameAnswer(t, "publish", fmt.Sprint(model), modelErr, fmt.Sprint(actual), realErr)
		},
		"receive": func(t *rapid.T) {
			max := rapid.IntRange(1, 3).Draw(t, "max")
			model, modelErr := p.queue.model.Receive(ctx, max, 0)
			actual, realErr := p.queue.actual.Receive(ctx, max, 0)
			if len(model) == len(actual) {
				for i := range model {
					p.deliveries = append(p.deliveries, deliveries{model[i], actual[i]})
					model[i].Receipt, actual[i].Receipt = "", ""
				}
			}
			sameAnswer(t, "receive", model, modelErr, actual, realErr)
		},
		"ack": func(t *rapid.T) {
			d := p.drawDelivery(t)
			sameAnswer(t, "ack", 0, p.queue.model.Ack(ctx, d.model), 0, p.queue.actual.Ack(ctx, d.actual))
		},
		"nack": func(t *rapid.T) {
			d, after := p.drawDelivery(t), drawWait.Draw(t, "after")
			sameAnswer(t, "nack", 0, p.queue.model.Nack(ctx, d.model, after), 0, p.queue.actual.Nack(ctx, d.actual, after))
		},
		"dead-letter": func(t *rapid.T) {
			d := p.drawDelivery(t)
			sameAnswer(t, "dead-letter", 0, p.queue.model.DeadLetter(ctx, d.model, "why"), 0, p.queue.actual.DeadLetter(ctx, d.actual, "why"))
		},
		"list": func(t *rapid.T) {
			after := rapid.SampledFrom([]string{"", "1", "2", "nothing"}).Draw(t, "after")
			model, modelErr := p.queue.model.List(ctx, after, 2)
			actual, realErr := p.queue.actual.List(ctx, after, 2)
			sameAnswer(t, "list", model, modelErr, actual, realErr)
		},
		"redrive": func(t *rapid.T) {
			ids := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "3", "4", "x", "01"}), 0, 3).Draw(t, "ids")
			model, modelErr := p.queue.model.Redrive(ctx, ids)
			actual, realErr := p.queue.actual.Redrive(ctx, ids)
			sameAnswer(t, "redrive", model, modelErr, actual, realErr)
		},
	}
}

func drawEntry(t *rapid.T) reference.Entry {
	return reference.Entry{
		Key: drawKey.Draw(t, "key"), Payload: []byte(rapid.SampledFrom([]string{"1", "2"}).Draw(t, "payload")),
		Delay: rapid.SampledFrom([]time.Duration{0, time.Second, -1, reference.DelayMax + 1}).Draw(t, "delay"),
	}
}

// drawDelivery gives a hand-over of before, or one that never was.
func (p *pair) drawDelivery(t *rapid.T) deliveries {
	if len(p.deliveries) == 0 {
		never := reference.Delivery{MessageID: "1", Receipt: "never"}
		return deliveries{never, never}
	}
	return p.deliveries[rapid.IntRange(0, len(p.deliveries)-1).Draw(t, "delivery")]
}

// check compares all that the two keep.
func (p *pair) check(t *rapid.T) {
	holds, rows, err := p.store.actual.Snapshot(ctx)
	modelHolds, modelRows := p.store.model.Snapshot()
	sameAnswer(t, "holds", modelHolds, nil, holds, err)
	sameAnswer(t, "rows", modelRows, nil, rows, err)
	sweeps, err := p.store.actual.Sweeps(ctx)
	sameAnswer(t, "sweeps", p.store.model.Sweeps(), nil, sweeps, err)
	stats, err := p.queue.actual.Stats(ctx)
	sameAnswer(t, "stats", QueueStats(p.queue.model.Stats()), nil, stats, err)
	next, there, err := p.queue.actual.NextVisible(ctx)
	modelNext, modelThere := p.queue.model.NextVisible()
	sameAnswer(t, "next visible", fmt.Sprint(modelNext, modelThere), nil, fmt.Sprint(next, there), err)
}

// TestSameAsTheModel does random operations on the model and on Postgres: same answers, and the same
// kept after each.
func TestSameAsTheModel(t *testing.T) {
	db := migrated(t)
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, db)
		actions := map[string]func(*rapid.T){"": p.check}
		for _, of := range []map[string]func(*rapid.T){p.holdActions(), p.workerActions(), p.sweepActions(), p.queueActions()} {
			for name, action := range of {
				actions[name] = action
			}
		}
		t.Repeat(actions)
		model, actual := p.queue.model.Purge(), 0
		actual, err := p.queue.actual.Purge(ctx)
		sameAnswer(t, "purge", model, nil, actual, err)
	})
}
