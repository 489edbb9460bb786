package reference_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// receiver answers a worker's Receive, one answer after the other, and then ends its context.
type receiver struct {
	queue
	answers []func() ([]reference.Delivery, error)
}

func (r *receiver) Receive(ctx context.Context, limit int, wait time.Duration) ([]reference.Delivery, error) {
	r.note("receive %d %s", limit, wait)
	if len(r.answers) == 0 {
		r.cancel()
		return nil, ctx.Err()
	}
	answer := r.answers[0]
	r.answers = r.answers[1:]
	return answer()
}

func TestRunUntilItsContextEnds(t *testing.T) {
	b, ctx := newBench(t)
	b.expiries = []expiryAnswer{{answer: reference.ExpiredNow}}
	nothing := func() ([]reference.Delivery, error) { return nil, nil }
	lost := func() ([]reference.Delivery, error) { return nil, errLost }
	one := func() ([]reference.Delivery, error) { return []reference.Delivery{delivery(t, reference.Expire)}, nil }
	b.worker.Queue = &receiver{queue{b}, []func() ([]reference.Delivery, error){nothing, one, lost, lost, one}}
	if err := b.worker.Run(ctx, ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("run ended with %v, want %v", err, context.Canceled)
	}
	const receive = "receive 1 20s"
	want := []string{
		receive, receive, "expire h1 m1", "ack m1", receive, "wait", receive, "wait", receive, "expire h1 m1", "ack m1", receive,
	}
	if d := cmp.Diff(want, b.log); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

// A worker that is told to take no more handles what it has, to the end.
func TestRunUntilItAcceptsNoMore(t *testing.T) {
	b, ctx := newBench(t)
	b.expiries = []expiryAnswer{{answer: reference.ExpiredNow}}
	accept, stop := context.WithCancel(ctx)
	last := func() ([]reference.Delivery, error) {
		stop()
		return []reference.Delivery{delivery(t, reference.Expire)}, nil
	}
	b.worker.Queue = &receiver{queue{b}, []func() ([]reference.Delivery, error){last}}
	if err := b.worker.Run(ctx, accept); !errors.Is(err, context.Canceled) {
		t.Errorf("run ended with %v, want %v", err, context.Canceled)
	}
	if d := cmp.Diff([]string{"receive 1 20s", "expire h1 m1", "ack m1"}, b.log); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	if ctx.Err() != nil {
		t.Errorf("the worker's own context ended: %v", ctx.Err())
	}
}

// ending ends the worker's context in the middle of a call.
type ending struct {
	*bench
	at string
}

func (e ending) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	defer e.end("claim")
	return e.bench.Claim(ctx, q)
}

func (e ending) Settle(ctx context.Context, s reference.Settlement) (reference.SettleAnswer, error) {
	defer e.end("settle")
	return e.bench.Settle(ctx, s)
}

func (e ending) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	defer e.end("send")
	return e.bench.Send(ctx, n)
}

func (e ending) end(at string) {
	if e.at == at {
		e.cancel()
	}
}

// TestNothingFollowsTheEnd: once its context is over, a worker neither records nor acknowledges.
func TestNothingFollowsTheEnd(t *testing.T) {
	for _, c := range []struct {
		name, at string
		setup    func(*bench)
		want     []string
	}{
		{"claim-lost", "claim", func(b *bench) { b.claims[reference.Email] = []claimAnswer{{err: errLost}} }, []string{"claim email t1"}},
		{"send-accepted", "send", func(*bench) {}, []string{"claim email t1", "send email t1"}},
		{"send-lost", "send", func(b *bench) { b.sends = []sendAnswer{{err: errLost}} }, []string{"claim email t1", "send email t1"}},
		{"settle-lost", "settle", func(b *bench) { b.settles = []settleAnswer{{err: errLost}} }, []string{"claim email t1", "send email t1", "settle email t1 sent", "wait"}},
		{"settle-recorded", "settle", func(*bench) {}, []string{"claim email t1", "send email t1", "settle email t1 sent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, ctx := newBench(t)
			b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
			c.setup(b)
			e := ending{b, c.at}
			b.worker.Store, b.worker.Routes[0].Sender = e, e
			b.worker.Handle(ctx, delivery(t, reference.Remind))
			if d := cmp.Diff(c.want, b.log); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
		})
	}
}

// lengths keeps how long a worker was told to wait.
type lengths struct {
	*bench
	waits []time.Duration
}

func (l *lengths) Wait(_ context.Context, d time.Duration) error {
	l.waits = append(l.waits, d)
	return nil
}

// TestBackoff doubles from 200ms to 5s, less up to a quarter that differs from token to token.
func TestBackoff(t *testing.T) {
	first := map[time.Duration]bool{}
	for i := range 10 {
		b, ctx := newBench(t)
		b.tokens = 10 * i
		l := &lengths{bench: b}
		b.worker.Waiter = l
		b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
		b.settles = nil
		for range 20 {
			b.settles = append(b.settles, settleAnswer{err: errLost})
		}
		b.settles = append(b.settles, settleAnswer{answer: reference.Recorded})
		b.worker.Handle(ctx, delivery(t, reference.Remind))
		most := 200 * time.Millisecond
		for n, d := range l.waits {
			if d > most || d <= most*3/4 {
				t.Errorf("wait %d is %s, want more than %s and at most %s", n+1, d, most*3/4, most)
			}
			most = min(2*most, 5*time.Second)
		}
		if len(l.waits) != 20 {
			t.Fatalf("waited %d times, want 20", len(l.waits))
		}
		first[l.waits[0]] = true
	}
	if len(first) < 5 {
		t.Errorf("%d different waits of 10 workers, want most of them different", len(first))
	}
}

// TestReceiveBackoffBeginsAgain: a success ends the row of failures.
func TestReceiveBackoffBeginsAgain(t *testing.T) {
	b, ctx := newBench(t)
	b.expiries = []expiryAnswer{{answer: reference.ExpiredNow}}
	l := &lengths{bench: b}
	b.worker.Waiter = l
	lost := func() ([]reference.Delivery, error) { return nil, errLost }
	one := func() ([]reference.Delivery, error) {
		return []reference.Delivery{delivery(t, reference.Expire)}, nil
	}
	b.worker.Queue = &receiver{queue{b}, []func() ([]reference.Delivery, error){lost, lost, lost, one, lost}}
	_ = b.worker.Run(ctx, ctx)
	if len(l.waits) != 4 || l.waits[3] != l.waits[0] {
		t.Errorf("waits are %v, want the fourth as long as the first", l.waits)
	}
}
