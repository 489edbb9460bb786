package porttest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// personCase is what is there when a person does something to h1 at now.
type personCase struct {
	name string
	hold *reference.Hold
	now  time.Time
	do   func(reference.HoldStore) error
	// want is what the error wraps; nil if the person may.
	want error
	// after is the hold after it, if it is changed.
	after *reference.Hold
}

func testHolds(t *testing.T, open func(t *testing.T) Stores) {
	for _, cases := range [][]personCase{creations(), confirmations(), cancellations(), extensions()} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
		}
	}
	t.Run("get-without-a-hold", func(t *testing.T) {
		s := open(t)
		s.SetNow(between)
		_, err := s.Holds.Get(background, "h1")
		expect.Error(t, "get", reference.ErrNoHold, err)
	})
	t.Run("odd-ids-come-back-as-they-were", func(t *testing.T) { testOddIDs(t, open(t)) })
	t.Run("rows-are-left-alone", func(t *testing.T) { testPeopleLeaveRows(t, open(t)) })
}

func (c personCase) run(t *testing.T, s Stores) {
	s.SetNow(c.now)
	s.load(t, some(c.hold), nil)
	after := c.after
	if after == nil {
		after = c.hold
	}
	for range 2 {
		expect.Error(t, c.name, c.want, c.do(s.Holds))
		s.wants(t, some(after), nil)
	}
	if after != nil {
		got, err := s.Holds.Get(background, "h1")
		expect.Error(t, "get", nil, err)
		expect.Same(t, "hold", *after, got)
	}
}

func creations() []personCase {
	create := func(h reference.Hold) func(reference.HoldStore) error {
		return func(s reference.HoldStore) error { return s.Create(background, h) }
	}
	differs := func(name string, edit func(*reference.Hold)) personCase {
		return personCase{name: "create-refused-with-another-" + name, hold: ptr(hold()), now: between,
			do: create(hold(edit)), want: reference.ErrHoldExists}
	}
	left := func(to reference.State) personCase {
		return personCase{name: "create-refused-when-" + string(to), hold: ptr(hold(state(to))), now: between,
			do: create(hold()), want: reference.ErrHoldExists}
	}
	return []personCase{
		{name: "created", now: due, do: create(hold()), after: ptr(hold())},
		{name: "created-with-one-channel", now: due, do: create(hold(reached(reference.SMS))), after: ptr(hold(reached(reference.SMS)))},
		{name: "created-in-the-past", now: ends.Add(time.Hour), do: create(hold()), after: ptr(hold())},
		{name: "created-again", hold: ptr(hold()), now: ends.Add(time.Hour), do: create(hold())},
		differs("learner", func(h *reference.Hold) { h.Learner = "l2" }),
		differs("section", func(h *reference.Hold) { h.Section = "s2" }),
		differs("end", expires(ends.Add(time.Second))),
		differs("zone", func(h *reference.Hold) { h.Zone = "UTC" }),
		differs("channel", reached(reference.Email)),
		left(reference.Confirmed), left(reference.Cancelled), left(reference.Expired),
	}
}

func confirmations() []personCase {
	confirm := func(s reference.HoldStore) error { return s.Confirm(background, "h1") }
	c := func(name string, h *reference.Hold, now time.Time, want error, after *reference.Hold) personCase {
		return personCase{"confirm-" + name, h, now, confirm, want, after}
	}
	confirmed := ptr(hold(state(reference.Confirmed)))
	return []personCase{
		c("refused-without-a-hold", nil, between, reference.ErrNoHold, nil),
		c("done", ptr(hold()), between, nil, confirmed),
		c("done-a-microsecond-before-the-end", ptr(hold()), ends.Add(-tick), nil, confirmed),
		c("refused-at-the-end", ptr(hold()), ends, reference.ErrRunOut, nil),
		c("refused-after-the-end", ptr(hold()), ends.Add(time.Hour), reference.ErrRunOut, nil),
		c("done-again", confirmed, between, nil, nil),
		c("done-again-after-the-end", confirmed, ends.Add(time.Hour), nil, nil),
		c("refused-when-cancelled", ptr(hold(state(reference.Cancelled))), between, reference.ErrNotHeld, nil),
		c("refused-when-expired", ptr(hold(state(reference.Expired))), ends, reference.ErrNotHeld, nil),
	}
}

func cancellations() []personCase {
	cancel := func(s reference.HoldStore) error { return s.Cancel(background, "h1") }
	c := func(name string, h *reference.Hold, now time.Time, want error, after *reference.Hold) personCase {
		return personCase{"cancel-" + name, h, now, cancel, want, after}
	}
	cancelled := ptr(hold(state(reference.Cancelled)))
	return []personCase{
		c("refused-without-a-hold", nil, between, reference.ErrNoHold, nil),
		c("done", ptr(hold()), between, nil, cancelled),
		c("done-at-the-end", ptr(hold()), ends, nil, cancelled),
		c("done-after-the-end-while-held", ptr(hold()), ends.Add(time.Hour), nil, cancelled),
		c("done-again", cancelled, ends, nil, nil),
		c("refused-when-confirmed", ptr(hold(state(reference.Confirmed))), between, reference.ErrNotHeld, nil),
		c("refused-when-expired", ptr(hold(state(reference.Expired))), ends, reference.ErrNotHeld, nil),
	}
}

func extensions() []personCase {
	later := ends.Add(15 * time.Minute)
	extend := func(from, to time.Time) func(reference.HoldStore) error {
		return func(s reference.HoldStore) error {
			return s.Extend(background, reference.Window{Hold: "h1", ExpiresAt: from}, to)
		}
	}
	c := func(name string, h *reference.Hold, now, from, to time.Time, want error, after *reference.Hold) personCase {
		return personCase{"extend-" + name, h, now, extend(from, to), want, after}
	}
	extended := ptr(hold(expires(later)))
	return []personCase{
		c("refused-without-a-hold", nil, between, ends, later, reference.ErrNoHold, nil),
		c("done", ptr(hold()), between, ends, later, nil, extended),
		c("done-by-a-second", ptr(hold()), between, ends, ends.Add(time.Second), nil, ptr(hold(expires(ends.Add(time.Second))))),
		c("done-a-microsecond-before-the-end", ptr(hold()), ends.Add(-tick), ends, later, nil, extended),
		c("refused-at-the-end", ptr(hold()), ends, ends, later, reference.ErrRunOut, nil),
		c("refused-after-the-end", ptr(hold()), ends.Add(time.Hour), ends, ends.Add(2*time.Hour), reference.ErrRunOut, nil),
		c("done-again", extended, between, ends, later, nil, nil),
		c("done-again-after-the-end-it-was-moved-from", extended, ends.Add(time.Minute), ends, later, nil, nil),
		c("refused-from-another-window", extended, between, ends, later.Add(time.Hour), reference.ErrOtherWindow, nil),
		c("refused-from-a-later-window", ptr(hold()), between, later, later.Add(time.Hour), reference.ErrOtherWindow, nil),
		c("refused-from-another-window-after-the-end", ptr(hold()), ends, later, later.Add(time.Hour), reference.ErrOtherWindow, nil),
		c("refused-to-an-earlier-end", ptr(hold()), between, ends, ends.Add(-time.Second), reference.ErrNotLater, nil),
		c("refused-when-confirmed", ptr(hold(state(reference.Confirmed))), between, ends, later, reference.ErrNotHeld, nil),
		c("refused-when-cancelled", ptr(hold(state(reference.Cancelled))), between, ends, later, reference.ErrNotHeld, nil),
		c("refused-when-expired", ptr(hold(state(reference.Expired))), ends, ends, later, reference.ErrNotHeld, nil),
	}
}

func testOddIDs(t *testing.T, s Stores) {
	s.SetNow(between)
	var want []reference.Hold
	for _, id := range ids {
		h := hold(named(id))
		expect.Error(t, "create", nil, s.Holds.Create(background, h))
		got, err := s.Holds.Get(background, id)
		expect.Error(t, "get", nil, err)
		expect.Same(t, "hold", h, got)
		want = append(want, h)
	}
	s.wants(t, want, nil)
}

// testPeopleLeaveRows: a person who ends a window writes no outcome, so that a host may confirm,
// cancel and extend by its own SQL.
func testPeopleLeaveRows(t *testing.T, s Stores) {
	s.SetNow(between)
	var rows []reference.Row
	for _, id := range []reference.HoldID{"h1", "h2", "h3"} {
		s.load(t, []reference.Hold{hold(named(id))}, nil)
		w := hold(named(id)).Window()
		rows = append(rows, free(of(w)), claimed(of(w), on(reference.SMS)))
	}
	s.load(t, nil, rows)
	expect.Error(t, "confirm", nil, s.Holds.Confirm(background, "h1"))
	expect.Error(t, "cancel", nil, s.Holds.Cancel(background, "h2"))
	later := ends.Add(time.Hour)
	expect.Error(t, "extend", nil, s.Holds.Extend(background, hold(named("h3")).Window(), later))
	s.wants(t, []reference.Hold{
		hold(state(reference.Confirmed)), hold(named("h2"), state(reference.Cancelled)), hold(named("h3"), expires(later)),
	}, rows)
}

// testRecordSweep has no way to read a report: what it wants is that a repeat is no error.
func testRecordSweep(t *testing.T, open func(t *testing.T) Stores) {
	s := open(t)
	s.SetNow(between)
	r := reference.Report{
		ID: "t1", Found: reference.Tally{Remind: 3, Expire: 2}, Published: reference.Tally{Remind: 3, Expire: 1},
		Queued: 4, Pages: 2, Backstop: 1, Drained: true,
	}
	for range 2 {
		expect.Error(t, "record sweep", nil, s.Sweep.RecordSweep(background, r))
	}
	r.Queued = 5
	expect.Error(t, "record sweep", nil, s.Sweep.RecordSweep(background, r))
	s.wants(t, nil, nil)
}

// testStoresCancelled calls everything under a context that is over, which must end a caller's loop.
func testStoresCancelled(t *testing.T, open func(t *testing.T) Stores) {
	s := open(t)
	s.SetNow(ends.Add(time.Hour))
	holds, rows := []reference.Hold{hold()}, []reference.Row{claimed()}
	s.load(t, holds, rows)
	ctx, cancel := context.WithCancel(background)
	cancel()
	email, sms := reminder(reference.Email), reminder(reference.SMS)
	for _, call := range []struct {
		name string
		do   func() error
	}{
		{"due", func() error { _, err := s.Sweep.Due(ctx, query(reference.Expire, 1)); return err }},
		{"overdue", func() error { _, err := s.Sweep.ExpireOverdue(ctx, time.Minute, 1); return err }},
		{"record", func() error { return s.Sweep.RecordSweep(ctx, reference.Report{ID: "t1"}) }},
		{"claim", func() error {
			_, err := s.Worker.Claim(ctx, reference.ClaimRequest{Reminder: sms, Token: "t1", Order: reference.ClaimFirst})
			return err
		}},
		{"settle", func() error {
			_, err := s.Worker.Settle(ctx, reference.Settlement{Reminder: email, Token: "t0", Outcome: sent})
			return err
		}},
		{"release", func() error { return s.Worker.Release(ctx, reference.Release{Reminder: email, Token: "t0"}) }},
		{"expire", func() error { _, _, err := s.Worker.Expire(ctx, hold().Window(), "m1"); return err }},
		{"create", func() error { return s.Holds.Create(ctx, hold(named("h2"))) }},
		{"confirm", func() error { return s.Holds.Confirm(ctx, "h1") }},
		{"cancel", func() error { return s.Holds.Cancel(ctx, "h1") }},
		{"extend", func() error { return s.Holds.Extend(ctx, hold().Window(), ends.Add(2*time.Hour)) }},
		{"get", func() error { _, err := s.Holds.Get(ctx, "h1"); return err }},
	} {
		expect.Error(t, call.name, context.Canceled, call.do())
	}
	s.wants(t, holds, rows)
}

// TestStoresAtOnce asks from several goroutines at once, where an adapter is made for that.
func TestStoresAtOnce(t *testing.T, open func(t *testing.T) Stores) {
	s := open(t)
	s.SetNow(between)
	s.load(t, []reference.Hold{hold()}, nil)
	const askers = 16
	claims, errs := make([]reference.Claim, askers), make([]error, askers)
	var all sync.WaitGroup
	for i := range askers {
		all.Go(func() {
			q := claimCase{}.request()
			q.Token += reference.Token('a' + rune(i))
			claims[i], errs[i] = s.Worker.Claim(background, q)
		})
	}
	all.Wait()
	answers := map[reference.Answer]int{}
	for i, c := range claims {
		expect.Error(t, "claim", nil, errs[i])
		answers[c.Answer]++
	}
	expect.Same(t, "answers", map[reference.Answer]int{reference.Granted: 1, reference.Busy: askers - 1}, answers)
}
