package reference_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
)

// wantInvalid wants err to be nil where why is empty, and else to wrap ErrInvalid and say why.
func wantInvalid(t *testing.T, why string, err error) {
	t.Helper()
	switch {
	case why == "" && err != nil:
		t.Errorf("unwanted error: %v", err)
	case why != "" && (!errors.Is(err, reference.ErrInvalid) || !strings.Contains(err.Error(), why)):
		t.Errorf("error is %v, want one that wraps %q and says %q", err, reference.ErrInvalid, why)
	}
}

func TestPolicyCheck(t *testing.T) {
	type edit = func(*reference.Policy)
	for _, c := range []struct {
		name     string
		channels int
		edit     edit
		why      string
	}{
		{"default", 2, func(*reference.Policy) {}, ""},
		{"send-first", 2, func(p *reference.Policy) { p.Order = reference.SendFirst }, ""},
		{"period-not-known", 2, func(p *reference.Policy) { p.SweepPeriod = 0 }, ""},
		{"no-cut-off", 2, func(p *reference.Policy) { p.Cutoff = 0 }, ""},
		{"no-lead", 2, func(p *reference.Policy) { p.Lead = 0 }, "lead is 0s and must be positive"},
		{"no-budget", 2, func(p *reference.Policy) { p.SweepBudget = 0 }, "sweep budget is 0s and must be positive"},
		{"no-renominate", 2, func(p *reference.Policy) { p.Renominate = 0 }, "renominate is 0s and must be positive"},
		{"negative-send-timeout", 2, func(p *reference.Policy) { p.SendTimeout = -1 }, "send timeout is -1ns and must be positive"},
		{"no-lock-timeout", 2, func(p *reference.Policy) { p.LockTimeout = 0 }, "lock timeout is 0s and must be positive"},
		{"lock-timeout-of-the-store", 2, func(p *reference.Policy) { p.LockTimeout = p.StoreTimeout }, "lock timeout 5s must be less than store timeout 5s"},
		{"no-store-timeout", 2, func(p *reference.Policy) { p.StoreTimeout = 0 }, "store timeout is 0s and must be positive"},
		{"no-lease", 2, func(p *reference.Policy) { p.Lease = 0 }, "lease is 0s and must be positive"},
		{"no-visibility", 2, func(p *reference.Policy) { p.Visibility = 0 }, "visibility is 0s and must be positive"},
		{"no-long-poll", 2, func(p *reference.Policy) { p.LongPoll = 0 }, "long poll is 0s and must be positive"},
		{"no-backstop", 2, func(p *reference.Policy) { p.Backstop = 0 }, "backstop is 0s and must be positive"},
		{"negative-cut-off", 2, func(p *reference.Policy) { p.Cutoff = -time.Second }, "cut-off -1s and sweep period 1m0s must not be negative"},
		{"negative-period", 2, func(p *reference.Policy) { p.SweepPeriod = -time.Second }, "cut-off 30s and sweep period -1s must not be negative"},
		{"no-page", 2, func(p *reference.Policy) { p.Page = 0 }, "page 0 and max receives 10 must be at least 1"},
		{"no-receives", 2, func(p *reference.Policy) { p.MaxReceives = 0 }, "page 500 and max receives 0 must be at least 1"},
		{"no-order", 2, func(p *reference.Policy) { p.Order = "" }, `order "" is neither claim-first nor send-first`},
		{"cut-off-is-lead", 2, func(p *reference.Policy) { p.Cutoff = p.Lead }, "cut-off 3m0s leaves nothing of lead 3m0s"},
		{"send-timeout-is-lease", 2, func(p *reference.Policy) { p.SendTimeout = p.Lease }, "send timeout 20s must be less than lease 20s"},
		{"lease-is-visibility", 2, func(p *reference.Policy) { p.Lease = p.Visibility }, "lease 1m0s must be less than visibility 1m0s"},
		{"visibility-for-two-channels-is-too-short", 2, func(p *reference.Policy) { p.Visibility = 22 * time.Second },
			"2 channels × (send timeout 10s + 1s) = 22s must be less than visibility 22s"},
		{"visibility-for-two-channels-just-is-enough", 2, func(p *reference.Policy) { p.Visibility = 22*time.Second + 1 }, ""},
		{"visibility-for-one-channel", 1, func(p *reference.Policy) { p.Visibility = 22 * time.Second }, ""},
		{"period-is-too-long", 2, func(p *reference.Policy) { p.SweepPeriod = 130 * time.Second },
			"sweep period 2m10s + 2 channels × send timeout 10s = 2m30s must be less than lead 3m0s − cut-off 30s = 2m30s"},
		{"period-just-is-short-enough", 2, func(p *reference.Policy) { p.SweepPeriod, p.Renominate = 130*time.Second-1, time.Second }, ""},
		{"renominates-too-slowly", 2, func(p *reference.Policy) { p.Renominate = 90*time.Second + 1 },
			"sweep period 1m0s + renominate 1m30.000000001s = 2m30.000000001s must be at most lead 3m0s − cut-off 30s = 2m30s"},
		{"renominates-just-in-time", 2, func(p *reference.Policy) { p.Renominate = 90 * time.Second }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := reference.DefaultPolicy()
			c.edit(&p)
			wantInvalid(t, c.why, p.Check(c.channels))
		})
	}
}

func TestPolicyCheckKeys(t *testing.T) {
	for horizon, why := range map[time.Duration]string{
		0:                 "",
		100 * time.Second: "",
		24 * time.Hour:    "",
		99 * time.Second:  "sms: key horizon 1m39s must be at least 10 × send timeout 10s = 1m40s",
	} {
		wantInvalid(t, why, reference.DefaultPolicy().CheckKeys(reference.SMS, horizon))
	}
}

func TestHoldCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*reference.Hold)
		why  string
	}{
		{"good", func(*reference.Hold) {}, ""},
		{"only-sms", func(h *reference.Hold) { h.Channels = []reference.Channel{reference.SMS} }, ""},
		{"longest-id", func(h *reference.Hold) { h.ID = reference.HoldID(strings.Repeat("é", 100)) }, ""},
		{"no-zone", func(h *reference.Hold) { h.Zone = "" }, ""},
		{"unknown-zone", func(h *reference.Hold) { h.Zone = "Mars/Phobos" }, ""},
		{"no-id", func(h *reference.Hold) { h.ID = "" }, "hold id is empty"},
		{"no-learner", func(h *reference.Hold) { h.Learner = "" }, "learner id is empty"},
		{"no-section", func(h *reference.Hold) { h.Section = "" }, "section id is empty"},
		{"id-too-long", func(h *reference.Hold) { h.ID = reference.HoldID(strings.Repeat("h", 201)) }, "hold id has 201 bytes, and 200 is the most"},
		{"id-not-utf-8", func(h *reference.Hold) { h.ID = "h\xff" }, `hold id "h\xff" is not UTF-8`},
		{"learner-with-nul", func(h *reference.Hold) { h.Learner = "a\x00" }, `learner id "a\x00" has control characters`},
		{"section-with-del", func(h *reference.Hold) { h.Section = "a\x7f" }, `section id "a\x7f" has control characters`},
		{"zone-too-long", func(h *reference.Hold) { h.Zone = strings.Repeat("z", 300_000) }, "zone has 300000 bytes"},
		{"zone-with-nul", func(h *reference.Hold) { h.Zone = "UTC\x00" }, "zone \"UTC\\x00\" has control characters"},
		{"half-a-second", func(h *reference.Hold) { h.ExpiresAt = ends.Add(time.Second / 2) }, "expires_at 2026-03-02T12:10:00.5Z is not in whole seconds"},
		{"no-time", func(h *reference.Hold) { h.ExpiresAt = time.Time{} }, "not between the years 2000 and 9000"},
		{"no-channel", func(h *reference.Hold) { h.Channels = nil }, "hold h1 has no channel"},
		{"unknown-channel", func(h *reference.Hold) { h.Channels = []reference.Channel{"fax"} }, "channels [fax] are not some of [email sms] in that order"},
		{"channel-twice", func(h *reference.Hold) { h.Channels = []reference.Channel{reference.SMS, reference.SMS} }, "channels [sms sms] are not"},
		{"channels-out-of-order", func(h *reference.Hold) { h.Channels = []reference.Channel{reference.SMS, reference.Email} }, "channels [sms email] are not"},
	} {
		t.Run(c.name, func(t *testing.T) { wantInvalid(t, c.why, hold(c.edit).Check()) })
	}
}

func TestWindowCompare(t *testing.T) {
	a, later := reference.Window{Hold: "a", ExpiresAt: ends}, reference.Window{Hold: "B", ExpiresAt: ends.Add(time.Second)}
	b := reference.Window{Hold: "B", ExpiresAt: ends.In(time.FixedZone("x", 3600))}
	for i, c := range []struct {
		v, w reference.Window
		want int
	}{{a, a, 0}, {b, a, -1}, {a, b, 1}, {a, later, -1}, {later, b, 1}} {
		if got := c.v.Compare(c.w); got != c.want {
			t.Errorf("%d: %s to %s is %d, want %d", i, c.v, c.w, got, c.want)
		}
	}
}
