package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// stores are what operations are done on: Postgres, or the model.
type stores interface {
	reference.WorkerStore
	reference.HoldStore
}

// operation is one call at one time of the database's clock.
type operation struct {
	name string
	now  time.Time
	do   func(s stores) string
	// ends says that success ends h1's window, rows that the operation writes rows.
	ends, rows bool
	// looks names the states from which its first statement changes nothing, so that it is no use to
	// stop between that and the commit.
	looks []string
	// idle names the states from which it can change nothing, whatever comes before it.
	idle []string
}

// The states of email's row from which operations start.
const (
	noRow   = "no-row"
	claimed = "claimed"
	lapsed  = "lapsed"
	free    = "free"
)

const success = "success"

func answer(err error) string {
	if err == nil {
		return success
	}
	for _, e := range []error{reference.ErrNoHold, reference.ErrNotHeld, reference.ErrRunOut, reference.ErrOtherWindow, reference.ErrNotLater} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	return "error: " + err.Error()
}

func operations() []operation {
	ctx := context.Background()
	claim := func(token reference.Token) func(stores) string {
		return func(s stores) string {
			c, err := s.Claim(ctx, claimOf(email, token))
			if err == nil && c.Answer == reference.Granted {
				return success
			}
			return fmt.Sprint(c, err)
		}
	}
	settle := func(t reference.Settlement) func(stores) string {
		return func(s stores) string { return fmt.Sprint(s.Settle(ctx, t)) }
	}
	late := ends.Add(-policy.Cutoff)
	return []operation{
		{name: "claim", now: nudge, rows: true, looks: []string{claimed, lapsed, free}, do: claim("b")},
		{name: "other-claim", now: nudge, rows: true, looks: []string{claimed, lapsed, free}, do: claim("c")},
		{name: "late-claim", now: late, rows: true, looks: []string{noRow, claimed, lapsed, free}, do: claim("d")},
		{name: "confirm", now: nudge, ends: true, do: func(s stores) string { return answer(s.Confirm(ctx, "h1")) }},
		{name: "cancel", now: nudge, ends: true, do: func(s stores) string { return answer(s.Cancel(ctx, "h1")) }},
		{name: "extend", now: nudge, ends: true, do: func(s stores) string {
			return answer(s.Extend(ctx, email.Window, ends.Add(time.Hour)))
		}},
		{name: "expire", now: ends, ends: true, rows: true, do: func(s stores) string {
			e, wait, err := s.Expire(ctx, email.Window, "2")
			if err == nil && e == reference.ExpiredNow {
				return success
			}
			return fmt.Sprint(e, wait, err)
		}},
		{name: "settle-sent", now: nudge, rows: true, looks: []string{noRow}, do: settle(settlementOf(reference.Sent, "", "a"))},
		{name: "settle-dropped", now: nudge, rows: true, looks: []string{noRow, free}, idle: []string{noRow, free}, do: settle(settlementOf(reference.Dropped, reference.Rejected, "a"))},
		{name: "release", now: nudge, rows: true, looks: []string{noRow, free}, idle: []string{noRow, free}, do: func(s stores) string {
			return answer(s.Release(ctx, reference.Release{Reminder: email, Token: "a", Doubt: reference.Timeout}))
		}},
	}
}

// outcome is what two operations came to.
type outcome struct {
	Answers [2]string
	Holds   []reference.Hold
	Rows    []reference.Row
}

// serial is what the model says of two operations, the one of index first before the other.
func serial(t *testing.T, rows []reference.Row, pair [2]operation, first int) outcome {
	t.Helper()
	clock := &hand{start}
	s := memory.NewStore(clock.now)
	if err := s.Load([]reference.Hold{heldHold("h1")}, rows); err != nil {
		t.Fatal(err)
	}
	var o outcome
	for _, i := range []int{first, 1 - first} {
		clock.Time = pair[i].now
		o.Answers[i] = pair[i].do(s)
	}
	o.Holds, o.Rows = s.Snapshot()
	return o
}

// The state in which each order starts is kept in tables, so that one round trip restores it.
const (
	keepStart = `
create table start_holds as table seat_holds;
create table start_rows as table reminders`

	startAgain = `
delete from reminders;
delete from seat_holds;
insert into seat_holds table start_holds;
insert into reminders table start_rows`
)

// TestOrders takes every pair of operations through every order of their steps.
func TestOrders(t *testing.T) {
	freeRow := claimedRow(0)
	freeRow.Token, freeRow.LeaseUntil, freeRow.NotBefore = "", time.Time{}, nudge.Add(-time.Second)
	for state, rows := range map[string][]reference.Row{
		noRow: nil, claimed: {claimedRow(time.Second)}, lapsed: {claimedRow(-time.Second)}, free: {freeRow},
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			db := migrated(t)
			m, s := newMatch(t, db), NewStore(db)
			if err := s.Load(t.Context(), []reference.Hold{heldHold("h1")}, rows); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(keepStart); err != nil {
				t.Fatal(err)
			}
			orders, waits := 0, 0
			for _, pair := range pairs(state) {
				for i, o := range pair {
					m.players[i].coarse = slices.Contains(o.looks, state)
				}
				testPair(t, m, s, rows, pair, func(p played) {
					orders++
					if p.waited {
						waits++
					}
				})
			}
			t.Logf("%d orders, in %d of which one had to wait", orders, waits)
			if waits == 0 {
				t.Error("nobody ever had to wait, so nothing was locked")
			}
		})
	}
}

// pairs are all pairs of operations that can come to something from a state.
func pairs(state string) (all [][2]operation) {
	for i, a := range operations() {
		for _, b := range operations()[i:] {
			switch {
			case state != noRow && !a.rows && !b.rows: // as without a row
			case state != noRow && (a.name == "cancel" || b.name == "cancel"): // as confirm
			case b.name == "other-claim" && a.name != "claim", a.name == "other-claim": // as claim
			case a.name != "claim" && (slices.Contains(a.idle, state) || slices.Contains(b.idle, state)):
			default:
				all = append(all, [2]operation{a, b})
			}
		}
	}
	return all
}

func testPair(t *testing.T, m *match, s *Store, rows []reference.Row, pair [2]operation, count func(played)) {
	ctx := context.Background()
	want := [2]outcome{serial(t, rows, pair, 0), serial(t, rows, pair, 1)}
	var calls [2]func(database) string
	for i, o := range pair {
		calls[i] = func(d database) string { return o.do(&Store{db: d, now: func() time.Time { return o.now }}) }
	}
	reset := func() {
		if _, err := s.sql.Exec(startAgain); err != nil {
			t.Fatal(err)
		}
	}
	m.allOrders(t, reset, calls, func(p played) {
		holds, rows, err := s.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := outcome{p.answers, holds, rows}
		name := fmt.Sprintf("%s A, %s B, %s", pair[0].name, pair[1].name, p.order)
		if !reflect.DeepEqual(got, want[0]) && !reflect.DeepEqual(got, want[1]) {
			t.Errorf("%s: neither A before B (-want +got)\n%s\nnor B before A (-want +got)\n%s",
				name, cmp.Diff(want[0], got), cmp.Diff(want[1], got))
		}
		count(p)
		checkPromises(t, name, pair, p, got)
	})
}

// checkPromises looks at what must be so whatever the model says.
func checkPromises(t *testing.T, name string, pair [2]operation, p played, got outcome) {
	t.Helper()
	left := 0
	for i, o := range pair {
		other := 1 - i
		succeeded := p.answers[i] == success
		switch {
		case o.ends && succeeded && o.name != "extend":
			left++
		case o.name == "settle-sent" && p.answers[i] == "recorded<nil>" && got.Rows[0].Outcome.Verdict != reference.Sent:
			t.Errorf("%s: the receipt was %s, and the row is %s", name, p.answers[i], got.Rows[0].Outcome)
		case o.name == "claim" && succeeded && pair[other].name == "other-claim" && p.answers[other] == success:
			t.Errorf("%s: both claims were granted", name)
		}
		// P3: a claim granted has read that the hold was held, and kept it so until it was committed.
		if o.rows && !o.ends && succeeded && pair[other].ends && p.answers[other] == success && o.name != "release" && p.last == i {
			t.Errorf("%s: granted after %s", name, pair[other].name)
		}
		if o.name == "expire" && succeeded && len(got.Rows) != len(reference.Channels) {
			t.Errorf("%s: expired with %d rows", name, len(got.Rows))
		}
	}
	if left > 1 && pair[0].name != pair[1].name {
		t.Errorf("%s: the hold left held twice", name)
	}
}
