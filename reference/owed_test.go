package reference_test

import (
	"context"
	"fmt"
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
	for range most + 1 {
		in.all = append(in.all, delivery(t, reference.Remind))
	}
	b.worker.Queue = in
	b.worker.Observer = &stuck{reference.Token(fmt.Sprintf("t%d", 2*most+1)), 100, stop}
	_ = b.worker.Run(ctx, ctx)
	if len(in.all) > 0 {
		t.Errorf("%d messages were not received: the slot stopped too soon", len(in.all))
	}
}
