package porttest

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

func claimsOfFreeRows() []claimCase {
	at := func(name string, r reference.Row, now time.Time) claimCase {
		return claimCase{
			name: name, hold: ptr(hold()), row: &r, now: now, want: granted(now),
			wantRow: taken(now, func(row *reference.Row) { row.FirstClaimedAt, row.NotBefore = r.FirstClaimedAt, r.NotBefore }),
		}
	}
	return []claimCase{
		at("free-is-granted", free(), between),
		at("free-is-granted-a-microsecond-before-the-cut-off", free(), cutoff.Add(-tick)),
		at("free-is-granted-at-its-not-before", free(notBefore(between)), between),
		at("free-is-granted-after-its-not-before", free(notBefore(between)), between.Add(tick)),
	}
}

// claimsInDoubt are of rows whose earlier attempt may have been accepted.
func claimsInDoubt() []claimCase {
	const horizon = time.Hour
	keys := func(q *reference.ClaimRequest) { q.KeyHorizon = horizon }
	sendFirst := func(q *reference.ClaimRequest) { q.Order = reference.SendFirst }
	lapses := due.Add(policy.Lease)
	// first is the first claim after which the provider just forgets the key when the last send of
	// a claim at between would end.
	first := between.Add(policy.Lease + policy.SendTimeout - horizon)
	since := func(at time.Time) func(*reference.Row) {
		return func(r *reference.Row) { r.FirstClaimedAt = at }
	}
	again := func(name string, r reference.Row, now time.Time, d reference.Reason, edit func(*reference.ClaimRequest)) claimCase {
		return claimCase{name: name, hold: ptr(hold()), row: &r, now: now, edit: edit, want: inDoubt(now, d),
			wantRow: taken(now, doubt(d), since(r.FirstClaimedAt))}
	}
	never := func(name string, r reference.Row, now time.Time, d reference.Reason, edit func(*reference.ClaimRequest)) claimCase {
		return abandoned(name, hold(), r, now, reference.Outcome{Verdict: reference.Unknown, Reason: d}, edit)
	}
	return []claimCase{
		never("lapsed-is-unknown", claimed(), lapses, reference.Lapsed, nil),
		never("free-after-a-timeout-is-unknown", free(doubt(reference.Timeout)), between, reference.Timeout, nil),
		never("lapsed-after-a-timeout-is-unknown-for-the-timeout", claimed(doubt(reference.Timeout)), lapses, reference.Timeout, nil),
		again("lapsed-is-sent-again-with-send-first", claimed(), lapses, reference.Lapsed, sendFirst),
		again("free-after-a-timeout-is-sent-again-with-send-first", free(doubt(reference.Timeout)), between, reference.Timeout, sendFirst),
		again("lapsed-after-a-timeout-is-sent-again-for-the-timeout", claimed(doubt(reference.Timeout)), lapses, reference.Timeout, sendFirst),
		again("lapsed-is-sent-again-until-the-cut-off-with-send-first", claimed(), cutoff.Add(-tick), reference.Lapsed, sendFirst),
		again("lapsed-is-sent-again-with-keys", claimed(), lapses, reference.Lapsed, keys),
		again("free-after-a-timeout-is-sent-again-with-keys", free(doubt(reference.Timeout)), between, reference.Timeout, keys),
		again("a-microsecond-inside-the-key-horizon-is-sent-again", claimed(since(first.Add(tick))), between, reference.Lapsed, keys),
		never("at-the-key-horizon-is-unknown", claimed(since(first)), between, reference.Lapsed, keys),
		never("a-microsecond-beyond-the-key-horizon-is-unknown", claimed(since(first.Add(-tick))), between, reference.Lapsed, keys),
		again("beyond-the-key-horizon-is-sent-again-with-send-first", claimed(since(first.Add(-tick))), between, reference.Lapsed,
			func(q *reference.ClaimRequest) { q.Order, q.KeyHorizon = reference.SendFirst, horizon }),
	}
}

// abandoned is the case of an open row that ends in o.
func abandoned(name string, h reference.Hold, r reference.Row, now time.Time, o reference.Outcome, edit func(*reference.ClaimRequest)) claimCase {
	after := r
	after.Outcome, after.SettledAt = o, now
	if r.Doubt == "" && o == lapsed {
		after.Doubt = reference.Lapsed
	}
	return claimCase{name: name, hold: &h, row: &r, now: now, edit: edit,
		want: reference.Claim{Answer: reference.SettledHere, Outcome: o}, wantRow: &after}
}

// claimsOfAbandonedRows are of open rows for which no attempt can be made any more, whatever the
// order and the keys.
func claimsOfAbandonedRows() []claimCase {
	throttled := dropped(reference.Throttled)
	var cases []claimCase
	for _, over := range []struct {
		name string
		hold reference.Hold
		now  time.Time
	}{
		{"confirmed", hold(state(reference.Confirmed)), between},
		{"cancelled", hold(state(reference.Cancelled)), between},
		{"expired", hold(state(reference.Expired)), ends.Add(time.Hour)},
		{"extended", hold(expires(ends.Add(time.Hour))), between},
		{"ahead", hold(expires(ends.Add(-time.Second))), between},
		{"at-the-cut-off", hold(), cutoff},
		{"a-microsecond-past-the-cut-off", hold(), cutoff.Add(tick)},
		{"overdue", hold(), ends.Add(time.Hour)},
	} {
		both := func(q *reference.ClaimRequest) { q.Order, q.KeyHorizon = reference.SendFirst, 24*time.Hour }
		cases = append(cases,
			abandoned(over.name+"-free-is-missed", over.hold, free(), over.now, missed, nil),
			abandoned(over.name+"-free-after-a-not-before-is-throttled", over.hold, free(notBefore(due.Add(time.Second))), over.now, throttled, nil),
			abandoned(over.name+"-free-with-doubt-is-unknown", over.hold, free(doubt(reference.Timeout)), over.now, timeout, both),
			abandoned(over.name+"-free-with-doubt-and-a-not-before-is-unknown", over.hold,
				free(doubt(reference.Lapsed), notBefore(due.Add(time.Second))), over.now, lapsed, both),
			abandoned(over.name+"-lapsed-is-unknown", over.hold, claimed(), over.now, lapsed, both))
	}
	return cases
}

// testClaimApart claims one of four reminders of one hold, and sees the others unchanged.
func testClaimApart(t *testing.T, s Stores) {
	earlier := reference.Window{Hold: "h1", ExpiresAt: ends.Add(-time.Hour)}
	holds := []reference.Hold{hold(), hold(named("h2"))}
	rows := []reference.Row{
		settled(missed, of(earlier)), claimed(of(earlier), on(reference.SMS)), settled(sent, on(reference.SMS)),
		settled(lapsed, of(holds[1].Window())),
	}
	s.SetNow(between)
	s.load(t, holds, rows)
	got, err := s.Worker.Claim(background, claimCase{}.request())
	expect.Error(t, "claim", nil, err)
	expect.Same(t, "claim", granted(between), got)
	s.wants(t, holds, []reference.Row{rows[0], rows[1], *taken(between), rows[2], rows[3]})
}

func testClaimResolution(t *testing.T, s Stores) {
	odd := between.Add(123456 * time.Microsecond)
	s.SetNow(odd)
	s.load(t, []reference.Hold{hold()}, nil)
	_, err := s.Worker.Claim(background, claimCase{}.request())
	expect.Error(t, "claim", nil, err)
	s.wants(t, []reference.Hold{hold()}, []reference.Row{*taken(odd)})
	_, rows, _ := s.Snapshot()
	for _, r := range rows {
		for _, at := range []time.Time{r.ExpiresAt, r.LeaseUntil, r.FirstClaimedAt} {
			if at.Location() != time.UTC {
				t.Errorf("%v is not in UTC", at)
			}
		}
	}
}
