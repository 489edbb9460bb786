package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
	"github.com/seathold/seathold/reference/process"
)

// bench is a worker over memory with one watched slot, and a clock that stands still.
type bench struct {
	t        *testing.T
	now      time.Time
	registry *prometheus.Registry
	log      bytes.Buffer
	store    *memory.Store
	queue    *memory.Queue
	worker   *reference.Worker
	watched  *Worker
}

// senderFunc is a Sender that honours no keys.
type senderFunc func(reference.Notice) (reference.Receipt, error)

func (f senderFunc) Send(_ context.Context, n reference.Notice) (reference.Receipt, error) {
	return f(n)
}

func (senderFunc) KeyHorizon() time.Duration { return 0 }

func newBench(t *testing.T, send senderFunc) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), registry: prometheus.NewRegistry()}
	now := func() time.Time { return b.now }
	b.store = memory.NewStore(now)
	b.queue = memory.NewQueue(now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 3})
	b.watched = NewWorker(b.registry, NewLogger(&b.log, "holdworker", "info", []string{"hunter22"}), ledger{b.store}, now)
	slot := b.watched.Slot(b.queue, b.store, 1)
	clk := clock.NewMock()
	clk.Set(b.now)
	b.worker = &reference.Worker{
		Store: slot, Queue: slot, Routes: []reference.Route{{Channel: reference.Email, Sender: send}}, Clock: clk,
		Waiter: process.ClockWaiter{Clock: clk}, Tokens: process.RandomTokens{}, Policy: reference.DefaultPolicy(), Observer: slot,
	}
	return b
}

// ledger reads memory.
type ledger struct{ *memory.Store }

func (ledger) Dropped(context.Context, []reference.Window, string) ([]Dropped, error) {
	return []Dropped{{reference.SMS, reference.Missed, 2}}, nil
}

func (ledger) LastSweep(context.Context) (SweepOnRecord, bool, error) {
	return SweepOnRecord{}, false, nil
}

// hold creates a hold that ends in a while, and publishes a message about it.
func (b *bench) hold(id reference.HoldID, kind reference.Kind, left time.Duration) reference.Window {
	b.t.Helper()
	h := reference.Hold{
		ID: id, Learner: "learner-1", Section: "s", State: reference.Held, Channels: []reference.Channel{reference.Email}, ExpiresAt: b.now.Add(left),
	}
	if err := b.store.Create(b.t.Context(), h); err != nil {
		b.t.Fatal(err)
	}
	payload, err := reference.Message{Kind: kind, Window: h.Window(), Learner: h.Learner, Section: h.Section}.Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	b.publish(payload)
	return h.Window()
}

func (b *bench) publish(payload []byte) {
	b.t.Helper()
	if _, err := b.queue.Publish(b.t.Context(), []reference.Entry{{Payload: payload}}); err != nil {
		b.t.Fatal(err)
	}
}

// work handles what is visible.
func (b *bench) work() {
	b.t.Helper()
	for range 10 {
		got, err := b.worker.Queue.Receive(b.t.Context(), 1, 0)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, d := range got {
			b.worker.Handle(b.t.Context(), d)
		}
	}
}

// counted are the series that are not zero, without those that count seconds.
func (b *bench) counted() []string {
	b.t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			value := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			if value != 0 {
				out = append(out, fmt.Sprintf("%s(%s) %v", strings.TrimPrefix(f.GetName(), "seathold_"), strings.Join(labels, ","), value))
			}
		}
	}
	return out
}

func (b *bench) want(want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.counted()); diff != "" {
		b.t.Errorf("(-want +got)\n%s\n%s", diff, b.log.String())
	}
}

func accept(reference.Notice) (reference.Receipt, error) { return reference.Receipt{Ref: "r"}, nil }

func TestSlotCountsASend(t *testing.T) {
	b := newBench(t, accept)
	b.hold("h", reference.Remind, 2*time.Minute)
	b.work()
	b.want(
		"claims_total(granted,email) 1", "deliveries_total(false) 1", "messages_handled_total(ack) 1",
		"nudge_lateness_seconds(email) 1", "outcomes_total(email,sent,) 1", "slots() 1",
	)
}

func TestSlotCountsAnExpiry(t *testing.T) {
	b := newBench(t, accept)
	b.hold("h", reference.Expire, -time.Minute)
	b.work()
	b.want(
		"deliveries_total(false) 1", "expiries_total(expired) 1", "expiry_lateness_seconds() 1",
		"messages_handled_total(ack) 1", "outcomes_total(sms,dropped,missed) 2", "slots() 1",
	)
}

// TestSlotCountsAPanic shows that one message's panic doesn't touch the next, and is set aside when
// it has been received often enough.
func TestSlotCountsAPanic(t *testing.T) {
	b := newBench(t, func(n reference.Notice) (reference.Receipt, error) {
		if n.Reminder.Hold == "bad" {
			panic("with hunter22 in it")
		}
		return accept(n)
	})
	b.hold("bad", reference.Remind, 3*time.Minute)
	b.hold("good", reference.Remind, 2*time.Minute)
	b.work()
	b.want(
		"claims_total(granted,email) 2", "deliveries_total(false) 2", "messages_handled_total(ack) 1", "messages_handled_total(nack) 1",
		"nudge_lateness_seconds(email) 2", "outcomes_total(email,sent,) 1", "panics_total() 1", "slots() 1",
	)
	if log := b.log.String(); strings.Contains(log, "hunter22") || !strings.Contains(log, `"msg":"worker.panic","program":"holdworker","slot":1,"hold":"bad"`) {
		t.Errorf("the log shows a secret, or no panic:\n%s", log)
	}
}

func TestSlotCountsWhatDoubtMakesOfADrop(t *testing.T) {
	b := newBench(t, func(reference.Notice) (reference.Receipt, error) {
		return reference.Receipt{}, reference.ErrRejected
	})
	w := b.hold("h", reference.Remind, 3*time.Minute)
	b.worker.Policy.Order = reference.SendFirst
	// A worker that died: its lease ends, and another takes the reminder up, in doubt.
	r := reference.Reminder{Window: w, Channel: reference.Email}
	p := b.worker.Policy
	_, err := b.store.Claim(t.Context(), reference.ClaimRequest{Reminder: r, Token: "dead", Lead: p.Lead, Cutoff: p.Cutoff, Lease: p.Lease, Order: p.Order})
	if err != nil {
		t.Fatal(err)
	}
	b.work()
	b.now = b.now.Add(time.Minute)
	b.work()
	b.want(
		"claims_total(busy,email) 1", "claims_total(granted,email) 1", "deliveries_total(false) 1", "deliveries_total(true) 1",
		"lapses_total(email) 1", "messages_handled_total(ack) 1", "messages_handled_total(nack) 1",
		"nudge_lateness_seconds(email) 1", "outcomes_total(email,unknown,lapsed) 1", "slots() 1",
	)
	if log := b.log.String(); !strings.Contains(log, `"doubt":"lapsed"`) || !strings.Contains(log, `"outcome":"unknown(lapsed)"`) {
		t.Errorf("the log has neither doubt nor outcome:\n%s", log)
	}
}

// forgetful takes no outcome of one hold until it is told to.
type forgetful struct {
	reference.WorkerStore
	on     reference.HoldID
	failed int
	mended bool
}

func (f *forgetful) Settle(ctx context.Context, s reference.Settlement) (reference.SettleAnswer, error) {
	if s.Reminder.Hold == f.on && !f.mended {
		f.failed++
		return "", errors.New("no space left")
	}
	return f.WorkerStore.Settle(ctx, s)
}

// wake is a Waiter that lets its clock pass at once.
type wake struct{ *clock.Mock }

func (w wake) Wait(ctx context.Context, d time.Duration) error {
	w.Add(d)
	return ctx.Err()
}

// TestSlotCountsWhatIsOwed as what it was when it was claimed, whatever the slot has done since, and
// logs it about its own window.
func TestSlotCountsWhatIsOwed(t *testing.T) {
	refuse := map[reference.HoldID]bool{"bad": true}
	b := newBench(t, func(n reference.Notice) (reference.Receipt, error) {
		if refuse[n.Reminder.Hold] {
			return reference.Receipt{}, reference.ErrRejected
		}
		return reference.Receipt{Ref: "r"}, nil
	})
	store := &forgetful{WorkerStore: b.store, on: "bad"}
	slot := b.watched.Slot(b.queue, store, 2)
	clk := clock.NewMock()
	clk.Set(b.now)
	b.worker.Store, b.worker.Queue, b.worker.Observer, b.worker.Clock, b.worker.Waiter = slot, slot, slot, clk, wake{clk}
	b.hold("bad", reference.Remind, 3*time.Minute)
	b.hold("good", reference.Remind, 3*time.Minute)
	accept, over := context.WithCancel(t.Context())
	b.worker.Queue = &until{Slot: slot, left: 3, store: store, over: over}
	_ = b.worker.Run(t.Context(), accept)
	b.want(
		"claims_total(granted,email) 2", "deliveries_total(false) 2", "messages_handled_total(ack) 1", "messages_handled_total(nack) 1",
		"nudge_lateness_seconds(email) 2", "outcomes_total(email,dropped,rejected) 1", "outcomes_total(email,sent,) 1",
		fmt.Sprintf("port_errors_total(worker.settle) %d", store.failed), "slots() 2",
	)
	last := ""
	for _, line := range strings.Split(b.log.String(), "\n") {
		if strings.Contains(line, `"worker.settle"`) {
			last = line
		}
	}
	for _, want := range []string{`"hold":"bad"`, `"outcome":"dropped(rejected)"`, `"answer":"recorded"`, `"message":"1"`} {
		if !strings.Contains(last, want) {
			t.Errorf("the log's last settlement has no %s: %s", want, last)
		}
	}
}

// until mends the store when it was asked for so many messages, and then ends the worker.
type until struct {
	*Slot
	left  int
	store *forgetful
	over  func()
}

func (u *until) Receive(ctx context.Context, limit int, wait time.Duration) ([]reference.Delivery, error) {
	if u.left--; u.left == 0 {
		u.store.mended = true
		u.over()
		return nil, nil
	}
	return u.Slot.Receive(ctx, limit, wait)
}

func TestSlotCountsDeadLettersAndSendsAfterAChange(t *testing.T) {
	var b *bench
	b = newBench(t, func(n reference.Notice) (reference.Receipt, error) {
		return reference.Receipt{}, b.store.Cancel(context.Background(), n.Reminder.Hold)
	})
	b.publish([]byte("no message"))
	payload, err := reference.Message{Kind: reference.Remind, Window: reference.Window{Hold: "gone", ExpiresAt: b.now.Add(time.Minute)}, Learner: "l", Section: "s"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	b.publish(payload)
	b.hold("h", reference.Remind, 2*time.Minute)
	b.work()
	b.want(
		"claims_total(granted,email) 1", "claims_total(no-hold,email) 1",
		"dead_letters_total(no-hold) 1", "dead_letters_total(not-a-message) 1", "deliveries_total(false) 3",
		"messages_handled_total(ack) 1", "messages_handled_total(dead-letter) 2", "nudge_lateness_seconds(email) 1",
		"outcomes_total(email,sent,) 1", "sends_after_change_total(email) 1", "slots() 1",
	)
}

func TestExchangesAreCounted(t *testing.T) {
	b := newBench(t, accept)
	b.watched.Exchanged(Exchange{Channel: reference.SMS, Class: "unknown", Took: time.Second, ZoneUnknown: true})
	b.watched.Exchanged(Exchange{Channel: reference.SMS, Class: "not-accepted", Paused: true})
	b.watched.Exchanged(Exchange{Channel: reference.SMS, Class: "too-late"})
	b.want(
		"provider_answers_total(too-late,sms) 1", "provider_answers_total(unknown,sms) 1", "provider_pauses_total(sms) 1",
		"provider_seconds(sms) 1", "slots() 1", "unknown_zones_total() 1",
	)
}

func TestLogCutsSecretsOut(t *testing.T) {
	var out bytes.Buffer
	log := NewLogger(&out, "holdsweep", "info", []string{"hunter22", "abc"})
	log.Info("hunter22", "text", "x hunter22 abc", "error", &url.Error{Op: "Post", URL: "https://h/?key=hunter22", Err: errors.New("no")})
	log.With("more", "hunter22").Error("x", "dsn", fmt.Errorf("dial: %w", errors.New("hunter22")))
	if got := out.String(); strings.Contains(got, "hunter22") || !strings.Contains(got, "x [secret] abc") || strings.Count(got, "\n") != 2 {
		t.Errorf("the log is\n%s", got)
	}
}

func TestReady(t *testing.T) {
	var r Ready
	if r.Err() == nil {
		t.Error("ready before anybody looked")
	}
	for i, c := range []struct {
		err  error
		news bool
	}{{errors.New("down"), true}, {errors.New("down still"), false}, {nil, true}, {nil, false}, {errors.New("down"), true}, {nil, true}} {
		if news := r.Set(c.err); news != c.news || (r.Err() == nil) != (c.err == nil) {
			t.Errorf("look %d: news %t and ready %t, want %t and %t", i, news, r.Err() == nil, c.news, c.err == nil)
		}
	}
	r.Leave()
	if r.Err() == nil {
		t.Error("ready on the way out")
	}
}
