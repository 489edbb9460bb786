package reference_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
)

// errLost is an answer that nobody has.
var errLost = errors.New("connection lost")

// hand is a clock that a test turns by hand. What a test doesn't expect to be called isn't there.
type hand struct {
	clock.Clock
	now time.Time
}

func (h *hand) Now() time.Time                  { return h.now }
func (h *hand) Since(t time.Time) time.Duration { return h.now.Sub(t) }
func (h *hand) pass(d time.Duration)            { h.now = h.now.Add(d) }
func (h *hand) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	return until{ctx, h, h.now.Add(d)}, cancel
}

// until is a context that ends when the hand gets there.
type until struct {
	context.Context
	hand *hand
	at   time.Time
}

func (u until) Err() error {
	if err := u.Context.Err(); err != nil || u.hand.now.Before(u.at) {
		return err
	}
	return context.DeadlineExceeded
}

// bench is a worker with everything that it needs, all of it fake; log has its calls in order.
type bench struct {
	*hand
	t      *testing.T
	worker reference.Worker
	log    []string
	tokens int
	// The answers to come, in order; when they are used up, the last one is given again.
	claims   map[reference.Channel][]claimAnswer
	sends    []sendAnswer
	settles  []settleAnswer
	releases []error
	expiries []expiryAnswer
	horizon  time.Duration
	// notice is the last one sent.
	notice reference.Notice
	// cancel ends the worker's context.
	cancel   context.CancelFunc
	observed []reference.Observation
}

type (
	claimAnswer struct {
		claim reference.Claim
		took  time.Duration
		err   error
	}
	sendAnswer struct {
		took time.Duration
		err  error
	}
	settleAnswer struct {
		answer reference.SettleAnswer
		err    error
	}
	expiryAnswer struct {
		answer reference.Expiry
		wait   time.Duration
		err    error
	}
)

// next takes the first of some answers, and leaves the last one.
func next[T any](b *bench, what string, answers *[]T) T {
	if len(*answers) == 0 {
		b.t.Fatalf("%s: no answer is left; until here: %q", what, b.log)
	}
	first := (*answers)[0]
	if len(*answers) > 1 {
		*answers = (*answers)[1:]
	}
	return first
}

func newBench(t *testing.T) (*bench, context.Context) {
	ctx, cancel := context.WithCancel(t.Context())
	b := &bench{
		hand: &hand{now: between}, t: t, cancel: cancel,
		claims:  map[reference.Channel][]claimAnswer{},
		sends:   []sendAnswer{{}},
		settles: []settleAnswer{{answer: reference.Recorded}}, releases: []error{nil},
	}
	b.worker = reference.Worker{
		Store: b, Queue: queue{b}, Clock: b.hand, Waiter: b, Tokens: b, Policy: policy, Observer: b,
		Routes: []reference.Route{{Channel: reference.Email, Sender: b}, {Channel: reference.SMS, Sender: b}},
	}
	return b, ctx
}

func (b *bench) note(format string, args ...any) { b.log = append(b.log, fmt.Sprintf(format, args...)) }

func (b *bench) NewToken() reference.Token {
	b.tokens++
	return reference.Token(fmt.Sprintf("t%d", b.tokens))
}

func (b *bench) Observe(o reference.Observation) { b.observed = append(b.observed, o) }

func (b *bench) Wait(ctx context.Context, d time.Duration) error {
	b.note("wait")
	b.pass(d)
	return ctx.Err()
}

func (b *bench) Claim(_ context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	b.note("claim %s %s", q.Reminder.Channel, q.Token)
	answers := b.claims[q.Reminder.Channel]
	a := next(b, "claim", &answers)
	b.claims[q.Reminder.Channel] = answers
	b.pass(a.took)
	return a.claim, a.err
}

func (b *bench) Settle(_ context.Context, s reference.Settlement) (reference.SettleAnswer, error) {
	b.note("settle %s %s %s", s.Reminder.Channel, s.Token, s.Outcome)
	a := next(b, "settle", &b.settles)
	return a.answer, a.err
}

func (b *bench) Release(_ context.Context, r reference.Release) error {
	b.note("release %s %s after=%s doubt=%s", r.Reminder.Channel, r.Token, r.After, r.Doubt)
	return next(b, "release", &b.releases)
}

func (b *bench) Expire(_ context.Context, w reference.Window, messageID string) (reference.Expiry, time.Duration, error) {
	b.note("expire %s %s", w.Hold, messageID)
	a := next(b, "expire", &b.expiries)
	return a.answer, a.wait, a.err
}

func (b *bench) Send(_ context.Context, n reference.Notice) (reference.Receipt, error) {
	b.note("send %s %s", n.Reminder.Channel, n.Attempt)
	b.notice = n
	a := next(b, "send", &b.sends)
	b.pass(a.took)
	return reference.Receipt{Ref: "p1"}, a.err
}

func (b *bench) KeyHorizon() time.Duration { return b.horizon }

// queue is the bench's Consumer.
type queue struct{ *bench }

func (q queue) Receive(context.Context, int, time.Duration) ([]reference.Delivery, error) {
	q.t.Fatal("receive was not expected")
	return nil, nil
}

func (q queue) Ack(_ context.Context, d reference.Delivery) error {
	q.note("ack %s", d.MessageID)
	return nil
}

func (q queue) Nack(_ context.Context, d reference.Delivery, after time.Duration) error {
	q.note("nack %s %s", d.MessageID, after)
	return nil
}

func (q queue) DeadLetter(_ context.Context, d reference.Delivery, reason string) error {
	q.note("dead-letter %s %s", d.MessageID, reason)
	return nil
}

// delivery is a message of kind about window, as m1.
func delivery(t *testing.T, kind reference.Kind) reference.Delivery {
	t.Helper()
	payload, err := reference.Message{Kind: kind, Window: window, Learner: "l1", Section: "s1", Zone: "UTC"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return reference.Delivery{MessageID: "m1", Receipt: "r1", Payload: payload, Receives: 1}
}
