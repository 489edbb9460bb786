package reference_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// What the tables are made of: a window that ends at ends, nudged from due on and before cutoff.
var (
	policy  = reference.DefaultPolicy()
	ends    = time.Date(2026, 3, 2, 12, 10, 0, 0, time.UTC)
	due     = ends.Add(-policy.Lead)
	cutoff  = ends.Add(-policy.Cutoff)
	between = due.Add(time.Minute)
	window  = reference.Window{Hold: "h1", ExpiresAt: ends}
	email   = reference.Reminder{Window: window, Channel: reference.Email}
)

const tick = time.Microsecond

func hold(edits ...func(*reference.Hold)) *reference.Hold {
	h := reference.Hold{
		ID: "h1", Learner: "l1", Section: "s1", ExpiresAt: ends, Zone: "Europe/Berlin", State: reference.Held, Channels: reference.Channels,
	}
	for _, edit := range edits {
		edit(&h)
	}
	return &h
}

func state(s reference.State) func(*reference.Hold) { return func(h *reference.Hold) { h.State = s } }
func expires(at time.Time) func(*reference.Hold)    { return func(h *reference.Hold) { h.ExpiresAt = at } }

// claimed is the row of h1's email as claimed by token t0 at due.
func claimed(edits ...func(*reference.Row)) *reference.Row {
	r := reference.Row{Reminder: email, Token: "t0", LeaseUntil: due.Add(policy.Lease), FirstClaimedAt: due, MessageID: "m0"}
	for _, edit := range edits {
		edit(&r)
	}
	return &r
}

func freed(r *reference.Row)                        { r.Token, r.LeaseUntil = "", time.Time{} }
func doubt(d reference.Reason) func(*reference.Row) { return func(r *reference.Row) { r.Doubt = d } }
func notBefore(at time.Time) func(*reference.Row)   { return func(r *reference.Row) { r.NotBefore = at } }
func outcome(v reference.Verdict, why reference.Reason) func(*reference.Row) {
	return func(r *reference.Row) {
		r.Outcome, r.SettledAt = reference.Outcome{Verdict: v, Reason: why}, due.Add(time.Second)
	}
}

// retaken is what a claim by t1 at now makes of a row.
func retaken(now time.Time) func(*reference.Row) {
	return func(r *reference.Row) { r.Token, r.LeaseUntil, r.MessageID = "t1", now.Add(policy.Lease), "m1" }
}

// ended is what a claim at now that ends a row makes of it.
func ended(now time.Time, v reference.Verdict, why reference.Reason) func(*reference.Row) {
	return func(r *reference.Row) { r.Outcome, r.SettledAt = reference.Outcome{Verdict: v, Reason: why}, now }
}

// TestDecideRow: the row is looked at before the hold.
func TestDecideRow(t *testing.T) {
	lapses, first := due.Add(policy.Lease), func(at time.Time) func(*reference.Row) {
		return func(r *reference.Row) { r.FirstClaimedAt = at }
	}
	horizon := between.Add(policy.Lease + policy.SendTimeout - time.Hour)
	sendFirst := func(q *reference.ClaimRequest) { q.Order = reference.SendFirst }
	keys := func(q *reference.ClaimRequest) { q.KeyHorizon = time.Hour }
	ours := func(q *reference.ClaimRequest) { q.Token = "t0" }
	left := func(now time.Time) reference.Claim {
		return reference.Claim{Answer: reference.Granted, LeaseLeft: lapses.Sub(now), TimeLeft: cutoff.Sub(now)}
	}
	fresh := func(now time.Time, d reference.Reason) reference.Claim {
		return reference.Claim{Answer: reference.Granted, LeaseLeft: policy.Lease, TimeLeft: cutoff.Sub(now), Doubt: d}
	}
	busy := func(d time.Duration) reference.Claim { return reference.Claim{Answer: reference.Busy, Wait: d} }
	over := func(a reference.Answer, v reference.Verdict, why reference.Reason) reference.Claim {
		return reference.Claim{Answer: a, Outcome: reference.Outcome{Verdict: v, Reason: why}}
	}
	lapsed := over(reference.SettledHere, reference.Unknown, reference.Lapsed)
	decideCases{
		{"final", hold(), claimed(outcome(reference.Sent, "")), due, nil, over(reference.Settled, reference.Sent, ""), nil},
		{"final-by-my-token", hold(), claimed(outcome(reference.Sent, "")), due, ours, over(reference.Settled, reference.Sent, ""), nil},
		{"final-without-hold", nil, claimed(outcome(reference.Unknown, reference.Timeout)), due, keys, over(reference.Settled, reference.Unknown, reference.Timeout), nil},
		{"mine", hold(), claimed(), due.Add(tick), ours, left(due.Add(tick)), nil},
		{"mine-lapsed", hold(), claimed(), lapses.Add(tick), ours, left(lapses.Add(tick)), nil},
		{"mine-whatever-the-hold", hold(state(reference.Cancelled)), claimed(), cutoff.Add(tick), ours, left(cutoff.Add(tick)), nil},
		{"mine-without-hold", nil, claimed(), due, ours, left(due), nil},
		{"another's", hold(), claimed(), due, sendFirst, busy(policy.Lease), nil},
		{"another's-last-microsecond", hold(), claimed(), lapses.Add(-tick), sendFirst, busy(tick), nil},
		{"another's-without-hold", nil, claimed(), due, nil, busy(policy.Lease), nil},
		{"not-before-ahead", hold(), claimed(freed, notBefore(between)), between.Add(-tick), nil, busy(tick), nil},
		{"not-before-reached", hold(), claimed(freed, notBefore(between)), between, nil, fresh(between, ""), claimed(notBefore(between), retaken(between))},
		{"free", hold(), claimed(freed), cutoff.Add(-tick), nil, fresh(cutoff.Add(-tick), ""), claimed(retaken(cutoff.Add(-tick)))},
		{"free-at-cut-off", hold(), claimed(freed), cutoff, sendFirst, over(reference.SettledHere, reference.Dropped, reference.Missed),
			claimed(freed, ended(cutoff, reference.Dropped, reference.Missed))},
		{"free-throttled-at-cut-off", hold(), claimed(freed, notBefore(due)), cutoff, nil, over(reference.SettledHere, reference.Dropped, reference.Throttled),
			claimed(freed, notBefore(due), ended(cutoff, reference.Dropped, reference.Throttled))},
		{"free-in-another-window", hold(expires(ends.Add(time.Hour))), claimed(freed), between, nil, over(reference.SettledHere, reference.Dropped, reference.Missed),
			claimed(freed, ended(between, reference.Dropped, reference.Missed))},
		{"free-without-hold", nil, claimed(freed), between, nil, over(reference.SettledHere, reference.Dropped, reference.Missed),
			claimed(freed, ended(between, reference.Dropped, reference.Missed))},
		{"lapsed", hold(), claimed(), lapses, nil, lapsed, claimed(doubt(reference.Lapsed), ended(lapses, reference.Unknown, reference.Lapsed))},
		{"lapsed-send-first", hold(), claimed(), lapses, sendFirst, fresh(lapses, reference.Lapsed), claimed(doubt(reference.Lapsed), retaken(lapses))},
		{"lapsed-send-first-at-cut-off", hold(), claimed(), cutoff, sendFirst, lapsed, claimed(doubt(reference.Lapsed), ended(cutoff, reference.Unknown, reference.Lapsed))},
		{"lapsed-send-first-confirmed", hold(state(reference.Confirmed)), claimed(), lapses, sendFirst, lapsed,
			claimed(doubt(reference.Lapsed), ended(lapses, reference.Unknown, reference.Lapsed))},
		{"timeout-then-lapsed", hold(), claimed(doubt(reference.Timeout)), lapses, nil, over(reference.SettledHere, reference.Unknown, reference.Timeout),
			claimed(doubt(reference.Timeout), ended(lapses, reference.Unknown, reference.Timeout))},
		{"free-timeout-send-first", hold(), claimed(freed, doubt(reference.Timeout)), between, sendFirst, fresh(between, reference.Timeout),
			claimed(doubt(reference.Timeout), retaken(between))},
		{"free-timeout-throttled", hold(), claimed(freed, doubt(reference.Timeout), notBefore(due)), between, nil, over(reference.SettledHere, reference.Unknown, reference.Timeout),
			claimed(freed, doubt(reference.Timeout), notBefore(due), ended(between, reference.Unknown, reference.Timeout))},
		{"keys-inside-horizon", hold(), claimed(first(horizon.Add(tick))), between, keys, fresh(between, reference.Lapsed),
			claimed(doubt(reference.Lapsed), first(horizon.Add(tick)), retaken(between))},
		{"keys-at-horizon", hold(), claimed(first(horizon)), between, keys, lapsed,
			claimed(doubt(reference.Lapsed), first(horizon), ended(between, reference.Unknown, reference.Lapsed))},
	}.run(t)
}

func TestDecideHold(t *testing.T) {
	granted := func(now time.Time) (reference.Claim, *reference.Row) {
		return reference.Claim{Answer: reference.Granted, LeaseLeft: policy.Lease, TimeLeft: cutoff.Sub(now)},
			claimed(retaken(now), func(r *reference.Row) { r.FirstClaimedAt = now })
	}
	grant := func(name string, now time.Time) decideCase {
		claim, row := granted(now)
		return decideCase{name, hold(), nil, now, nil, claim, row}
	}
	refuse := func(name string, h *reference.Hold, now time.Time, a reference.Answer, wait time.Duration) decideCase {
		return decideCase{name, h, nil, now, nil, reference.Claim{Answer: a, Wait: wait}, nil}
	}
	onlySMS := func(h *reference.Hold) { h.Channels = []reference.Channel{reference.SMS} }
	decideCases{
		grant("due", due), grant("before-cut-off", cutoff.Add(-tick)),
		refuse("no-hold", nil, between, reference.NoHold, 0),
		refuse("confirmed", hold(state(reference.Confirmed)), between, reference.Closed, 0),
		refuse("cancelled", hold(state(reference.Cancelled)), between, reference.Closed, 0),
		refuse("expired", hold(state(reference.Expired)), between, reference.Closed, 0),
		refuse("extended", hold(expires(ends.Add(time.Second))), between, reference.Closed, 0),
		refuse("cancelled-before-the-message's-window", hold(state(reference.Cancelled), expires(ends.Add(-time.Second))), between, reference.Closed, 0),
		refuse("no-such-channel", hold(onlySMS), between, reference.Closed, 0),
		refuse("ahead", hold(expires(ends.Add(-time.Second))), due.Add(-time.Hour), reference.Ahead, 0),
		refuse("early", hold(), due.Add(-tick), reference.Early, tick),
		refuse("late", hold(), cutoff, reference.Late, 0),
		refuse("overdue", hold(), ends.Add(time.Hour), reference.Late, 0),
	}.run(t)
}

type decideCase struct {
	name string
	hold *reference.Hold
	row  *reference.Row
	now  time.Time
	edit func(*reference.ClaimRequest)
	want reference.Claim
	// wantRow is what is written; nil for nothing.
	wantRow *reference.Row
}

type decideCases []decideCase

func (cases decideCases) run(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			q := reference.ClaimRequest{
				Reminder: email, Token: "t1", MessageID: "m1", Order: reference.ClaimFirst,
				Lead: policy.Lead, Cutoff: policy.Cutoff, Lease: policy.Lease, SendTimeout: policy.SendTimeout,
			}
			if c.edit != nil {
				c.edit(&q)
			}
			var before reference.Row
			if c.row != nil {
				before = *c.row
			}
			claim, row := q.Decide(reference.Facts{Now: c.now, Hold: c.hold, Row: c.row})
			if d := cmp.Diff(c.want, claim); d != "" {
				t.Errorf("claim (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.wantRow, row); d != "" {
				t.Errorf("row (-want +got):\n%s", d)
			}
			if c.row != nil && cmp.Diff(before, *c.row) != "" {
				t.Error("the decision changed the facts")
			}
		})
	}
}
