//go:build e2e

package e2e_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/wire"
	"github.com/seathold/seathold/reference/settings/programtest"
)

// Parts by which the proxy knows statements.
const (
	publishing = "insert into queue_messages (message_id, message_key"
	claiming   = "insert into reminders (hold_id, window_expires_at, channel, token"
	settling   = "set outcome = 'sent'"
	acking     = "where message_id = $1 and receipt = $2"
	expiring   = "set state = 'expired'"
)

// TestKilled kills a worker by SIGKILL at each point of its work, and lets another go on.
func TestKilled(t *testing.T) {
	t.Parallel()
	const (
		lapsed = "email=unknown(lapsed) sms=sent"
		one    = "h1/sms"
		two    = "h1/email h1/sms"
	)
	for _, c := range []struct {
		name     string
		database *wire.Gate
		provider stub.Rule
		// late lets what is held through after the kill: it was under way. Until is the outcome that is
		// waited for before.
		late  bool
		until string

		outcomes, accepted string
	}{
		{name: "before-claim", database: wire.Before(claiming), outcomes: bothOn, accepted: two},
		{name: "before-claim-that-arrives-late", database: wire.Before(claiming), late: true, outcomes: lapsed, accepted: one},
		{name: "between-claim-and-send", database: wire.After(claiming), outcomes: lapsed, accepted: one},
		{name: "during-send", provider: stub.Rule{Before: stub.NewGate(), Refuse: true}, outcomes: lapsed, accepted: one},
		{name: "during-send-that-is-accepted", provider: stub.Rule{Before: stub.NewGate()}, outcomes: lapsed, accepted: two},
		{name: "between-accept-and-reply", provider: stub.Rule{After: stub.NewGate()}, outcomes: lapsed, accepted: two},
		{name: "between-send-and-settle", database: wire.Before(settling), outcomes: lapsed, accepted: two},
		{name: "between-send-and-settle-that-arrives-late", database: wire.Before(settling), late: true, until: lapsed, outcomes: bothOn, accepted: two},
		{name: "after-settle", database: wire.After(settling), outcomes: bothOn, accepted: two},
		{name: "between-settle-and-ack", database: wire.Before(acking), outcomes: bothOn, accepted: two},
		{name: "between-settle-and-ack-that-arrives-late", database: wire.Before(acking), late: true, outcomes: bothOn, accepted: two},
		{name: "after-ack", database: wire.After(acking), outcomes: bothOn, accepted: two},
		{name: "before-expire", database: wire.Before(expiring), outcomes: bothOn, accepted: two},
		{name: "before-expire-that-arrives-late", database: wire.Before(expiring), late: true, outcomes: bothOn, accepted: two},
		{name: "after-expire", database: wire.After(expiring), outcomes: bothOn, accepted: two},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			gate := &moment{reached: c.database.Reached, forward: c.database.Forward, drop: c.database.Drop}
			if c.database != nil {
				w.proxy.Arm(c.database)
			} else {
				gate = providerMoment(c.provider)
				c.provider.Channel, c.provider.Times = "email", 1
				w.stub.Follow(c.provider)
			}
			w.sweeping(w.DSN)
			victim := w.working(w.proxy.URL())
			h1 := w.Hold(t, "h1", 10*time.Second)
			w.await(gate.reached())
			victim.Signal(syscall.SIGKILL)
			victim.Wait()
			w.working(w.DSN)
			if c.until != "" {
				w.awaitOutcomes(h1, c.until)
			}
			if c.late {
				gate.forward()
			} else {
				gate.drop()
			}
			w.healed = time.Now()
			w.ends(h1)
			w.want(h1, c.outcomes)
			if got := w.accepted(); got != c.accepted {
				t.Errorf("accepted %s, want %s", got, c.accepted)
			}
			w.judge()
		})
	}
}

// moment is one that is held open, by the proxy or by the provider.
type moment struct {
	reached       func() <-chan struct{}
	forward, drop func()
}

func providerMoment(r stub.Rule) *moment {
	gate := r.Before
	if gate == nil {
		gate = r.After
	}
	return &moment{gate.Reached, gate.Open, gate.Open}
}

// TestSweepKilled kills a sweep half-way through what it publishes, and lets another go on.
func TestSweepKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gate *wire.Gate
		late bool
	}{
		"before-publish":                   {wire.Before(publishing).Skipping(1), false},
		"before-publish-that-arrives-late": {wire.Before(publishing).Skipping(1), true},
		"after-publish":                    {wire.After(publishing).Skipping(1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.policy.Page = 2 })
			w.proxy.Arm(c.gate)
			w.working(w.DSN)
			var windows []reference.Window
			var accepted []string
			for i := range 5 {
				id := fmt.Sprint("h", i)
				windows = append(windows, w.Hold(t, id, 9*time.Second))
				accepted = append(accepted, id+"/email", id+"/sms")
			}
			victim := programtest.Start(t, "holdsweep", w.env(w.proxy.URL()), "once")
			w.await(c.gate.Reached())
			victim.Signal(syscall.SIGKILL)
			victim.Wait()
			w.sweeping(w.DSN)
			w.awaitOutcomes(windows[4], bothOn)
			if c.late {
				c.gate.Forward()
			} else {
				c.gate.Drop()
			}
			w.healed = time.Now()
			w.ends(windows...)
			for _, of := range windows {
				w.want(of, bothOn)
			}
			if got, want := w.accepted(), strings.Join(accepted, " "); got != want {
				t.Errorf("accepted %s, want %s", got, want)
			}
			w.judge()
		})
	}
}

// TestBackstop has the only worker killed after the provider accepted, and none in its place until
// the sweep has expired the hold by itself: what nobody knows must not be recorded as dropped.
func TestBackstop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.policy.Backstop = 3 * time.Second })
	gate := stub.NewGate()
	w.stub.Follow(stub.Rule{Channel: "email", Times: 1, After: gate})
	sweep := w.sweeping(w.DSN)
	victim := w.working(w.DSN)
	h1 := w.Hold(t, "h1", 10*time.Second)
	w.await(gate.Reached())
	victim.Signal(syscall.SIGKILL)
	victim.Wait()
	gate.Open()
	w.awaitOutcomes(h1, "email=open sms=dropped(missed)")
	sweep.Await(1, programtest.Line{"msg": "sweep.backstop", "hold": "h1"})
	if h, err := w.Store.Get(t.Context(), h1.Hold); err != nil || h.State != reference.Expired {
		t.Errorf("the hold is %s: %v", h.State, err)
	}
	w.working(w.DSN)
	w.healed = time.Now()
	w.ends(h1)
	w.want(h1, "email=unknown(lapsed) sms=dropped(missed)")
	if got, want := w.accepted(), "h1/email"; got != want {
		t.Errorf("accepted %s, want %s", got, want)
	}
	w.judge()
}
