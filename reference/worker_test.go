package reference_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

func granted() []claimAnswer {
	return []claimAnswer{{claim: reference.Claim{Answer: reference.Granted, LeaseLeft: policy.Lease, TimeLeft: cutoff.Sub(between)}}}
}

func says(a reference.Answer, wait time.Duration) []claimAnswer {
	return []claimAnswer{{claim: reference.Claim{Answer: a, Wait: wait}}}
}

// settledAlready is what the sms of a case is, that is about email.
func settledAlready() []claimAnswer { return says(reference.Settled, 0) }

// handleCase is what the ports answer to the handling of one message, and the calls it makes.
type handleCase struct {
	name  string
	setup func(*bench)
	want  []string
}

func runRemind(t *testing.T, cases []handleCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, ctx := newBench(t)
			b.claims[reference.Email], b.claims[reference.SMS] = granted(), settledAlready()
			c.setup(b)
			b.worker.Handle(ctx, delivery(t, reference.Remind))
			if d := cmp.Diff(c.want, b.log); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
		})
	}
}

func TestRemindByClaim(t *testing.T) {
	answered := func(name string, email, sms []claimAnswer, want ...string) handleCase {
		return handleCase{name, func(b *bench) { b.claims[reference.Email], b.claims[reference.SMS] = email, sms },
			append([]string{"claim email t1", "claim sms t2"}, want...)}
	}
	runRemind(t, []handleCase{
		{"both-granted", func(b *bench) { b.claims[reference.SMS] = granted() }, []string{
			"claim email t1", "send email t1", "settle email t1 sent", "claim sms t2", "send sms t2", "settle sms t2 sent", "ack m1"}},
		{"one-granted-one-busy", func(b *bench) { b.claims[reference.SMS] = says(reference.Busy, 7*time.Second) }, []string{
			"claim email t1", "send email t1", "settle email t1 sent", "claim sms t2", "nack m1 7s"}},
		{"one-busy-one-granted", func(b *bench) {
			b.claims[reference.Email], b.claims[reference.SMS] = says(reference.Busy, 7*time.Second), granted()
		},
			[]string{"claim email t1", "claim sms t2", "send sms t2", "settle sms t2 sent", "nack m1 7s"}},
		answered("settled", settledAlready(), settledAlready(), "ack m1"),
		answered("settled-here", says(reference.SettledHere, 0), settledAlready(), "ack m1"),
		answered("closed", says(reference.Closed, 0), says(reference.Closed, 0), "ack m1"),
		answered("late", says(reference.Late, 0), says(reference.Late, 0), "ack m1"),
		answered("early", says(reference.Early, time.Hour), says(reference.Early, time.Hour), "nack m1 1h0m0s"),
		answered("ahead", says(reference.Ahead, 0), says(reference.Ahead, 0), "nack m1 5s"),
		answered("busy-for-no-time-at-all", says(reference.Busy, 0), settledAlready(), "nack m1 1ms"),
		answered("shortest-wait-first", says(reference.Busy, 3*time.Second), says(reference.Busy, 9*time.Second), "nack m1 3s"),
		answered("shortest-wait-last", says(reference.Busy, 9*time.Second), says(reference.Busy, 3*time.Second), "nack m1 3s"),
		answered("settled-and-busy", settledAlready(), says(reference.Busy, 9*time.Second), "nack m1 9s"),
		{"no-hold", func(b *bench) { b.claims[reference.Email] = says(reference.NoHold, 0) },
			[]string{"claim email t1", "dead-letter m1 remind h1@2026-03-02T12:10:00Z: no such hold"}},
		{"unknown-answer", func(b *bench) { b.claims[reference.Email] = says("perhaps", 0) }, []string{"claim email t1", "nack m1 5s"}},
		{"no-route", func(b *bench) { b.worker.Routes = nil }, []string{"ack m1"}},
	})
}

func TestRemindWhenTheStoreIsUncertain(t *testing.T) {
	lost := claimAnswer{err: errLost}
	settled := func(answers ...settleAnswer) func(*bench) { return func(b *bench) { b.settles = answers } }
	sent := func(calls ...string) []string {
		return append([]string{"claim email t1", "send email t1", "settle email t1 sent"}, calls...)
	}
	runRemind(t, []handleCase{
		{"claim-asked-again-with-its-token", func(b *bench) { b.claims[reference.Email] = append([]claimAnswer{lost, lost}, granted()...) },
			[]string{"claim email t1", "wait", "claim email t1", "wait", "claim email t1", "send email t1", "settle email t1 sent", "claim sms t2", "ack m1"}},
		{"claim-uncertain-to-the-end-is-released", func(b *bench) { b.claims[reference.Email] = []claimAnswer{lost} },
			[]string{"claim email t1", "wait", "claim email t1", "wait", "claim email t1", "release email t1 after=0s doubt=", "claim sms t2", "nack m1 5s"}},
		{"claim-locked-is-not-asked-again", func(b *bench) { b.claims[reference.Email] = []claimAnswer{{err: wrapped(reference.ErrLocked)}} },
			[]string{"claim email t1", "release email t1 after=0s doubt=", "claim sms t2", "nack m1 5s"}},
		{"claim-uncertain-then-locked", func(b *bench) { b.claims[reference.Email] = []claimAnswer{lost, {err: wrapped(reference.ErrLocked)}} },
			[]string{"claim email t1", "wait", "claim email t1", "release email t1 after=0s doubt=", "claim sms t2", "nack m1 5s"}},
		{"release-uncertain-to-the-end-is-left-to-the-lease", func(b *bench) { b.claims[reference.Email], b.releases = []claimAnswer{lost}, []error{errLost} },
			[]string{"claim email t1", "wait", "claim email t1", "wait", "claim email t1",
				"release email t1 after=0s doubt=", "wait", "release email t1 after=0s doubt=", "wait", "release email t1 after=0s doubt=",
				"claim sms t2", "nack m1 5s"}},
		{"settle-asked-until-recorded", settled(settleAnswer{err: errLost}, settleAnswer{err: errLost}, settleAnswer{err: errLost}, settleAnswer{err: errLost}, settleAnswer{answer: reference.Recorded}),
			sent("wait", "settle email t1 sent", "wait", "settle email t1 sent", "wait", "settle email t1 sent", "wait", "settle email t1 sent", "claim sms t2", "ack m1")},
		{"settled-already", settled(settleAnswer{answer: reference.AlreadyFinal}), sent("claim sms t2", "ack m1")},
		{"settled-for-no-hold", settled(settleAnswer{answer: reference.Gone}), sent("claim sms t2", "ack m1")},
		{"settled-by-another", settled(settleAnswer{answer: reference.NotYours}), sent("claim sms t2", "nack m1 5s")},
	})
}

func TestRemindBySend(t *testing.T) {
	left := cutoff.Sub(between)
	answered := func(a sendAnswer) func(*bench) { return func(b *bench) { b.sends = []sendAnswer{a} } }
	with := func(order reference.Order, horizon time.Duration) func(*bench) {
		return func(b *bench) {
			b.sends, b.worker.Policy.Order, b.horizon = []sendAnswer{{err: errLost}}, order, horizon
		}
	}
	throttled := func(after, took time.Duration) func(*bench) {
		return answered(sendAnswer{took: took, err: &reference.NotAcceptedError{After: after, Err: errLost}})
	}
	passed, rejected := wrapped(reference.ErrStartPassed), wrapped(reference.ErrRejected)
	settles := func(outcome string) []string {
		return []string{"claim email t1", "send email t1", "settle email t1 " + outcome, "claim sms t2", "ack m1"}
	}
	releases := func(how, wait string) []string {
		return []string{"claim email t1", "send email t1", "release email t1 " + how, "claim sms t2", "nack m1 " + wait}
	}
	farOff := func(b *bench) {
		throttled(48*time.Hour, 0)(b)
		b.claims[reference.Email][0].claim.TimeLeft = 30 * time.Hour
	}
	runRemind(t, []handleCase{
		{"accepted", answered(sendAnswer{}), settles("sent")},
		{"accepted-late", answered(sendAnswer{took: time.Hour}), settles("sent")},
		{"rejected", answered(sendAnswer{err: rejected}), settles("dropped(rejected)")},
		{"rejected-with-keys-and-send-first", func(b *bench) { with(reference.SendFirst, 24*time.Hour)(b); answered(sendAnswer{err: rejected})(b) }, settles("dropped(rejected)")},
		{"start-passed-before-the-cut-off", answered(sendAnswer{took: left - tick, err: passed}), releases("after=0s doubt=", "5s")},
		{"start-passed-at-the-cut-off", answered(sendAnswer{took: left, err: passed}), settles("dropped(stalled)")},
		{"unknown-claim-first", with(reference.ClaimFirst, 0), settles("unknown(timeout)")},
		{"unknown-claim-first-with-keys", with(reference.ClaimFirst, 24*time.Hour), releases("after=0s doubt=timeout", "5s")},
		{"unknown-send-first", with(reference.SendFirst, 0), releases("after=0s doubt=timeout", "5s")},
		{"unknown-send-first-with-keys", with(reference.SendFirst, 24*time.Hour), releases("after=0s doubt=timeout", "5s")},
		{"not-accepted-without-a-wait", throttled(0, 0), releases("after=5s doubt=", "5s")},
		{"not-accepted-with-an-absurd-wait", throttled(-time.Hour, 0), releases("after=5s doubt=", "5s")},
		{"not-accepted-and-fits", throttled(30*time.Second, 0), releases("after=30s doubt=", "30s")},
		{"not-accepted-and-just-fits", throttled(left-time.Second-tick, time.Second), releases("after=1m28.999999s doubt=", "1m28.999999s")},
		{"not-accepted-and-just-fits-not", throttled(left-time.Second, time.Second), settles("dropped(throttled)")},
		{"not-accepted-past-the-cut-off", throttled(0, left), settles("dropped(throttled)")},
		{"not-accepted-for-two-days-is-capped", farOff, releases("after=24h0m0s doubt=", "24h0m0s")},
		{"not-accepted-send-first-with-keys", func(b *bench) { with(reference.SendFirst, 24*time.Hour)(b); throttled(30*time.Second, 0)(b) }, releases("after=30s doubt=", "30s")},
	})
}

func wrapped(err error) error { return errors.Join(errors.New("send"), err) }

// TestStartByIsTheLeastOfThree, and counts from just before the asking that was answered.
func TestStartByIsTheLeastOfThree(t *testing.T) {
	for _, c := range []struct {
		name        string
		lease, time time.Duration
		want        time.Duration
	}{
		{"send-timeout", 20 * time.Second, time.Minute, policy.SendTimeout},
		{"lease", 3 * time.Second, time.Minute, 3 * time.Second},
		{"cut-off", 20 * time.Second, 2 * time.Second, 2 * time.Second},
		{"lapsed", -time.Second, time.Minute, -time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, ctx := newBench(t)
			claim := reference.Claim{Answer: reference.Granted, LeaseLeft: c.lease, TimeLeft: c.time}
			b.claims[reference.Email] = []claimAnswer{{took: 5 * time.Second, err: errLost}, {claim: claim, took: time.Second}}
			b.claims[reference.SMS] = settledAlready()
			b.worker.Handle(ctx, delivery(t, reference.Remind))
			asked := b.now.Add(-time.Second)
			if by := b.notice.StartBy; by.Passed(asked.Add(c.want-1)) || !by.Passed(asked.Add(c.want)) {
				t.Errorf("the call is not to be started by %s after the asking", c.want)
			}
			want := reference.Notice{Reminder: email, Attempt: "t1", Learner: "l1", Section: "s1", Zone: "UTC", StartBy: b.notice.StartBy, Timeout: policy.SendTimeout}
			if b.notice != want {
				t.Errorf("notice is %+v, want %+v", b.notice, want)
			}
		})
	}
}

func TestExpire(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []expiryAnswer
		want    []string
	}{
		{"expired", []expiryAnswer{{answer: reference.ExpiredNow}}, []string{"expire h1 m1", "ack m1"}},
		{"done", []expiryAnswer{{answer: reference.ExpiryDone}}, []string{"expire h1 m1", "ack m1"}},
		{"too-early", []expiryAnswer{{answer: reference.ExpiryEarly, wait: 3 * time.Second}}, []string{"expire h1 m1", "nack m1 3s"}},
		{"ahead", []expiryAnswer{{answer: reference.ExpiryAhead}}, []string{"expire h1 m1", "nack m1 5s"}},
		{"uncertain-once", []expiryAnswer{{err: errLost}, {answer: reference.ExpiryDone}}, []string{"expire h1 m1", "wait", "expire h1 m1", "ack m1"}},
		{"locked", []expiryAnswer{{err: wrapped(reference.ErrLocked)}}, []string{"expire h1 m1", "nack m1 5s"}},
		{"uncertain-to-the-end", []expiryAnswer{{err: errLost}}, []string{"expire h1 m1", "wait", "expire h1 m1", "wait", "expire h1 m1", "nack m1 5s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, ctx := newBench(t)
			b.expiries = c.answers
			b.worker.Handle(ctx, delivery(t, reference.Expire))
			if d := cmp.Diff(c.want, b.log); d != "" {
				t.Errorf("calls (-want +got):\n%s", d)
			}
		})
	}
}

// TestComesBackLater: what the store's trouble sends back comes back later each time, up to half a minute.
func TestComesBackLater(t *testing.T) {
	var got []string
	for receives := range 7 {
		b, ctx := newBench(t)
		b.expiries = []expiryAnswer{{answer: reference.ExpiryAhead}}
		d := delivery(t, reference.Expire)
		d.Receives = receives
		b.worker.Handle(ctx, d)
		got = append(got, strings.TrimPrefix(b.log[len(b.log)-1], "nack m1 "))
	}
	if d := cmp.Diff([]string{"5s", "5s", "10s", "20s", "30s", "30s", "30s"}, got); d != "" {
		t.Errorf("waits after 0, 1, 2, … receives (-want +got):\n%s", d)
	}
}

func TestPoisonIsDeadLettered(t *testing.T) {
	b, ctx := newBench(t)
	b.worker.Handle(ctx, reference.Delivery{MessageID: "m1", Payload: []byte("poison")})
	if len(b.log) != 1 || !strings.HasPrefix(b.log[0], "dead-letter m1 not a message: ") {
		t.Errorf("calls are %q, want a dead letter with its reason", b.log)
	}
}

type panicking struct{ *bench }

func (p panicking) Send(context.Context, reference.Notice) (reference.Receipt, error) {
	panic("out of paper")
}

// TestPanicComesBack: the message comes back, and the process goes on.
func TestPanicComesBack(t *testing.T) {
	b, ctx := newBench(t)
	b.claims[reference.Email] = granted()
	b.worker.Routes[0].Sender = panicking{b}
	b.worker.Handle(ctx, delivery(t, reference.Remind))
	if d := cmp.Diff([]string{"claim email t1", "nack m1 5s"}, b.log); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	if !slices.ContainsFunc(b.observed, func(o reference.Observation) bool {
		return o.Point == "worker.panic" && o.MessageID == "m1" && o.Err.Error() == "panic: out of paper"
	}) {
		t.Errorf("observed is %+v, want the panic among it", b.observed)
	}
}
