package reference_test

import (
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

func TestDecideSettle(t *testing.T) {
	sent := reference.Outcome{Verdict: reference.Sent}
	rejected := reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected}
	timeout := reference.Outcome{Verdict: reference.Unknown, Reason: reference.Timeout}
	now := between
	after := func(r *reference.Row, o reference.Outcome) *reference.Row {
		r.Outcome, r.SettledAt, r.MessageID = o, now, "m1"
		if o == sent {
			r.ProviderRef = "p1"
		}
		return r
	}
	byAnother := func(r *reference.Row) { r.Token = "t9" }
	missing := after(&reference.Row{Reminder: email, Token: "t0", FirstClaimedAt: now}, sent)
	for _, c := range []struct {
		name    string
		hold    *reference.Hold
		row     *reference.Row
		outcome reference.Outcome
		want    reference.SettleAnswer
		wantRow *reference.Row
	}{
		{"receipt", hold(), claimed(), sent, reference.Recorded, after(claimed(), sent)},
		{"receipt-over-another's-claim", hold(), claimed(byAnother), sent, reference.Recorded, after(claimed(byAnother), sent)},
		{"receipt-over-free", hold(), claimed(freed, doubt(reference.Timeout)), sent, reference.Recorded, after(claimed(freed, doubt(reference.Timeout)), sent)},
		{"receipt-over-unknown", hold(), claimed(byAnother, outcome(reference.Unknown, reference.Lapsed)), sent, reference.Recorded, after(claimed(byAnother), sent)},
		{"receipt-over-sent", hold(), claimed(outcome(reference.Sent, "")), sent, reference.AlreadyFinal, nil},
		{"receipt-over-dropped", hold(), claimed(outcome(reference.Dropped, reference.Missed)), sent, reference.AlreadyFinal, nil},
		{"receipt-without-row", hold(), nil, sent, reference.Recorded, missing},
		{"receipt-without-row-of-a-hold-in-another-window", hold(expires(ends.Add(time.Hour))), nil, sent, reference.Recorded, missing},
		{"receipt-without-hold", nil, nil, sent, reference.Gone, nil},
		{"rejected", hold(), claimed(), rejected, reference.Recorded, after(claimed(), rejected)},
		{"rejected-in-doubt", hold(), claimed(doubt(reference.Lapsed)), rejected, reference.Recorded,
			after(claimed(doubt(reference.Lapsed)), reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed})},
		{"rejected-over-another's-claim", hold(), claimed(byAnother), rejected, reference.NotYours, nil},
		{"rejected-over-free", hold(), claimed(freed), rejected, reference.NotYours, nil},
		{"rejected-over-final", hold(), claimed(outcome(reference.Unknown, reference.Lapsed)), rejected, reference.AlreadyFinal, nil},
		{"rejected-without-row", hold(), nil, rejected, reference.NotYours, nil},
		{"timeout", hold(), claimed(), timeout, reference.Recorded, after(claimed(), timeout)},
		{"timeout-over-another's-claim", hold(), claimed(byAnother), timeout, reference.NotYours, nil},
		{"timeout-over-sent", hold(), claimed(outcome(reference.Sent, "")), timeout, reference.AlreadyFinal, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := reference.Settlement{Reminder: email, Token: "t0", Outcome: c.outcome, MessageID: "m1"}
			if c.outcome == sent {
				s.ProviderRef = "p1"
			}
			answer, row := s.DecideSettle(reference.Facts{Now: now, Hold: c.hold, Row: c.row})
			if answer != c.want {
				t.Errorf("answer is %s, want %s", answer, c.want)
			}
			if d := cmp.Diff(c.wantRow, row); d != "" {
				t.Errorf("row (-want +got):\n%s", d)
			}
		})
	}
}

func TestReleaseApply(t *testing.T) {
	for _, c := range []struct {
		name    string
		row     *reference.Row
		release reference.Release
		want    *reference.Row
		applies bool
	}{
		{"freed", claimed(), reference.Release{Token: "t0"}, claimed(freed), true},
		{"freed-for-later", claimed(), reference.Release{Token: "t0", After: time.Second}, claimed(freed, notBefore(between.Add(time.Second))), true},
		{"earlier-not-before-stays", claimed(notBefore(due)), reference.Release{Token: "t0"}, claimed(freed, notBefore(due)), true},
		{"doubt-is-set", claimed(), reference.Release{Token: "t0", Doubt: reference.Timeout}, claimed(freed, doubt(reference.Timeout)), true},
		{"first-doubt-stays", claimed(doubt(reference.Lapsed)), reference.Release{Token: "t0", Doubt: reference.Timeout}, claimed(freed, doubt(reference.Lapsed)), true},
		{"another's", claimed(), reference.Release{Token: "t1", After: time.Second}, claimed(), false},
		{"final", claimed(outcome(reference.Sent, "")), reference.Release{Token: "t0"}, claimed(outcome(reference.Sent, "")), false},
		{"free-by-no-token", claimed(freed), reference.Release{After: time.Second}, claimed(freed), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			row, applies := c.release.Apply(*c.row, between)
			if applies != c.applies {
				t.Errorf("applies is %t, want %t", applies, c.applies)
			}
			if d := cmp.Diff(*c.want, row); d != "" {
				t.Errorf("row (-want +got):\n%s", d)
			}
		})
	}
}

func TestDecideExpiry(t *testing.T) {
	for _, c := range []struct {
		name string
		hold *reference.Hold
		now  time.Time
		want reference.Expiry
		wait time.Duration
	}{
		{"over", hold(), ends, reference.ExpiredNow, 0},
		{"long-over", hold(), ends.Add(48 * time.Hour), reference.ExpiredNow, 0},
		{"too-early", hold(), ends.Add(-tick), reference.ExpiryEarly, tick},
		{"ahead", hold(expires(ends.Add(-time.Second))), ends, reference.ExpiryAhead, 0},
		{"extended", hold(expires(ends.Add(time.Second))), ends.Add(time.Hour), reference.ExpiryDone, 0},
		{"confirmed", hold(state(reference.Confirmed)), ends, reference.ExpiryDone, 0},
		{"cancelled", hold(state(reference.Cancelled)), ends, reference.ExpiryDone, 0},
		{"expired", hold(state(reference.Expired)), ends, reference.ExpiryDone, 0},
		{"confirmed-in-an-earlier-window", hold(state(reference.Confirmed), expires(ends.Add(-time.Second))), ends, reference.ExpiryDone, 0},
		{"no-hold", nil, ends, reference.ExpiryDone, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, wait := reference.DecideExpiry(window, c.hold, c.now); got != c.want || wait != c.wait {
				t.Errorf("answer is %s and %s, want %s and %s", got, wait, c.want, c.wait)
			}
		})
	}
}

// TestRowStates: an open row is in exactly one of three states, and waits in two ways.
func TestRowStates(t *testing.T) {
	type is struct {
		Open, Claimed, Lapsed, Free, Waiting bool
		Until                                time.Time
		FirstDoubt                           reference.Reason
		Abandoned                            string
	}
	lapses := due.Add(policy.Lease)
	for _, c := range []struct {
		name string
		row  *reference.Row
		now  time.Time
		want is
	}{
		{"claimed", claimed(), lapses.Add(-tick), is{Open: true, Claimed: true, Waiting: true, Until: lapses, Abandoned: "dropped(missed)"}},
		{"lapsed", claimed(), lapses, is{Open: true, Lapsed: true, FirstDoubt: reference.Lapsed, Abandoned: "dropped(missed)"}},
		{"lapsed-after-timeout", claimed(doubt(reference.Timeout)), lapses, is{Open: true, Lapsed: true, FirstDoubt: reference.Timeout, Abandoned: "unknown(timeout)"}},
		{"free", claimed(freed), due, is{Open: true, Free: true, Abandoned: "dropped(missed)"}},
		{"free-waiting", claimed(freed, notBefore(between)), due, is{Open: true, Free: true, Waiting: true, Until: between, Abandoned: "dropped(throttled)"}},
		{"free-waited", claimed(freed, notBefore(between)), between, is{Open: true, Free: true, Abandoned: "dropped(throttled)"}},
		{"claimed-after-not-before", claimed(notBefore(ends)), lapses, is{Open: true, Lapsed: true, FirstDoubt: reference.Lapsed, Abandoned: "dropped(throttled)"}},
		{"sent", claimed(outcome(reference.Sent, "")), due, is{Abandoned: "dropped(missed)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			until, waiting := c.row.Waiting(c.now)
			got := is{
				c.row.Open(), c.row.Claimed(c.now), c.row.Lapsed(c.now), c.row.Free(), waiting, until,
				c.row.FirstDoubt(c.now), c.row.Abandoned().String(),
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("states (-want +got):\n%s", d)
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct{ outcome, text, inDoubt string }{
		{"/", "open", "open"},
		{"sent/", "sent", "sent"},
		{"dropped/rejected", "dropped(rejected)", "unknown(lapsed)"},
		{"dropped/stalled", "dropped(stalled)", "unknown(lapsed)"},
		{"unknown/timeout", "unknown(timeout)", "unknown(timeout)"},
	} {
		verdict, reason, _ := strings.Cut(c.outcome, "/")
		o := reference.Outcome{Verdict: reference.Verdict(verdict), Reason: reference.Reason(reason)}
		if o.String() != c.text || o.WithDoubt(reference.Lapsed).String() != c.inDoubt || o.WithDoubt("") != o {
			t.Errorf("%s is %s, and with doubt %s; want %s and %s", c.outcome, o, o.WithDoubt(reference.Lapsed), c.text, c.inDoubt)
		}
	}
}

func TestStartBy(t *testing.T) {
	by := reference.StartWithin(between, time.Second)
	for at, want := range map[time.Duration]bool{0: false, time.Second - 1: false, time.Second: true, time.Hour: true} {
		if got := by.Passed(between.Add(at)); got != want {
			t.Errorf("%s after the asking, passed is %t, want %t", at, got, want)
		}
	}
	// A reading of a process clock has a monotonic part, and one from elsewhere hasn't.
	asked := clock.New().Now()
	by = reference.StartWithin(asked, time.Hour)
	for _, later := range []time.Time{asked.Add(time.Hour), asked.Add(time.Hour).Round(0)} {
		if by.Passed(asked) || by.Passed(asked.Round(0)) || !by.Passed(later) {
			t.Errorf("within an hour of %v, passed is not false then and true at %v", asked, later)
		}
	}
}
