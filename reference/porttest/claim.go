package porttest

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// claimCase is one row of the table of claims, at one of its edges: what is there, when h1's email
// is claimed by token t1, and what comes of it.
type claimCase struct {
	name string
	hold *reference.Hold
	row  *reference.Row
	now  time.Time
	// edit changes the request, which is claim-first without keys.
	edit func(*reference.ClaimRequest)
	want reference.Claim
	// wantRow is the row after it, if the claim writes one.
	wantRow *reference.Row
}

func (c claimCase) request() reference.ClaimRequest {
	q := reference.ClaimRequest{
		Reminder: reminder(reference.Email), Token: "t1", MessageID: "m1",
		Lead: policy.Lead, Cutoff: policy.Cutoff, Lease: policy.Lease, SendTimeout: policy.SendTimeout,
		Order: reference.ClaimFirst,
	}
	if c.edit != nil {
		c.edit(&q)
	}
	return q
}

func testClaim(t *testing.T, open func(t *testing.T) Stores) {
	for _, cases := range [][]claimCase{
		claimsWithoutRow(), claimsOfFinalRows(), claimsByTheSameToken(), claimsOfBusyRows(),
		claimsOfFreeRows(), claimsInDoubt(), claimsOfAbandonedRows(),
	} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
		}
	}
	t.Run("other-channels-and-windows-are-left-alone", func(t *testing.T) { testClaimApart(t, open(t)) })
	t.Run("time-is-kept-to-the-microsecond", func(t *testing.T) { testClaimResolution(t, open(t)) })
}

func (c claimCase) run(t *testing.T, s Stores) {
	s.SetNow(c.now)
	s.load(t, some(c.hold), some(c.row))
	got, err := s.Worker.Claim(background, c.request())
	expect.Error(t, "claim", nil, err)
	expect.Same(t, "claim", c.want, got)
	rows := some(c.wantRow)
	if c.wantRow == nil {
		rows = some(c.row)
	}
	s.wants(t, some(c.hold), rows)

	again := c.want
	if again.Answer == reference.SettledHere {
		again.Answer = reference.Settled
	}
	got, err = s.Worker.Claim(background, c.request())
	expect.Error(t, "claim repeated", nil, err)
	expect.Same(t, "claim repeated", again, got)
	s.wants(t, some(c.hold), rows)
}

// granted is the answer to a first claim at now.
func granted(now time.Time) reference.Claim {
	return reference.Claim{Answer: reference.Granted, LeaseLeft: policy.Lease, TimeLeft: cutoff.Sub(now)}
}

func inDoubt(now time.Time, d reference.Reason) reference.Claim {
	c := granted(now)
	c.Doubt = d
	return c
}

// taken is the row of h1's email, held by t1 since now.
func taken(now time.Time, edits ...func(*reference.Row)) *reference.Row {
	r := claimed(func(r *reference.Row) {
		r.Token, r.LeaseUntil, r.FirstClaimedAt, r.MessageID = "t1", now.Add(policy.Lease), now, "m1"
	})
	for _, edit := range edits {
		edit(&r)
	}
	return &r
}

func answer(a reference.Answer) reference.Claim { return reference.Claim{Answer: a} }

func claimsWithoutRow() []claimCase {
	held := ptr(hold())
	early := reference.Claim{Answer: reference.Early, Wait: tick}
	return []claimCase{
		{name: "no-hold", now: between, want: answer(reference.NoHold)},
		{name: "confirmed-is-closed", hold: ptr(hold(state(reference.Confirmed))), now: between, want: answer(reference.Closed)},
		{name: "cancelled-is-closed", hold: ptr(hold(state(reference.Cancelled))), now: between, want: answer(reference.Closed)},
		{name: "expired-is-closed", hold: ptr(hold(state(reference.Expired))), now: ends, want: answer(reference.Closed)},
		{name: "extended-is-closed", hold: ptr(hold(expires(ends.Add(time.Second)))), now: between, want: answer(reference.Closed)},
		{name: "confirmed-in-an-earlier-window-is-closed",
			hold: ptr(hold(state(reference.Confirmed), expires(ends.Add(-time.Second)))), now: between, want: answer(reference.Closed)},
		{name: "channel-that-the-hold-has-not-is-closed", hold: ptr(hold(reached(reference.SMS))), now: between, want: answer(reference.Closed)},
		{name: "message-ahead-of-its-commit", hold: ptr(hold(expires(ends.Add(-time.Second)))), now: between, want: answer(reference.Ahead)},
		{name: "ahead-comes-before-early", hold: ptr(hold(expires(ends.Add(-time.Second)))), now: due.Add(-time.Hour), want: answer(reference.Ahead)},
		{name: "early-by-an-hour", hold: held, now: due.Add(-time.Hour), want: reference.Claim{Answer: reference.Early, Wait: time.Hour}},
		{name: "early-by-a-microsecond", hold: held, now: due.Add(-tick), want: early},
		{name: "granted-when-due", hold: held, now: due, want: granted(due), wantRow: taken(due)},
		{name: "granted-a-microsecond-later", hold: held, now: due.Add(tick), want: granted(due.Add(tick)), wantRow: taken(due.Add(tick))},
		{name: "granted-a-microsecond-before-the-cut-off", hold: held, now: cutoff.Add(-tick), want: granted(cutoff.Add(-tick)), wantRow: taken(cutoff.Add(-tick))},
		{name: "late-at-the-cut-off", hold: held, now: cutoff, want: answer(reference.Late)},
		{name: "late-a-microsecond-later", hold: held, now: cutoff.Add(tick), want: answer(reference.Late)},
		{name: "late-when-overdue", hold: held, now: ends.Add(time.Hour), want: answer(reference.Late)},
	}
}

func claimsOfFinalRows() []claimCase {
	var cases []claimCase
	for _, o := range []reference.Outcome{
		sent, dropped(reference.Rejected), dropped(reference.Throttled), dropped(reference.Stalled), missed, timeout, lapsed,
	} {
		want := reference.Claim{Answer: reference.Settled, Outcome: o}
		cases = append(cases,
			claimCase{name: o.String() + "-is-settled", hold: ptr(hold()), row: ptr(settled(o)), now: between, want: want},
			claimCase{name: o.String() + "-is-settled-after-expiry", hold: ptr(hold(state(reference.Expired))), row: ptr(settled(o)), now: ends.Add(3 * time.Hour), want: want})
	}
	settledByUs := ptr(settled(sent, func(r *reference.Row) { r.Token = "t1" }))
	return append(cases,
		claimCase{name: "sent-under-the-same-token-is-settled", hold: ptr(hold()), row: settledByUs, now: between,
			want: reference.Claim{Answer: reference.Settled, Outcome: sent}},
		claimCase{name: "unknown-is-settled-with-send-first-and-keys", hold: ptr(hold()), row: ptr(settled(timeout)), now: between,
			edit: func(q *reference.ClaimRequest) { q.Order, q.KeyHorizon = reference.SendFirst, 24*time.Hour },
			want: reference.Claim{Answer: reference.Settled, Outcome: timeout}})
}

// claimsByTheSameToken are granted again with what is left as of now, and nothing is read again.
func claimsByTheSameToken() []claimCase {
	ours := func(q *reference.ClaimRequest) { q.Token = "t0" }
	left := func(now time.Time) reference.Claim {
		return reference.Claim{Answer: reference.Granted, LeaseLeft: due.Add(policy.Lease).Sub(now), TimeLeft: cutoff.Sub(now)}
	}
	c := func(name string, h reference.Hold, now time.Time) claimCase {
		return claimCase{name: name, hold: &h, row: ptr(claimed()), now: now, edit: ours, want: left(now)}
	}
	retaken := left(due.Add(time.Second))
	retaken.Doubt = reference.Lapsed
	return []claimCase{
		c("granted-again-at-once", hold(), due),
		c("granted-again-with-what-is-left", hold(), due.Add(5*time.Second)),
		c("granted-again-though-lapsed", hold(), due.Add(policy.Lease+time.Second)),
		c("granted-again-though-confirmed", hold(state(reference.Confirmed)), due.Add(time.Second)),
		c("granted-again-though-extended", hold(expires(ends.Add(time.Hour))), due.Add(time.Second)),
		c("granted-again-past-the-cut-off", hold(), cutoff.Add(time.Second)),
		{name: "granted-again-with-its-doubt", hold: ptr(hold()), row: ptr(claimed(doubt(reference.Lapsed))), now: due.Add(time.Second), edit: ours, want: retaken},
	}
}

func claimsOfBusyRows() []claimCase {
	end := due.Add(policy.Lease)
	busy := func(d time.Duration) reference.Claim { return reference.Claim{Answer: reference.Busy, Wait: d} }
	waits := ptr(free(notBefore(between)))
	return []claimCase{
		{name: "claimed-by-another", hold: ptr(hold()), row: ptr(claimed()), now: due, want: busy(policy.Lease)},
		{name: "claimed-by-another-for-a-microsecond", hold: ptr(hold()), row: ptr(claimed()), now: end.Add(-tick), want: busy(tick)},
		{name: "claimed-by-another-though-confirmed", hold: ptr(hold(state(reference.Confirmed))), row: ptr(claimed()), now: due, want: busy(policy.Lease)},
		{name: "claimed-by-another-past-the-cut-off", hold: ptr(hold()), row: ptr(claimed(leased(cutoff.Add(time.Second)))), now: cutoff, want: busy(time.Second)},
		{name: "claimed-by-another-with-send-first", hold: ptr(hold()), row: ptr(claimed()), now: due, want: busy(policy.Lease),
			edit: func(q *reference.ClaimRequest) { q.Order = reference.SendFirst }},
		{name: "not-before-a-second", hold: ptr(hold()), row: waits, now: between.Add(-time.Second), want: busy(time.Second)},
		{name: "not-before-a-microsecond", hold: ptr(hold()), row: waits, now: between.Add(-tick), want: busy(tick)},
		{name: "not-before-though-cancelled", hold: ptr(hold(state(reference.Cancelled))), row: waits, now: between.Add(-tick), want: busy(tick)},
	}
}
