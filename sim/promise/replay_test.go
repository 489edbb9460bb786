package promise

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

func TestWhatChangedOnReplay(t *testing.T) {
	at1, at2 := clock("12:07"), clock("12:08")
	for what, change := range map[string]func(*reference.Row){
		"had outcome sent and has dropped(missed)":                               func(r *reference.Row) { r.Outcome = missed },
		"had token t1 and has t2":                                                func(r *reference.Row) { r.Token = "t2" },
		"had doubt  and has lapsed":                                              func(r *reference.Row) { r.Doubt = reference.Lapsed },
		"had lease_until 2026-03-02T12:07:00Z and has 2026-03-02T12:08:00Z":      func(r *reference.Row) { r.LeaseUntil = at2 },
		"had not_before 2026-03-02T12:07:00Z and has 2026-03-02T12:08:00Z":       func(r *reference.Row) { r.NotBefore = at2 },
		"had first_claimed_at 2026-03-02T12:07:00Z and has 2026-03-02T12:08:00Z": func(r *reference.Row) { r.FirstClaimedAt = at2 },
		"had settled_at 2026-03-02T12:07:00Z and has 2026-03-02T12:08:00Z":       func(r *reference.Row) { r.SettledAt = at2 },
		"had message_id m1 and has m2":                                           func(r *reference.Row) { r.MessageID = "m2" },
		"had provider_ref r1 and has r2":                                         func(r *reference.Row) { r.ProviderRef = "r2" },
		"has h1@2026-03-02T12:10:00Z/sms in its place":                           func(r *reference.Row) { r.Channel = sms },
		"has h2@2026-03-02T12:10:00Z/email in its place":                         func(r *reference.Row) { r.Hold = "h2" },
		"": func(r *reference.Row) { r.SettledAt = at1.In(time.FixedZone("x", 60)) },
	} {
		a := reference.Row{
			Reminder: reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: clock("12:10")}, Channel: email},
			Token:    "t1", LeaseUntil: at1, NotBefore: at1, FirstClaimedAt: at1, SettledAt: at1, Outcome: sentOutcome, MessageID: "m1", ProviderRef: "r1",
		}
		b := a
		change(&b)
		if got := changeOfRow(&a, &b); got != what {
			t.Errorf("got %q, want %q", got, what)
		}
	}
	for what, change := range map[string]func(*reference.Hold){
		"had state held and has expired":                                   func(h *reference.Hold) { h.State = reference.Expired },
		"had expires_at 2026-03-02T12:07:00Z and has 2026-03-02T12:08:00Z": func(h *reference.Hold) { h.ExpiresAt = at2 },
		"had learner_id l and has x":                                       func(h *reference.Hold) { h.Learner = "x" },
		"had section_id s and has x":                                       func(h *reference.Hold) { h.Section = "x" },
		"had timezone UTC and has x":                                       func(h *reference.Hold) { h.Zone = "x" },
		"had channels [email] and has [sms]":                               func(h *reference.Hold) { h.Channels = []reference.Channel{sms} },
		"has h2 in its place":                                              func(h *reference.Hold) { h.ID = "h2" },
		"":                                                                 func(h *reference.Hold) { h.ExpiresAt = at1.In(time.FixedZone("x", 60)) },
	} {
		a := reference.Hold{ID: "h1", Learner: "l", Section: "s", Zone: "UTC", State: reference.Held, ExpiresAt: at1, Channels: []reference.Channel{email}}
		b := a
		change(&b)
		if got := changeOfHold(&a, &b); got != what {
			t.Errorf("got %q, want %q", got, what)
		}
	}
	rows := []reference.Row{{Token: "t1"}, {Token: "t2"}}
	if r, how := firstChange(rows, rows[:1], changeOfRow); how != "is gone" || r.Token != "t2" {
		t.Errorf("%v %s", r, how)
	}
	if r, how := firstChange(rows[:1], rows, changeOfRow); how != "is new" || r.Token != "t2" {
		t.Errorf("%v %s", r, how)
	}
}

func TestReplayOfARunThatNeverHealed(t *testing.T) {
	s := tell(t, "h1")
	s.at("12:07").reminded("h1").at("12:10").expired("h1").trouble("12:13:00.000001", "12:13:00.000001")
	run := s.end("12:25") // 12 minutes later it would have healed
	s.add(trace.Event{What: trace.Replay, Who: "run"})
	run.Events, run.ReplayHolds = s.run.Events, run.Holds
	wantClass(t, run, Class{})
	run.Setup.Policy.Backstop -= time.Microsecond
	wantClass(t, run, rowChanged)
}
