package reference_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// inbox gives some deliveries one by one, then nothing so often, and then ends accept.
type inbox struct {
	queue
	all   []reference.Delivery
	empty int
	over  context.CancelFunc
}

func (i *inbox) Receive(_ context.Context, _ int, wait time.Duration) ([]reference.Delivery, error) {
	if len(i.all) == 0 {
		i.note("look for %s", wait)
		if i.empty--; i.empty <= 0 {
			i.over()
		}
		return nil, nil
	}
	d := i.all[0]
	i.all = i.all[1:]
	return []reference.Delivery{d}, nil
}

// folded leaves out waits, and counts what is the same: how often exactly is a matter of backoff.
func folded(log []string) []string {
	var kept []string
	for _, l := range log {
		if l != "wait" && (len(kept) == 0 || kept[len(kept)-1] != l) {
			kept = append(kept, l)
		}
	}
	return kept
}

func runInbox(t *testing.T, failures, empty int) (*bench, error) {
	b, ctx := newBench(t)
	accept, over := context.WithCancel(ctx)
	t.Cleanup(over)
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	b.expiries = []expiryAnswer{{answer: reference.ExpiredNow}}
	b.settles = nil
	for range failures {
		b.settles = append(b.settles, settleAnswer{err: errLost})
	}
	b.settles = append(b.settles, settleAnswer{answer: reference.Recorded})
	b.worker.Queue = &inbox{queue{b}, []reference.Delivery{delivery(t, reference.Remind), delivery(t, reference.Expire)}, empty, over}
	return b, b.worker.Run(ctx, accept)
}

// TestOwed: an outcome that can't be recorded keeps its slot for a while only. It is asked for between
// other messages, and before the worker ends.
func TestOwed(t *testing.T) {
	begins := []string{"claim email t1", "send email t1", "settle email t1 sent", "claim sms t2", "nack m1 1m0s", "expire h1 m1", "ack m1"}
	const first = 8 // askings until it is owed
	for _, c := range []struct {
		name            string
		failures, empty int
		want            []string
	}{
		{"recorded-in-between", first, 6, []string{"look for 0s", "settle email t1 sent", "look for 20s"}},
		{"recorded-later", first + 1, 10, []string{"look for 0s", "settle email t1 sent", "look for 0s", "settle email t1 sent", "look for 20s"}},
		{"recorded-when-the-worker-ends", first + 3, 1, []string{"look for 0s", "settle email t1 sent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := runInbox(t, c.failures, c.empty)
			if err == nil {
				t.Error("run ended without a reason")
			}
			if d := cmp.Diff(append(begins[:len(begins):len(begins)], c.want...), folded(b.log)); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
			if len(b.settles) != 1 {
				t.Errorf("%d askings are left; want the outcome recorded", len(b.settles)-1)
			}
		})
	}
}

// TestOwedByToken: what was owed by token and is another's by now is forgotten.
func TestOwedByToken(t *testing.T) {
	b, ctx := newBench(t)
	accept, over := context.WithCancel(ctx)
	defer over()
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	b.sends = []sendAnswer{{err: wrapped(reference.ErrRejected)}}
	b.settles = nil
	for range 8 {
		b.settles = append(b.settles, settleAnswer{err: errLost})
	}
	b.settles = append(b.settles, settleAnswer{answer: reference.NotYours})
	b.worker.Queue = &inbox{queue{b}, []reference.Delivery{delivery(t, reference.Remind)}, 6, over}
	_ = b.worker.Run(ctx, accept)
	want := []string{"claim email t1", "send email t1", "settle email t1 dropped(rejected)", "claim sms t2", "nack m1 1m0s",
		"look for 0s", "settle email t1 dropped(rejected)", "look for 20s"}
	if d := cmp.Diff(want, folded(b.log)); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

// stuck ends a context once the settlements of one token have failed so often.
type stuck struct {
	token reference.Token
	times int
	stop  context.CancelFunc
}

func (s *stuck) Observe(o reference.Observation) {
	if o.Point == "worker.settle" && o.Token == s.token {
		if s.times--; s.times == 0 {
			s.stop()
		}
	}
}

// TestOwedAtMost: a slot that owes as much as it may waits for the store, for nothing may be lost.
func TestOwedAtMost(t *testing.T) {
	const most = 1000
	b, ctx := newBench(t)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	b.settles = []settleAnswer{{err: errLost}}
	in := &inbox{queue: queue{b}, over: func() { t.Error("the worker looked for more"); stop() }}
	in.all = deliveries(t, most+1)
	b.worker.Queue = in
	b.worker.Observer = &stuck{reference.Token(fmt.Sprintf("t%d", 2*most+1)), 100, stop}
	_ = b.worker.Run(ctx, ctx)
	if len(in.all) > 0 {
		t.Errorf("%d messages were not received: the slot stopped too soon", len(in.all))
	}
}

// slowSettle takes its time.
type slowSettle struct {
	*bench
	takes time.Duration
}

func (s slowSettle) Settle(ctx context.Context, q reference.Settlement) (reference.SettleAnswer, error) {
	s.pass(s.takes)
	return s.bench.Settle(ctx, q)
}

// TestOwedAfterTwoAskings: one asking that took long, as a stalled worker's does, is followed by another.
func TestOwedAfterTwoAskings(t *testing.T) {
	b, ctx := newBench(t)
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	b.settles = []settleAnswer{{err: errLost}, {answer: reference.Recorded}}
	b.worker.Store = slowSettle{b, time.Minute}
	b.worker.Handle(ctx, delivery(t, reference.Remind))
	if got := b.log[len(b.log)-1]; got != "ack m1" {
		t.Errorf("calls are %q, want the outcome recorded by the second asking, and the ack", b.log)
	}
}

// TestPayingIsBounded: a store that takes what is owed, but slowly, doesn't keep messages waiting.
func TestPayingIsBounded(t *testing.T) {
	const owing = 12
	b, ctx := newBench(t)
	accept, over := context.WithCancel(ctx)
	defer over()
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	b.settles = nil
	for range 2 * owing { // two failures of six seconds, and each is owed
		b.settles = append(b.settles, settleAnswer{err: errLost})
	}
	b.settles = append(b.settles, settleAnswer{answer: reference.Recorded})
	b.worker.Store = slowSettle{b, 6 * time.Second}
	b.worker.Queue = &inbox{queue: queue{b}, all: deliveries(t, owing), empty: 3 * owing, over: over}
	_ = b.worker.Run(ctx, accept)
	row, most := 0, 0
	for _, call := range b.log[slices.Index(b.log, "look for 0s"):] {
		if row++; !strings.HasPrefix(call, "settle ") {
			row = 0
		}
		most = max(most, row)
	}
	if most < 1 || most > 2 {
		t.Errorf("%d settlements of 6s in a row between receives; want up to two, which take the send timeout", most)
	}
}

// TestOwesItself: a slot that owes a reminder's outcome asks for no claim of it, but to be paid.
func TestOwesItself(t *testing.T) {
	b, ctx := newBench(t)
	accept, over := context.WithCancel(ctx)
	defer over()
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	b.settles = nil
	for range 9 { // eight until it is owed, and one more
		b.settles = append(b.settles, settleAnswer{err: errLost})
	}
	b.settles = append(b.settles, settleAnswer{answer: reference.Recorded})
	again := delivery(t, reference.Remind)
	b.worker.Queue = &inbox{queue: queue{b}, all: []reference.Delivery{again, again, again}, empty: 1, over: over}
	_ = b.worker.Run(ctx, accept)
	want := []string{
		"claim email t1", "send email t1", "settle email t1 sent", "claim sms t2", "nack m1 1m0s",
		"settle email t1 sent", "claim sms t3", "nack m1 5m0s",
		"settle email t1 sent", "claim email t4", "send email t4", "settle email t4 sent", "claim sms t5", "ack m1",
		"look for 20s",
	}
	if d := cmp.Diff(want, folded(b.log)); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

// deliveries are messages about holds of their own.
func deliveries(t *testing.T, n int) []reference.Delivery {
	t.Helper()
	var all []reference.Delivery
	for i := range n {
		w := reference.Window{Hold: reference.HoldID(fmt.Sprintf("h%d", i+1)), ExpiresAt: window.ExpiresAt}
		payload, err := reference.Message{Kind: reference.Remind, Window: w, Learner: "l1", Section: "s1", Zone: "UTC"}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, reference.Delivery{MessageID: "m1", Receipt: "r1", Payload: payload, Receives: 1})
	}
	return all
}

// endsAccept is a Waiter that ends accept.
type endsAccept struct {
	*bench
	stop context.CancelFunc
	errs []error
}

func (e *endsAccept) Wait(ctx context.Context, _ time.Duration) error {
	e.stop()
	e.errs = append(e.errs, ctx.Err())
	return ctx.Err()
}

// TestWaitsEndWithAccept: a worker that is told to take no more waits for nothing that it would do then.
func TestWaitsEndWithAccept(t *testing.T) {
	for name, setup := range map[string]func(*bench, context.CancelFunc){
		"after-an-error": func(b *bench, _ context.CancelFunc) {
			b.worker.Queue = &receiver{queue{b}, []func() ([]reference.Delivery, error){func() ([]reference.Delivery, error) { return nil, errLost }}}
		},
		"while-owing": func(b *bench, _ context.CancelFunc) {
			b.worker.Queue = &inbox{queue: queue{b}, all: []reference.Delivery{delivery(b.t, reference.Remind)}, empty: 100, over: func() {}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, ctx := newBench(t)
			accept, stop := context.WithCancel(ctx)
			defer stop()
			b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
			b.settles = nil
			for range 8 {
				b.settles = append(b.settles, settleAnswer{err: errLost})
			}
			b.settles = append(b.settles, settleAnswer{answer: reference.Recorded})
			e := &endsAccept{bench: b, stop: stop}
			setup(b, stop)
			b.worker.Waiter = waitsOnlyBetween{b, e}
			_ = b.worker.Run(ctx, accept)
			if len(e.errs) != 1 || e.errs[0] == nil {
				t.Errorf("a wait between receives ended with %v, want it to end with accept, at once", e.errs)
			}
		})
	}
}

// waitsOnlyBetween hands waits between receives to its endsAccept: the last call was a receive.
type waitsOnlyBetween struct {
	*bench
	between *endsAccept
}

func (w waitsOnlyBetween) Wait(ctx context.Context, d time.Duration) error {
	last := w.log[len(w.log)-1]
	if last == "receive 1 20s" || last == "look for 0s" {
		return w.between.Wait(ctx, d)
	}
	return w.bench.Wait(ctx, d)
}

// settlements keeps what it is asked to settle.
type settlements struct {
	*bench
	all []reference.Settlement
}

func (s *settlements) Settle(ctx context.Context, q reference.Settlement) (reference.SettleAnswer, error) {
	s.all = append(s.all, q)
	return s.bench.Settle(ctx, q)
}

// TestSettlementIsWhole: the receipt's reference reaches the store, and all else that a row says.
func TestSettlementIsWhole(t *testing.T) {
	b, ctx := newBench(t)
	b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
	s := &settlements{bench: b}
	b.worker.Store = s
	b.worker.Handle(ctx, delivery(t, reference.Remind))
	want := reference.Settlement{Reminder: email, Token: "t1", Outcome: reference.Outcome{Verdict: reference.Sent}, MessageID: "m1", ProviderRef: "p1"}
	if !slices.Equal(s.all, []reference.Settlement{want}) {
		t.Errorf("settlements are %+v, want %+v", s.all, want)
	}
}
