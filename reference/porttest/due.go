package porttest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// dueCase is what is there when a sweep asks at now what is due.
type dueCase struct {
	name string
	hold reference.Hold
	rows []reference.Row
	kind reference.Kind
	now  time.Time
	// want is what is nominated, by the end of its window, with its age.
	want []aged
}

type aged struct {
	ends time.Time
	age  time.Duration
}

func testDue(t *testing.T, open func(t *testing.T) Stores) {
	for _, cases := range [][]dueCase{dueToRemind(), dueByRows(), dueToExpire()} {
		for _, c := range cases {
			t.Run(string(c.kind)+"-"+c.name, func(t *testing.T) { c.run(t, open(t)) })
		}
	}
	for _, kind := range []reference.Kind{reference.Remind, reference.Expire} {
		t.Run(string(kind)+"-pages-by-time-and-byte-order", func(t *testing.T) { testDuePages(t, open(t), kind) })
	}
	t.Run("remind-one-nomination-a-window-over-pages", func(t *testing.T) { testDueOnce(t, open(t)) })
	t.Run("message-says-whose-hold", func(t *testing.T) { testDueMessage(t, open(t)) })
}

func query(kind reference.Kind, limit int) reference.DueQuery {
	return reference.DueQuery{Kind: kind, Lead: policy.Lead, Cutoff: policy.Cutoff, Limit: limit}
}

func (c dueCase) run(t *testing.T, s Stores) {
	s.SetNow(c.now)
	s.load(t, []reference.Hold{c.hold}, c.rows)
	found, err := s.Sweep.Due(background, query(c.kind, 10))
	expect.Error(t, "due", nil, err)
	var want []reference.Nomination
	for _, a := range c.want {
		want = append(want, nomination(c.kind, c.hold, a.ends, a.age))
	}
	expect.Same(t, "nominations", want, found)
	s.wants(t, []reference.Hold{c.hold}, c.rows)
}

func nomination(kind reference.Kind, h reference.Hold, ends time.Time, age time.Duration) reference.Nomination {
	return reference.Nomination{Age: age, Message: reference.Message{
		Kind: kind, Window: reference.Window{Hold: h.ID, ExpiresAt: ends}, Learner: h.Learner, Section: h.Section, Zone: h.Zone,
	}}
}

func dueToRemind() []dueCase {
	c := func(name string, h reference.Hold, now time.Time, found bool) dueCase {
		d := dueCase{name: name, kind: reference.Remind, hold: h, now: now}
		if found {
			d.want = []aged{{h.ExpiresAt, now.Sub(due)}}
		}
		return d
	}
	return []dueCase{
		c("nothing-a-microsecond-early", hold(), due.Add(-tick), false),
		c("found-when-due", hold(), due, true),
		c("found-a-microsecond-before-the-cut-off", hold(), cutoff.Add(-tick), true),
		c("nothing-at-the-cut-off", hold(), cutoff, false),
		c("nothing-past-the-cut-off", hold(), cutoff.Add(tick), false),
		c("nothing-when-confirmed", hold(state(reference.Confirmed)), between, false),
		c("nothing-when-cancelled", hold(state(reference.Cancelled)), between, false),
		c("nothing-when-expired", hold(state(reference.Expired)), between, false),
		c("nothing-when-overdue", hold(), ends.Add(time.Hour), false),
	}
}

// dueByRows are cases of reminders that have rows.
func dueByRows() []dueCase {
	c := func(name string, h reference.Hold, now time.Time, found bool, rows ...reference.Row) dueCase {
		d := dueCase{name: name, kind: reference.Remind, hold: h, now: now, rows: rows}
		if found {
			d.want = []aged{{ends, now.Sub(due)}}
		}
		return d
	}
	bySMS := settled(sent, on(reference.SMS))
	lapses, later := due.Add(policy.Lease), ends.Add(time.Hour)
	earlier := of(reference.Window{Hold: "h1", ExpiresAt: ends.Add(-time.Hour)})
	both := c("both-windows-of-an-extended-hold-in-order", hold(), between, true, claimed(earlier), settled(sent))
	both.want = []aged{{ends.Add(-time.Hour), between.Sub(due) + time.Hour}, {ends, between.Sub(due)}}
	return []dueCase{
		both,
		c("nothing-when-every-channel-has-an-outcome", hold(), between, false, settled(lapsed), bySMS),
		c("nothing-when-the-only-channel-has-an-outcome", hold(reached(reference.SMS)), between, false, bySMS),
		c("found-when-a-channel-has-no-row", hold(), between, true, settled(sent)),
		c("found-when-a-channel-has-no-row-and-one-is-claimed", hold(), due, true, claimed()),
		c("found-when-only-an-earlier-window-has-rows", hold(), between, true, settled(sent, earlier), settled(sent, earlier, on(reference.SMS))),
		c("nothing-while-claimed", hold(), lapses.Add(-tick), false, claimed(), bySMS),
		c("found-when-lapsed", hold(), lapses, true, claimed(), bySMS),
		c("found-when-free", hold(), between, true, free(), bySMS),
		c("nothing-before-its-not-before", hold(), between.Add(-tick), false, free(notBefore(between)), bySMS),
		c("found-at-its-not-before", hold(), between, true, free(notBefore(between)), bySMS),
		c("found-past-the-cut-off-when-lapsed", hold(), cutoff, true, claimed(), bySMS),
		c("found-past-the-cut-off-when-free", hold(), cutoff, true, free(), bySMS),
		c("nothing-past-the-cut-off-while-claimed", hold(), cutoff, false, claimed(leased(cutoff.Add(tick))), bySMS),
		c("found-when-confirmed-with-a-lapsed-row", hold(state(reference.Confirmed)), between, true, claimed()),
		c("found-when-cancelled-with-a-free-row", hold(state(reference.Cancelled)), between, true, free()),
		c("found-when-expired-with-a-row-in-doubt", hold(state(reference.Expired)), later, true, free(doubt(reference.Timeout)), bySMS),
		c("found-when-extended-with-a-lapsed-row", hold(expires(later)), between, true, claimed()),
		c("nothing-when-confirmed-while-claimed", hold(state(reference.Confirmed)), due, false, claimed()),
		c("found-once-with-two-lapsed-rows", hold(), between, true, claimed(), claimed(on(reference.SMS))),
		c("found-when-one-of-two-rows-lapsed", hold(), between, true, claimed(leased(ends)), claimed(on(reference.SMS))),
	}
}

func dueToExpire() []dueCase {
	c := func(name string, h reference.Hold, now time.Time, found bool) dueCase {
		d := dueCase{name: name, kind: reference.Expire, hold: h, now: now}
		if found {
			d.want = []aged{{h.ExpiresAt, now.Sub(h.ExpiresAt)}}
		}
		return d
	}
	withRows := c("found-whatever-its-rows", hold(), ends, true)
	withRows.rows = []reference.Row{settled(sent), claimed(leased(ends.Add(tick)), on(reference.SMS))}
	return []dueCase{
		withRows,
		c("nothing-a-microsecond-early", hold(), ends.Add(-tick), false),
		c("found-when-over", hold(), ends, true),
		c("found-long-after", hold(), ends.Add(48*time.Hour), true),
		c("nothing-when-confirmed", hold(state(reference.Confirmed)), ends, false),
		c("nothing-when-cancelled", hold(state(reference.Cancelled)), ends, false),
		c("nothing-when-expired", hold(state(reference.Expired)), ends, false),
		c("nothing-when-extended", hold(expires(ends.Add(time.Second))), ends, false),
	}
}

// ids are in the order of their bytes, which is that of no language.
var ids = []reference.HoldID{"'; --", "B", "a", "a b", "aa", "h1", "z", "ä", "ö", "Ω", "한", "🎓"}

// testDuePages reads holds, of which a dozen end in the same second, in pages of several sizes.
func testDuePages(t *testing.T, s Stores, kind reference.Kind) {
	now := between
	if kind == reference.Expire {
		now = ends.Add(time.Minute)
	}
	s.SetNow(now)
	var holds []reference.Hold
	var want []reference.Nomination
	for _, at := range []time.Time{ends.Add(-time.Second), ends, ends.Add(time.Second)} {
		for _, id := range ids {
			if !at.Equal(ends) {
				id = reference.HoldID(fmt.Sprintf("%d%s", at.Unix(), id))
			}
			h := hold(named(id), expires(at))
			holds = append(holds, h)
			age := now.Sub(at)
			if kind == reference.Remind {
				age += policy.Lead
			}
			want = append(want, nomination(kind, h, at, age))
		}
	}
	slices.Reverse(holds)
	s.load(t, holds, nil)
	for _, limit := range []int{1, 2, 5, 12, 18, 35, 36, 100} {
		expect.Same(t, fmt.Sprintf("nominations in pages of %d", limit), want, s.pages(t, query(kind, limit)))
	}
}

// pages reads page after page.
func (s Stores) pages(t *testing.T, q reference.DueQuery) []reference.Nomination {
	t.Helper()
	var all []reference.Nomination
	for range 100 {
		page, err := s.Sweep.Due(background, q)
		expect.Error(t, "due", nil, err)
		if len(page) > q.Limit {
			t.Fatalf("a page of %d, want at most %d", len(page), q.Limit)
		}
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		q.After = page[len(page)-1].Message.Window
	}
	t.Fatalf("no end after 100 pages of %d", q.Limit)
	return nil
}

// testDueOnce has windows that are due for one of two reasons or both, mixed with others that
// aren't, so that a page which counts what it skips would come out short.
func testDueOnce(t *testing.T, s Stores) {
	s.SetNow(between)
	var holds []reference.Hold
	var rows []reference.Row
	var want []reference.Nomination
	for i := range 24 {
		h := hold(named(reference.HoldID(fmt.Sprintf("h%02d", i))))
		mine, mineToo := of(h.Window()), on(reference.SMS)
		found := true
		switch i % 6 {
		case 0: // no row at all
		case 1: // one missing, one lapsed
			rows = append(rows, claimed(mine))
		case 2: // two lapsed
			rows = append(rows, claimed(mine), claimed(mine, mineToo))
		case 3: // over, with a lapsed row
			h.State = reference.Confirmed
			rows = append(rows, claimed(mine))
		case 4: // all said
			rows, found = append(rows, settled(sent, mine), settled(sent, mine, mineToo)), false
		case 5: // somebody is at it
			rows, found = append(rows, settled(sent, mine), claimed(mine, mineToo, leased(ends))), false
		}
		holds = append(holds, h)
		if found {
			want = append(want, nomination(reference.Remind, h, ends, between.Sub(due)))
		}
	}
	s.load(t, holds, rows)
	for _, limit := range []int{1, 3, 16, 17} {
		expect.Same(t, fmt.Sprintf("nominations in pages of %d", limit), want, s.pages(t, query(reference.Remind, limit)))
	}
}

// testDueMessage reads back what is opaque to the pipeline.
func testDueMessage(t *testing.T, s Stores) {
	s.SetNow(between)
	h := hold(func(h *reference.Hold) {
		h.Learner, h.Section, h.Zone = "Zoë \\ \"O'Neil\"", "🎓/101", "America/New_York"
	})
	s.load(t, []reference.Hold{h}, nil)
	found, err := s.Sweep.Due(background, query(reference.Remind, 10))
	expect.Error(t, "due", nil, err)
	expect.Same(t, "nominations", []reference.Nomination{nomination(reference.Remind, h, ends, between.Sub(due))}, found)
}
