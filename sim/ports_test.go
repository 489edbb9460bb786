package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest"
	"github.com/seathold/seathold/sim/broker"
	"github.com/seathold/seathold/sim/provider"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/virtual"
)

// The simulated ports pass the suites that the production adapters pass.

var testStart = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// bare is a world without cron, workers and holds.
func bare(t *testing.T, profile string, trouble ...faults.Fault) *World {
	t.Helper()
	s := &script.Scenario{
		Name: t.Name(), Start: testStart, Seed: 1, Policy: reference.DefaultPolicy(),
		Cron:  script.Cron{Every: 1000 * time.Hour},
		Queue: script.Queue{Profile: profile, Dedup: 24 * time.Hour, Retention: 30 * 24 * time.Hour},
		Providers: []script.Provider{
			{Channel: reference.Email, Latency: 200 * time.Millisecond}, {Channel: reference.SMS, Latency: 200 * time.Millisecond},
		},
	}
	w, err := newWorld(s, Memory{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range trouble {
		w.arm(script.Step{Fault: &trouble[i]})
	}
	t.Cleanup(func() {
		w.close()
		if w.broken != nil {
			t.Error(w.broken)
		}
	})
	return w
}

// fault reads a fault as a scenario says it.
func fault(t *testing.T, line ...string) faults.Fault {
	t.Helper()
	f, err := faults.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// outside makes single calls of a port from outside the schedule, each by a process of its own, and
// lets time pass until it returns.
type outside struct {
	w *World
	n *node
}

func from(w *World, name, role string) outside { return outside{w, w.newNode(name, role)} }

func (o outside) call(t *testing.T, patience time.Duration, do func(p *process)) {
	t.Helper()
	done := false
	o.w.spawn(o.n, 0, func(p *process) {
		do(p)
		done = true
	})
	for limit := o.w.Now().Add(patience); !done; {
		next, any := o.w.Next()
		if !any || next.After(limit) {
			t.Fatalf("no reply by %s", limit)
		}
		if err := o.w.pass(next); err != nil {
			t.Fatal(err)
		}
	}
}

// outsideStores is storePort, called from outside.
type outsideStores struct {
	w *World
	t *testing.T
}

func (s outsideStores) do(ctx context.Context, call func(context.Context, storePort) error) (err error) {
	from(s.w, "w1", "worker").call(s.t, 0, func(p *process) { err = call(ctx, storePort{p}) })
	return err
}

func (s outsideStores) Due(ctx context.Context, q reference.DueQuery) (out []reference.Nomination, err error) {
	err = s.do(ctx, func(ctx context.Context, p storePort) (err error) { out, err = p.Due(ctx, q); return err })
	return out, err
}

func (s outsideStores) ExpireOverdue(ctx context.Context, age time.Duration, limit int) (out []reference.Window, err error) {
	err = s.do(ctx, func(ctx context.Context, p storePort) (err error) {
		out, err = p.ExpireOverdue(ctx, age, limit)
		return err
	})
	return out, err
}

func (s outsideStores) RecordSweep(ctx context.Context, r reference.Report) error {
	return s.do(ctx, func(ctx context.Context, p storePort) error { return p.RecordSweep(ctx, r) })
}

func (s outsideStores) Claim(ctx context.Context, q reference.ClaimRequest) (out reference.Claim, err error) {
	err = s.do(ctx, func(ctx context.Context, p storePort) (err error) { out, err = p.Claim(ctx, q); return err })
	return out, err
}

func (s outsideStores) Settle(ctx context.Context, m reference.Settlement) (out reference.SettleAnswer, err error) {
	err = s.do(ctx, func(ctx context.Context, p storePort) (err error) { out, err = p.Settle(ctx, m); return err })
	return out, err
}

func (s outsideStores) Release(ctx context.Context, r reference.Release) error {
	return s.do(ctx, func(ctx context.Context, p storePort) error { return p.Release(ctx, r) })
}

func (s outsideStores) Expire(ctx context.Context, w reference.Window, id string) (out reference.Expiry, wait time.Duration, err error) {
	err = s.do(ctx, func(ctx context.Context, p storePort) (err error) {
		out, wait, err = p.Expire(ctx, w, id)
		return err
	})
	return out, wait, err
}

func (s outsideStores) Create(ctx context.Context, h reference.Hold) error {
	return s.do(ctx, func(ctx context.Context, p storePort) error { return p.Create(ctx, h) })
}

func (s outsideStores) Confirm(ctx context.Context, id reference.HoldID) error {
	return s.do(ctx, func(ctx context.Context, p storePort) error { return p.Confirm(ctx, id) })
}

func (s outsideStores) Cancel(ctx context.Context, id reference.HoldID) error {
	return s.do(ctx, func(ctx context.Context, p storePort) error { return p.Cancel(ctx, id) })
}

func (s outsideStores) Extend(ctx context.Context, w reference.Window, to time.Time) error {
	return s.do(ctx, func(ctx context.Context, p storePort) error { return p.Extend(ctx, w, to) })
}

func (s outsideStores) Get(ctx context.Context, id reference.HoldID) (out reference.Hold, err error) {
	err = s.do(ctx, func(ctx context.Context, p storePort) (err error) { out, err = p.Get(ctx, id); return err })
	return out, err
}

func TestStorePort(t *testing.T) {
	porttest.TestStores(t, func(t *testing.T) porttest.Stores {
		w := bare(t, "standard")
		s := outsideStores{w, t}
		return porttest.Stores{
			Sweep: s, Worker: s, Holds: s, Load: w.store.Load, Snapshot: w.store.Snapshot,
			SetNow: func(now time.Time) { w.Schedule = virtual.NewSchedule(now, eventsMax) },
		}
	})
}

func TestBrokers(t *testing.T) {
	for name, c := range map[string]struct {
		profile broker.Profile
		traits  porttest.Traits
	}{
		"standard": {
			broker.Profile{Dedup: 24 * time.Hour, Retention: 30 * 24 * time.Hour},
			porttest.Traits{KeyMemory: 24 * time.Hour, LateAck: true},
		},
		"fifo": {
			broker.Profile{Dedup: 5 * time.Minute, Retention: 30 * 24 * time.Hour, Strict: true},
			porttest.Traits{KeyMemory: 5 * time.Minute},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.profile.Visibility, c.profile.MaxReceives = 30*time.Second, 3
			c.traits.Visibility, c.traits.MaxReceives = 30*time.Second, 3
			c.traits.Ordered, c.traits.Nack, c.traits.DeadLetter = true, true, true
			porttest.TestQueue(t, func(*testing.T) porttest.Queue {
				now := testStart
				b := broker.NewHosted(func() time.Time { return now }, c.profile)
				return porttest.Queue{
					Publisher: b, Consumer: b, DeadLetters: b, Traits: c.traits,
					Advance: func(d time.Duration) { now = now.Add(d) },
				}
			})
		})
	}
}

// outsideQueue is publisherPort and consumerPort, called from outside.
type outsideQueue struct {
	w *World
	t *testing.T
	// had are the deliveries so far: a slot of a real worker keeps its own.
	had map[string]reference.Delivery
}

func (q outsideQueue) call(do func(p *process)) {
	from(q.w, "w1", "worker").call(q.t, 0, func(p *process) {
		p.deliveries = q.had
		do(p)
	})
}

func (q outsideQueue) Publish(ctx context.Context, entries []reference.Entry) (out []reference.Published, err error) {
	q.call(func(p *process) {
		if err = ctx.Err(); err == nil {
			out, err = publisherPort{p}.Publish(ctx, entries)
		}
	})
	return out, wrapped("publish", err)
}

// Receive gives nothing where the port would wait for good.
func (q outsideQueue) Receive(ctx context.Context, limit int, wait time.Duration) (out []reference.Delivery, err error) {
	if next, any := q.w.broker.NextVisible(); ctx.Err() == nil && (!any || next.After(q.w.Now())) {
		return nil, nil
	}
	q.call(func(p *process) {
		if ctx.Err() != nil {
			out, err = consumerPort{p}.Receive(ctx, limit, wait)
			return
		}
		out, err = consumerPort{p}.receive(ctx, limit) // without the wait for the first
	})
	return out, err
}

func (q outsideQueue) Ack(ctx context.Context, d reference.Delivery) (err error) {
	q.call(func(p *process) { err = consumerPort{p}.Ack(ctx, d) })
	return err
}

func (q outsideQueue) Nack(ctx context.Context, d reference.Delivery, after time.Duration) (err error) {
	q.call(func(p *process) { err = consumerPort{p}.Nack(ctx, d, after) })
	return err
}

func (q outsideQueue) DeadLetter(ctx context.Context, d reference.Delivery, reason string) (err error) {
	q.call(func(p *process) { err = consumerPort{p}.DeadLetter(ctx, d, reason) })
	return err
}

// List and Redrive are the broker's, with messages under their names in traces.
func (q outsideQueue) List(ctx context.Context, after string, limit int) ([]reference.DeadLetter, error) {
	letters, err := q.w.broker.List(ctx, q.id(after), limit)
	for i, d := range letters {
		letters[i].MessageID = q.w.nameOf(d.MessageID, d.Payload).name
	}
	return letters, err
}

func (q outsideQueue) Redrive(ctx context.Context, names []string) (int, error) {
	ids := make([]string, len(names))
	for i, n := range names {
		ids[i] = q.id(n)
	}
	return q.w.broker.Redrive(ctx, ids)
}

func (q outsideQueue) id(name string) string {
	for id, m := range q.w.messages {
		if m.name == name {
			return id
		}
	}
	return name
}

func wrapped(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func TestQueuePorts(t *testing.T) {
	for name, traits := range map[string]porttest.Traits{
		"standard": {KeyMemory: 24 * time.Hour, LateAck: true},
		"fifo":     {KeyMemory: 24 * time.Hour}, // as bare has it
		"table":    {KeyMemory: porttest.WhileStored},
	} {
		t.Run(name, func(t *testing.T) {
			p := reference.DefaultPolicy()
			traits.Visibility, traits.MaxReceives = p.Visibility, p.MaxReceives
			traits.Ordered, traits.Nack, traits.DeadLetter = true, true, true
			porttest.TestQueue(t, func(t *testing.T) porttest.Queue {
				w := bare(t, name)
				q := outsideQueue{w, t, map[string]reference.Delivery{}}
				return porttest.Queue{
					Publisher: q, Consumer: q, DeadLetters: q, Traits: traits,
					Advance: func(d time.Duration) {
						if err := w.pass(w.Now().Add(d)); err != nil {
							t.Fatal(err)
						}
					},
				}
			})
		})
	}
}

// outsideSender is senderPort, called from outside.
type outsideSender struct {
	outside
	t        *testing.T
	provider *provider.Provider
}

func (s outsideSender) KeyHorizon() time.Duration { return s.provider.Horizon }

func (s outsideSender) Send(ctx context.Context, n reference.Notice) (out reference.Receipt, err error) {
	s.call(s.t, n.Timeout, func(p *process) { out, err = senderPort{p, s.provider}.Send(ctx, n) })
	return out, err
}

func TestSenderPort(t *testing.T) {
	for _, channel := range reference.Channels {
		porttest.TestSender(t, channel, func(t *testing.T) porttest.SenderUnderTest {
			w := bare(t, "standard")
			s := outsideSender{from(w, "w1", "worker"), t, w.providers[0]}
			if channel == reference.SMS {
				s.provider = w.providers[1]
			}
			return porttest.SenderUnderTest{
				Sender: s, Now: s.n.Clock().Now,
				Accepted: func() (keys []string) {
					for _, a := range s.provider.Accepted() {
						for range a.Times {
							keys = append(keys, a.Reminder.Key())
						}
					}
					return keys
				},
				Behave: func(b porttest.Behaviour) bool { return behave(t, w, b) },
			}
		})
	}
}

func behave(t *testing.T, w *World, b porttest.Behaviour) bool {
	lines := map[porttest.Behaviour][]string{
		porttest.Reject:      {"reject"},
		porttest.Throttle:    {"throttle", "retry-after=30s"},
		porttest.Unreachable: {"outage", "provider", "from=12:00", "until=13:00"},
		porttest.LoseReply:   {"ambiguous", "in=send"},
		porttest.Break:       {"error", "before=send"},
	}
	if line, ok := lines[b]; ok {
		f := fault(t, line...)
		w.arm(script.Step{Fault: &f})
	}
	return true
}

func TestWaiter(t *testing.T) {
	porttest.TestWaiter(t, func(t *testing.T) porttest.WaiterUnderTest {
		w := bare(t, "standard")
		o := from(w, "w1", "worker")
		u := porttest.WaiterUnderTest{Clock: o.n.Clock(), Waiter: new(lateWaiter)}
		u.Run = func(t *testing.T, f func(t *testing.T)) {
			o.call(t, time.Hour, func(p *process) {
				*u.Waiter.(*lateWaiter) = lateWaiter{virtual.Waiter{Process: p.Process}}
				f(t)
			})
		}
		return u
	})
}

// lateWaiter is the waiter of a process that is not there yet.
type lateWaiter struct{ reference.Waiter }

func TestTokens(t *testing.T) {
	w := bare(t, "standard")
	porttest.TestTokenSource(t, func(*testing.T) reference.TokenSource { return tokens{w} })
}
