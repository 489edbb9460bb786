package promise

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
	"github.com/seathold/seathold/sim/trace"
)

// walk makes random calls of a real store, and records each with its answer.
type walk struct {
	*story
	chance *rand.Rand
	store  *memory.Store
	tokens []reference.Token
	ends   []time.Time
}

func (w *walk) one(n int) int { return w.chance.IntN(n) }

func (w *walk) step() error {
	ctx, p := context.Background(), w.run.Setup.Policy
	window := reference.Window{Hold: reference.HoldID(fmt.Sprintf("h%d", w.one(4))), ExpiresAt: w.ends[w.one(len(w.ends))]}
	r := reference.Reminder{Window: window, Channel: reference.Channels[w.one(2)]}
	if w.one(3) == 0 {
		w.tokens = append(w.tokens, reference.Token(fmt.Sprintf("t%d", len(w.tokens))))
	}
	token := w.tokens[max(0, len(w.tokens)-1-w.one(6))]
	e := trace.Event{Who: "w1", Hold: r.Hold, Window: r.ExpiresAt, Channel: r.Channel, Token: token}
	var err error
	switch w.one(12) {
	case 0, 1, 2:
		var c reference.Claim
		c, err = w.store.Claim(ctx, reference.ClaimRequest{
			Reminder: r, Token: token, Lead: p.Lead, Cutoff: p.Cutoff, Lease: p.Lease, SendTimeout: p.SendTimeout,
			Order: []reference.Order{reference.ClaimFirst, reference.SendFirst}[w.one(2)],
		})
		e.What, e.Answer, e.Outcome, e.Doubt, e.Until = claimed, string(c.Answer), c.Outcome, c.Doubt, w.now.Add(c.LeaseLeft)
	case 3, 4:
		o := []reference.Outcome{sentOutcome, rejected, stalledPast, unknownTimeou}[w.one(4)]
		var a reference.SettleAnswer
		a, err = w.store.Settle(ctx, reference.Settlement{Reminder: r, Token: token, Outcome: o})
		e.What, e.Answer, e.Outcome = settled, string(a), o
	case 5, 6:
		rel := reference.Release{Reminder: r, Token: token, After: time.Duration(w.one(2)) * 20 * time.Second}
		if w.one(3) == 0 {
			rel.Doubt = reference.Timeout
		}
		err = w.store.Release(ctx, rel)
		e.What, e.Doubt = released, rel.Doubt
		if rel.After > 0 {
			e.Until = w.now.Add(rel.After)
		}
	case 7, 8:
		var a reference.Expiry
		a, _, err = w.store.Expire(ctx, window, "")
		e.What, e.Channel, e.Answer = expired, "", string(a)
	default:
		return w.person(window)
	}
	w.add(e)
	return err
}

func (w *walk) person(window reference.Window) error {
	ctx := context.Background()
	e := trace.Event{Who: "learner", Hold: window.Hold, Window: window.ExpiresAt}
	var err error
	switch w.one(12) {
	case 0:
		e.What, err = confirmed, w.store.Confirm(ctx, window.Hold)
	case 1:
		e.What, err = cancelled, w.store.Cancel(ctx, window.Hold)
	case 2:
		err = w.store.Create(ctx, reference.Hold{ID: window.Hold, Learner: "l", Section: "s", Zone: "UTC", ExpiresAt: window.ExpiresAt, Channels: reference.Channels})
		e.What = created
	case 3:
		windows, err := w.store.ExpireOverdue(ctx, 3*time.Minute, 1)
		for _, v := range windows {
			w.add(trace.Event{Who: "sweep#1", What: backstop, Hold: v.Hold, Window: v.ExpiresAt, Answer: "expired"})
		}
		return err
	default:
		to := w.ends[w.one(len(w.ends))]
		if !to.After(window.ExpiresAt) {
			return nil
		}
		e.What, e.Until, err = extended, to, w.store.Extend(ctx, window, to)
	}
	e.Answer = "done"
	if err != nil {
		e.Answer = "refused"
	}
	w.add(e)
	return nil
}

// TestModelHoldsWhatAStoreHolds lets the reference's store answer random calls: the model must come
// to the same tables, and find nothing wrong with what the store did to holds and outcomes.
func TestModelHoldsWhatAStoreHolds(t *testing.T) {
	for seed := range uint64(300) {
		w := &walk{story: tell(t, "h0", "h1"), chance: rand.New(rand.NewPCG(seed, 1)), tokens: []reference.Token{"t0"}}
		w.store = memory.NewStore(func() time.Time { return w.now })
		for i := range 6 {
			w.ends = append(w.ends, clock("12:10").Add(time.Duration(i)*2*time.Minute))
		}
		w.hold("h2", "12:12", reference.Held, reference.SMS)
		if err := w.store.Load(w.run.Setup.Holds, nil); err != nil {
			t.Fatal(err)
		}
		for range 250 {
			w.after(time.Duration(w.one(15_000_000)) * time.Microsecond)
			if err := w.step(); err != nil {
				t.Fatal(err)
			}
		}
		w.after(time.Second).add(trace.Event{What: trace.Ended})
		w.run.Holds, w.run.Rows = w.store.Snapshot()
		compareRows(t, seed, w.run)
		for _, v := range Check(w.run) {
			switch v.Promise {
			case "P2":
				if v.Class == tableDisagrees.Name || v.Class == replaced.Name || v.Class == noOutcome.Name {
					t.Errorf("seed %d: event %d: %s", seed, v.Seq, v.Sentence)
				}
			case "P3", "P4":
				t.Errorf("seed %d: event %d: %s", seed, v.Seq, v.Sentence)
			}
		}
	}
}

// compareRows compares the model's rows with the store's, open ones in every column.
func compareRows(t *testing.T, seed uint64, run trace.Run) {
	t.Helper()
	_, rows := tables(&run)
	model := map[reference.Reminder]reference.Row{}
	for _, r := range rows {
		model[r.Reminder] = r
	}
	if len(rows) != len(run.Rows) {
		t.Errorf("seed %d: the model has %d rows, and the store %d", seed, len(rows), len(run.Rows))
	}
	for _, want := range run.Rows {
		got := model[want.Reminder]
		if !want.LeaseUntil.After(day) {
			want.LeaseUntil = time.Time{}
		}
		if !want.NotBefore.After(day) {
			want.NotBefore = time.Time{}
		}
		open := want.Open() && (got.Token != want.Token || got.Doubt != want.Doubt || !got.LeaseUntil.Equal(want.LeaseUntil) || !got.NotBefore.Equal(want.NotBefore))
		if got.Outcome != want.Outcome || open {
			t.Errorf("seed %d: the model has %+v\nand the store %+v", seed, got, want)
		}
	}
}
