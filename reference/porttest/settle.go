package porttest

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// settleCase is what is there when token t0, or another, settles h1's email at now.
type settleCase struct {
	name    string
	hold    *reference.Hold
	row     *reference.Row
	token   reference.Token
	outcome reference.Outcome
	want    reference.SettleAnswer
	// wantRow is the row after it, if the settlement writes one.
	wantRow *reference.Row
	// again is the answer to the repetition.
	again reference.SettleAnswer
}

func testSettle(t *testing.T, open func(t *testing.T) Stores) {
	for _, cases := range [][]settleCase{receipts(), settlements(), refusedSettlements()} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
		}
	}
}

func (c settleCase) run(t *testing.T, s Stores) {
	s.SetNow(between)
	s.load(t, some(c.hold), some(c.row))
	settlement := reference.Settlement{Reminder: reminder(reference.Email), Token: c.token, Outcome: c.outcome, MessageID: "m1"}
	if c.outcome == sent {
		settlement.ProviderRef = "p1"
	}
	rows := some(c.wantRow)
	if c.wantRow == nil {
		rows = some(c.row)
	}
	for i, want := range []reference.SettleAnswer{c.want, c.again} {
		got, err := s.Worker.Settle(background, settlement)
		expect.Error(t, "settle", nil, err)
		if got != want {
			t.Errorf("asked %d times, answer is %s, want %s", i+1, got, want)
		}
		s.wants(t, some(c.hold), rows)
		s.SetNow(between.Add(time.Second))
	}
}

// ended is row r with the outcome that message m1 recorded at between.
func ended(r reference.Row, o reference.Outcome) *reference.Row {
	r.Outcome, r.SettledAt, r.MessageID = o, between, "m1"
	if o == sent {
		r.ProviderRef = "p1"
	}
	return &r
}

// receipts are recorded whatever token holds the row by now.
func receipts() []settleCase {
	c := func(name string, h reference.Hold, r reference.Row) settleCase {
		return settleCase{name: name, hold: &h, row: &r, token: "t0", outcome: sent,
			want: reference.Recorded, wantRow: ended(r, sent), again: reference.AlreadyFinal}
	}
	byAnother := func(r *reference.Row) { r.Token = "t9" }
	live := leased(between.Add(time.Second))
	fresh := ended(reference.Row{Reminder: reminder(reference.Email), Token: "t0", FirstClaimedAt: between}, sent)
	final := func(name string, o reference.Outcome) settleCase {
		return settleCase{name: name, hold: ptr(hold()), row: ptr(settled(o)), token: "t0", outcome: sent,
			want: reference.AlreadyFinal, again: reference.AlreadyFinal}
	}
	return []settleCase{
		c("receipt-within-the-lease", hold(), claimed(live)),
		c("receipt-after-the-lease", hold(), claimed()),
		c("receipt-while-another-has-the-claim", hold(), claimed(live, byAnother)),
		c("receipt-for-a-released-row", hold(), free()),
		c("receipt-for-a-row-in-doubt", hold(), free(doubt(reference.Timeout))),
		c("receipt-replaces-unknown-lapsed", hold(), settled(lapsed)),
		c("receipt-replaces-unknown-timeout-of-another", hold(), settled(timeout, byAnother)),
		c("receipt-after-confirmation", hold(state(reference.Confirmed)), claimed(live)),
		c("receipt-after-expiry", hold(state(reference.Expired)), claimed()),
		c("receipt-after-extension", hold(expires(ends.Add(time.Hour))), claimed()),
		{name: "receipt-writes-a-missing-row", hold: ptr(hold()), token: "t0", outcome: sent,
			want: reference.Recorded, wantRow: fresh, again: reference.AlreadyFinal},
		{name: "receipt-without-a-hold-is-gone", token: "t0", outcome: sent, want: reference.Gone, again: reference.Gone},
		final("receipt-leaves-an-earlier-receipt", sent),
		final("receipt-leaves-missed", missed),
		final("receipt-leaves-rejected", dropped(reference.Rejected)),
	}
}

// settlements without a receipt need the token and an open row.
func settlements() []settleCase {
	c := func(name string, r reference.Row, o, want reference.Outcome) settleCase {
		return settleCase{name: name, hold: ptr(hold()), row: &r, token: "t0", outcome: o,
			want: reference.Recorded, wantRow: ended(r, want), again: reference.AlreadyFinal}
	}
	var cases []settleCase
	for _, o := range []reference.Outcome{
		dropped(reference.Rejected), dropped(reference.Throttled), dropped(reference.Stalled), timeout,
	} {
		cases = append(cases,
			c(o.String()+"-is-recorded", claimed(), o, o),
			c(o.String()+"-with-doubt-is-unknown-for-the-doubt", claimed(doubt(reference.Lapsed)), o,
				reference.Outcome{Verdict: reference.Unknown, Reason: unknownFor(o, reference.Lapsed)}))
	}
	return cases
}

// unknownFor is the reason of an unknown outcome that o, with doubt d, comes to.
func unknownFor(o reference.Outcome, d reference.Reason) reference.Reason {
	if o.Verdict == reference.Unknown {
		return o.Reason
	}
	return d
}

func refusedSettlements() []settleCase {
	c := func(name string, r *reference.Row, token reference.Token, o reference.Outcome, want reference.SettleAnswer) settleCase {
		return settleCase{name: name, hold: ptr(hold()), row: r, token: token, outcome: o, want: want, again: want}
	}
	rejected := dropped(reference.Rejected)
	return []settleCase{
		c("rejected-under-another-claim-is-not-yours", ptr(claimed()), "t9", rejected, reference.NotYours),
		c("unknown-under-another-claim-is-not-yours", ptr(claimed()), "t9", timeout, reference.NotYours),
		c("rejected-for-a-released-row-is-not-yours", ptr(free()), "t0", rejected, reference.NotYours),
		c("rejected-without-a-row-is-not-yours", nil, "t0", rejected, reference.NotYours),
		c("rejected-after-sent-is-already-final", ptr(settled(sent)), "t0", rejected, reference.AlreadyFinal),
		c("rejected-after-unknown-is-already-final", ptr(settled(lapsed)), "t0", rejected, reference.AlreadyFinal),
		c("rejected-by-another-after-sent-is-already-final", ptr(settled(sent)), "t9", rejected, reference.AlreadyFinal),
		c("unknown-after-missed-is-already-final", ptr(settled(missed)), "t0", timeout, reference.AlreadyFinal),
		{name: "rejected-without-a-hold-is-not-yours", token: "t0", outcome: rejected, want: reference.NotYours, again: reference.NotYours},
	}
}

// releaseCase is what is there when a claim on h1's email is released at between.
type releaseCase struct {
	name    string
	row     *reference.Row
	release reference.Release
	// wantRow is the row after it, if the release applies.
	wantRow *reference.Row
}

func testRelease(t *testing.T, open func(t *testing.T) Stores) {
	const after = 7 * time.Second
	plain := reference.Release{Token: "t0"}
	later := reference.Release{Token: "t0", After: after}
	doubtful := reference.Release{Token: "t0", Doubt: reference.Timeout}
	for _, c := range []releaseCase{
		{"freed", ptr(claimed()), plain, ptr(free())},
		{"freed-within-the-lease", ptr(claimed(leased(between.Add(time.Second)))), plain, ptr(free())},
		{"freed-for-later", ptr(claimed()), later, ptr(free(notBefore(between.Add(after))))},
		{"freed-for-later-again", ptr(claimed(notBefore(due))), later, ptr(free(notBefore(between.Add(after))))},
		{"freed-keeps-its-not-before", ptr(claimed(notBefore(due))), plain, ptr(free(notBefore(due)))},
		{"freed-with-doubt", ptr(claimed()), doubtful, ptr(free(doubt(reference.Timeout)))},
		{"freed-keeps-its-doubt", ptr(claimed(doubt(reference.Lapsed))), doubtful, ptr(free(doubt(reference.Lapsed)))},
		{"freed-without-doubt-keeps-its-doubt", ptr(claimed(doubt(reference.Lapsed))), plain, ptr(free(doubt(reference.Lapsed)))},
		{"claimed-by-another-stays", ptr(claimed(func(r *reference.Row) { r.Token = "t9" })), later, nil},
		{"free-stays", ptr(free()), later, nil},
		{"sent-stays", ptr(settled(sent)), doubtful, nil},
		{"unknown-stays", ptr(settled(lapsed)), doubtful, nil},
		{"nothing-stays-nothing", nil, later, nil},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func (c releaseCase) run(t *testing.T, s Stores) {
	s.SetNow(between)
	s.load(t, []reference.Hold{hold()}, some(c.row))
	c.release.Reminder = reminder(reference.Email)
	rows := some(c.wantRow)
	if c.wantRow == nil {
		rows = some(c.row)
	}
	for range 2 {
		expect.Error(t, "release", nil, s.Worker.Release(background, c.release))
		s.wants(t, []reference.Hold{hold()}, rows)
		s.SetNow(between.Add(time.Second))
	}
}
