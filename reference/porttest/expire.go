package porttest

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// expireCase is what is there when message m1 expires h1's window that ends at ends.
type expireCase struct {
	name string
	hold *reference.Hold
	rows []reference.Row
	now  time.Time
	want reference.Expiry
	wait time.Duration
	// wantRows are the rows after it, if the expiry takes place.
	wantRows []reference.Row
	// again is the answer to the repetition.
	again reference.Expiry
}

func testExpire(t *testing.T, open func(t *testing.T) Stores) {
	for _, cases := range [][]expireCase{expiries(), refusedExpiries()} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
		}
	}
}

func (c expireCase) run(t *testing.T, s Stores) {
	s.SetNow(c.now)
	s.load(t, some(c.hold), c.rows)
	holds, rows := some(c.hold), c.rows
	if c.want == reference.ExpiredNow {
		holds[0].State, rows = reference.Expired, c.wantRows
	}
	for i, want := range []reference.Expiry{c.want, c.again} {
		got, wait, err := s.Worker.Expire(background, hold().Window(), "m1")
		expect.Error(t, "expire", nil, err)
		if got != want || wait != c.wait {
			t.Errorf("asked %d times, answer is %s and %s, want %s and %s", i+1, got, wait, want, c.wait)
		}
		s.wants(t, holds, rows)
	}
}

// unclaimed is the row that expiring by message id writes at now for a channel that has none.
func unclaimed(c reference.Channel, id string, now time.Time) reference.Row {
	return reference.Row{Reminder: reminder(c), Outcome: missed, MessageID: id, SettledAt: now}
}

// left is row r, free and without doubt, as expiring by message id leaves it at now.
func left(r reference.Row, o reference.Outcome, id string, now time.Time) reference.Row {
	r.Outcome, r.MessageID, r.SettledAt = o, id, now
	return r
}

func expiries() []expireCase {
	email, sms := unclaimed(reference.Email, "m1", ends), unclaimed(reference.SMS, "m1", ends)
	bySMS := on(reference.SMS)
	c := func(name string, rows, want []reference.Row) expireCase {
		return expireCase{name: name, hold: ptr(hold()), rows: rows, now: ends,
			want: reference.ExpiredNow, wantRows: want, again: reference.ExpiryDone}
	}
	list := func(rows ...reference.Row) []reference.Row { return rows }
	later := c("expired-long-after", nil, list(unclaimed(reference.Email, "m1", ends.Add(time.Hour)), unclaimed(reference.SMS, "m1", ends.Add(time.Hour))))
	later.now = ends.Add(time.Hour)
	one := c("expired-with-one-channel", nil, list(sms))
	one.hold = ptr(hold(reached(reference.SMS)))
	live, waits := leased(ends.Add(time.Second)), notBefore(ends.Add(time.Second))
	earlier := claimed(of(reference.Window{Hold: "h1", ExpiresAt: ends.Add(-time.Hour)}))
	return []expireCase{
		later, one,
		c("expired-with-nothing-sent", nil, list(email, sms)),
		c("expired-with-everything-sent", list(settled(sent), settled(sent, bySMS)), list(settled(sent), settled(sent, bySMS))),
		c("expired-with-one-sent", list(settled(sent, bySMS)), list(email, settled(sent, bySMS))),
		c("expired-with-one-unknown", list(settled(lapsed)), list(settled(lapsed), sms)),
		c("expired-with-a-claim-running", list(claimed(live)), list(claimed(live), sms)),
		c("expired-with-a-claim-lapsed", list(claimed()), list(claimed(), sms)),
		c("expired-with-a-free-row", list(free()), list(left(free(), missed, "m1", ends), sms)),
		c("expired-with-a-row-that-was-throttled", list(free(notBefore(due))),
			list(left(free(notBefore(due)), dropped(reference.Throttled), "m1", ends), sms)),
		c("expired-with-a-row-that-waits", list(free(waits)),
			list(left(free(waits), dropped(reference.Throttled), "m1", ends), sms)),
		c("expired-with-a-free-row-in-doubt", list(free(doubt(reference.Timeout))), list(free(doubt(reference.Timeout)), sms)),
		c("expired-with-an-open-row-of-an-earlier-window", list(earlier), list(earlier, email, sms)),
	}
}

func refusedExpiries() []expireCase {
	c := func(name string, h *reference.Hold, now time.Time, want reference.Expiry, wait time.Duration) expireCase {
		return expireCase{name: name, hold: h, rows: nil, now: now, want: want, wait: wait, again: want}
	}
	open := c("done-with-an-open-row-left-alone", ptr(hold(state(reference.Confirmed))), ends, reference.ExpiryDone, 0)
	open.rows = []reference.Row{free()}
	return []expireCase{
		open,
		c("done-without-a-hold", nil, ends, reference.ExpiryDone, 0),
		c("done-after-confirmation", ptr(hold(state(reference.Confirmed))), ends, reference.ExpiryDone, 0),
		c("done-after-cancellation", ptr(hold(state(reference.Cancelled))), ends, reference.ExpiryDone, 0),
		c("done-after-expiry", ptr(hold(state(reference.Expired))), ends, reference.ExpiryDone, 0),
		c("done-after-extension", ptr(hold(expires(ends.Add(time.Second)))), ends, reference.ExpiryDone, 0),
		c("done-after-extension-though-that-is-over", ptr(hold(expires(ends.Add(time.Second)))), ends.Add(time.Hour), reference.ExpiryDone, 0),
		c("too-early-by-a-microsecond", ptr(hold()), ends.Add(-tick), reference.ExpiryEarly, tick),
		c("too-early-by-an-hour", ptr(hold()), ends.Add(-time.Hour), reference.ExpiryEarly, time.Hour),
		c("ahead-of-its-commit", ptr(hold(expires(ends.Add(-time.Second)))), ends, reference.ExpiryAhead, 0),
	}
}

// testOverdue expires five holds that are overdue by different times, and two that aren't to be.
func testOverdue(t *testing.T, open func(t *testing.T) Stores) {
	t.Run("oldest-first-up-to-the-limit", func(t *testing.T) { testOverduePages(t, open(t)) })
	t.Run("not-a-microsecond-before-its-age", func(t *testing.T) { testOverdueEdge(t, open(t)) })
	t.Run("accounted-as-by-a-message", func(t *testing.T) { testOverdueRows(t, open(t)) })
}

func testOverduePages(t *testing.T, s Stores) {
	s.SetNow(ends.Add(policy.Backstop))
	old := expires(ends.Add(-time.Hour))
	holds := []reference.Hold{
		hold(named("B"), reached(reference.Email)),
		hold(named("a"), reached(reference.Email)),
		hold(named("c"), reached(reference.Email), old),
		hold(named("d"), reached(reference.Email), state(reference.Confirmed)),
		hold(named("e"), reached(reference.Email), expires(ends.Add(time.Second))),
	}
	s.load(t, holds, nil)
	var got [][]reference.Window
	for range 3 {
		windows, err := s.Sweep.ExpireOverdue(background, policy.Backstop, 2)
		expect.Error(t, "expire overdue", nil, err)
		got = append(got, windows)
	}
	expect.Same(t, "windows expired", [][]reference.Window{
		{holds[2].Window(), holds[0].Window()}, {holds[1].Window()}, nil,
	}, got)
	var rows []reference.Row
	for i := range 3 {
		holds[i].State = reference.Expired
		row := unclaimed(reference.Email, "", ends.Add(policy.Backstop))
		row.Window = holds[i].Window()
		rows = append(rows, row)
	}
	s.wants(t, holds, rows)
}

func testOverdueEdge(t *testing.T, s Stores) {
	s.load(t, []reference.Hold{hold()}, nil)
	s.SetNow(ends.Add(policy.Backstop - tick))
	windows, err := s.Sweep.ExpireOverdue(background, policy.Backstop, 10)
	expect.Error(t, "expire overdue", nil, err)
	expect.Same(t, "windows a microsecond before", []reference.Window(nil), windows)
	s.SetNow(ends.Add(policy.Backstop))
	windows, err = s.Sweep.ExpireOverdue(background, policy.Backstop, 10)
	expect.Error(t, "expire overdue", nil, err)
	expect.Same(t, "windows at the time", []reference.Window{hold().Window()}, windows)
}

func testOverdueRows(t *testing.T, s Stores) {
	now := ends.Add(policy.Backstop)
	s.SetNow(now)
	other := reference.Window{Hold: "h2", ExpiresAt: ends}
	s.load(t, []reference.Hold{hold(), hold(named("h2"))}, []reference.Row{
		free(notBefore(due)), free(doubt(reference.Timeout), of(other)), claimed(on(reference.SMS), of(other)),
	})
	_, err := s.Sweep.ExpireOverdue(background, policy.Backstop, 10)
	expect.Error(t, "expire overdue", nil, err)
	s.wants(t, []reference.Hold{hold(state(reference.Expired)), hold(named("h2"), state(reference.Expired))}, []reference.Row{
		left(free(notBefore(due)), dropped(reference.Throttled), "", now), unclaimed(reference.SMS, "", now),
		free(doubt(reference.Timeout), of(other)), claimed(on(reference.SMS), of(other)),
	})
}
