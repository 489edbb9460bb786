//go:build e2e

package e2e_test

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference/e2e/stub"
)

// TestProvider has a provider misbehave with the email; the text message is none of its business.
func TestProvider(t *testing.T) {
	t.Parallel()
	const (
		rejected  = "email=dropped(rejected) sms=sent"
		throttled = "email=dropped(throttled) sms=sent"
		timeout   = "email=unknown(timeout) sms=sent"
		one       = "h1/sms"
		two       = "h1/email h1/sms"
		ms        = stub.Duration(time.Millisecond)
	)
	for _, c := range []struct {
		name               string
		rule               stub.Rule
		keys               time.Duration
		outcomes, accepted string
	}{
		{"throttles-for-a-second", stub.Rule{Times: 1, Refuse: true, Status: 429, RetryAfter: "1"}, 0, bothOn, two},
		{"throttles-past-the-cut-off", stub.Rule{Refuse: true, Status: 429, RetryAfter: "3600"}, 0, "email=dropped(throttled) sms=dropped(throttled)", ""},
		{"rejects", stub.Rule{Refuse: true, Status: 422}, 0, rejected, one},
		{"fails", stub.Rule{Refuse: true, Status: 500}, 0, timeout, one},
		{"fails-after-it-has-accepted", stub.Rule{Status: 503}, 0, timeout, two},
		{"fails-and-honours-keys", stub.Rule{Times: 1, Status: 503}, time.Minute, bothOn, two},
		{"is-slow", stub.Rule{Then: 300 * ms}, 0, bothOn, two},
		{"times-out", stub.Rule{Then: 1500 * ms}, 0, timeout, two},
		{"times-out-and-honours-keys", stub.Rule{Times: 1, Then: 1500 * ms}, time.Minute, bothOn, two},
		{"loses-its-answer", stub.Rule{Lose: true}, 0, timeout, two},
		{"hangs-up", stub.Rule{Refuse: true, Lose: true}, 0, timeout, one},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				if w.keys = c.keys; w.keys > 0 { // a retake comes 5s later, and may be late itself
					w.policy.Lead = 23 * time.Second
				}
			})
			c.rule.Channel = "email"
			w.stub.Follow(c.rule)
			w.sweeping(w.DSN)
			w.working(w.DSN)
			h1 := w.Hold(t, "h1", max(10*time.Second, w.policy.Lead+time.Second))
			w.ends(h1)
			w.healed = time.Now()
			w.want(h1, c.outcomes)
			if got := w.accepted(); got != c.accepted {
				t.Errorf("accepted %s, want %s", got, c.accepted)
			}
			w.judge()
		})
	}
}

// TestProviderRefusesConnections takes the provider away until it was found to be so.
func TestProviderRefusesConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.policy.Lead = 12 * time.Second })
	w.provider.Down()
	w.sweeping(w.DSN)
	w.working(w.DSN)
	h1 := w.Hold(t, "h1", 13*time.Second)
	w.awaitOutcomes(h1, "email=open sms=open")
	if err := w.provider.Up(); err != nil {
		t.Fatal(err)
	}
	w.ends(h1)
	w.healed = time.Now()
	w.want(h1, bothOn)
	if got, want := w.accepted(), "h1/email h1/sms"; got != want {
		t.Errorf("accepted %s, want %s", got, want)
	}
	w.judge()
}
