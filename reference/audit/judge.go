package audit

import (
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// The classes of findings, in the order of their promises.
const (
	Double          = "accepted-twice"
	Unaccounted     = "no-outcome"
	LeftOpen        = "left-open"
	Untrue          = "untrue-outcome"
	OtherReference  = "other-reference"
	NotOnRecord     = "accepted-not-on-record"
	ClaimedEarly    = "claimed-early"
	ClaimedLate     = "claimed-late"
	SentEarly       = "sent-early"
	SentLate        = "sent-late"
	ForeignChannel  = "foreign-channel"
	ExpiredEarly    = "expired-early"
	LeftTwice       = "left-held-twice"
	WindowBackwards = "window-backwards"
	StillHeld       = "still-held"
	ExpiredLate     = "expired-late"
)

// freeSlack is what P5 allows beside the sweep period.
const freeSlack = 30 * time.Second

// findingsMax is how many findings a report has in full.
const findingsMax = 1000

// Finding is one promise broken once.
type Finding struct {
	Promise string            `json:"promise"`
	Class   string            `json:"class"`
	Hold    reference.HoldID  `json:"hold,omitempty"`
	Window  time.Time         `json:"window,omitzero"`
	Channel reference.Channel `json:"channel,omitempty"`
	// Sentence says what was found, with times, and what the promise wants.
	Sentence string `json:"sentence"`
}

// Rules is what a hold is judged by.
type Rules struct {
	// Policy is that of the sweeps and workers. Its SweepPeriod must be known.
	Policy reference.Policy
	// Now is the time of the tables.
	Now time.Time
	// Since leaves out windows that end before it, and what was accepted before it.
	Since time.Time
	// Until leaves out the comparison of what was recorded as sent from then on with the log, which
	// may not have it yet. Zero is Now.
	Until time.Time
	// Healed is the end of the last trouble, if there was any: bounds count from there at the least.
	Healed time.Time
	// NothingDown says that there was no trouble, which makes the bounds shorter by the backstop.
	NothingDown bool
	// Skew is how far the provider's clock may be from the database's.
	Skew time.Duration
}

// Bound is how long after its end a hold may still be held.
func (r Rules) Bound() time.Duration {
	if r.NothingDown {
		return r.Policy.SweepPeriod + freeSlack
	}
	return r.Policy.Backstop + r.Policy.SweepPeriod + freeSlack
}

func (r Rules) by(at time.Time) time.Time {
	if r.Healed.After(at) {
		at = r.Healed
	}
	return at.Add(r.Bound())
}

// Hold judges one hold with its rows. Log may be nil; what it has of this hold is taken out of it.
func (r Rules) Hold(h reference.Hold, rows []reference.Row, log *Log) []Finding {
	j := judgement{Rules: r, hold: h, log: log}
	j.judgeHold(rows)
	for _, row := range rows {
		// What was accepted is taken out of the log however old it is.
		accepted := log.take(row.Reminder)
		if !row.ExpiresAt.Before(r.Since) {
			j.judgeRow(row)
			j.judgeAccepted(row, accepted)
		}
	}
	for _, c := range reference.Channels {
		of := reference.Reminder{Window: h.Window(), Channel: c}
		for _, a := range log.take(of) {
			if a.At.Before(r.Since) {
				continue
			}
			j.add("P2", NotOnRecord, of, "the provider accepted %s at %s, and there is no row of it; every send has a claim on record", of, clock(a.At))
		}
	}
	return j.findings
}

type judgement struct {
	Rules
	hold     reference.Hold
	log      *Log
	findings []Finding
}

func (j *judgement) add(promise, class string, of reference.Reminder, format string, args ...any) {
	j.findings = append(j.findings, Finding{
		Promise: promise, Class: class, Hold: of.Hold, Window: of.ExpiresAt, Channel: of.Channel, Sentence: fmt.Sprintf(format, args...),
	})
}

func (j *judgement) judgeHold(rows []reference.Row) {
	h := j.hold
	of := reference.Reminder{Window: h.Window()}
	switch {
	case h.ExpiresAt.Before(j.Since):
		return
	case h.State == reference.Held && j.Now.After(j.by(h.ExpiresAt)):
		j.add("P5", StillHeld, of, "%s is still held at %s; it was over at %s, and was to be freed by %s", h.Window(), clock(j.Now), clock(h.ExpiresAt), clock(j.by(h.ExpiresAt)))
	case h.State == reference.Expired && j.Now.Before(h.ExpiresAt):
		j.add("P4", ExpiredEarly, of, "%s is expired at %s, %s before its time is over", h.Window(), clock(j.Now), h.ExpiresAt.Sub(j.Now).Round(time.Second))
	}
	if h.State != reference.Expired {
		return
	}
	for _, c := range h.Channels {
		r := reference.Reminder{Window: h.Window(), Channel: c}
		if !has(rows, r) {
			j.add("P2", Unaccounted, r, "%s has no row, and its hold expired in this window; then every channel has one outcome", r)
		}
	}
}

func has(rows []reference.Row, r reference.Reminder) bool {
	for _, row := range rows {
		if row.Channel == r.Channel && row.ExpiresAt.Equal(r.ExpiresAt) {
			return true
		}
	}
	return false
}

func (j *judgement) judgeRow(row reference.Row) {
	of, h := row.Reminder, j.hold
	due, cutoff := of.ExpiresAt.Add(-j.Policy.Lead), of.ExpiresAt.Add(-j.Policy.Cutoff)
	if of.ExpiresAt.After(h.ExpiresAt) {
		j.add("P4", WindowBackwards, of, "%s is on record, and the hold ends at %s, which is earlier; windows only move to later times", of, clock(h.ExpiresAt))
	}
	if !h.Has(of.Channel) {
		j.add("P3", ForeignChannel, of, "%s is on record, and the hold's channels are %v; nothing is claimed on others", of, h.Channels)
	}
	switch {
	case row.FirstClaimedAt.IsZero(), writtenByReceipt(row):
	case row.FirstClaimedAt.Before(due):
		j.add("P3", ClaimedEarly, of, "%s was first claimed at %s, and was due at %s; nobody is reminded before", of, clock(row.FirstClaimedAt), clock(due))
	case !row.FirstClaimedAt.Before(cutoff):
		j.add("P3", ClaimedLate, of, "%s was first claimed at %s, and its cut-off was at %s; none is claimed from then on", of, clock(row.FirstClaimedAt), clock(cutoff))
	}
	switch {
	case row.Open():
		j.judgeOpen(row)
	case writtenByExpiry(row):
		j.judgeExpiry(row)
	case row.Outcome.Verdict == reference.Sent && row.SettledAt.Before(due):
		j.add("P3", SentEarly, of, "%s was recorded as sent at %s, and was due at %s; nobody is reminded before", of, clock(row.SettledAt), clock(due))
	}
}

// writtenByExpiry knows what only the expiry of a hold writes: an outcome that nobody ever claimed.
func writtenByExpiry(row reference.Row) bool {
	return row.Outcome == reference.Outcome{Verdict: reference.Dropped, Reason: reference.Missed} && row.FirstClaimedAt.IsZero()
}

// writtenByReceipt knows a row that a receipt found missing, as after a failover: it was claimed
// before, nobody knows when.
func writtenByReceipt(row reference.Row) bool {
	return row.Outcome.Verdict == reference.Sent && row.LeaseUntil.IsZero() && row.FirstClaimedAt.Equal(row.SettledAt)
}

func (j *judgement) judgeOpen(row reference.Row) {
	ready := row.FirstClaimedAt
	for _, at := range []time.Time{row.LeaseUntil, row.NotBefore} {
		if at.After(ready) {
			ready = at
		}
	}
	if by := j.by(ready).Add(j.Policy.Visibility); j.Now.After(by) {
		j.add("P2", LeftOpen, row.Reminder, "%s is %s at %s, and nothing kept it from being settled since %s; it was to be settled by %s",
			row.Reminder, standing(row, j.Now), clock(j.Now), clock(ready), clock(by))
	}
}

// standing is how an open row is open.
func standing(row reference.Row, now time.Time) string {
	switch {
	case row.Claimed(now):
		return "claimed"
	case row.Lapsed(now):
		return "lapsed"
	}
	return "free"
}

func (j *judgement) judgeExpiry(row reference.Row) {
	of, h, when := row.Reminder, j.hold, row.SettledAt
	switch {
	case when.Before(of.ExpiresAt):
		j.add("P4", ExpiredEarly, of, "%s was expired at %s, %s before its time was over", of.Window, clock(when), of.ExpiresAt.Sub(when))
	case when.After(j.by(of.ExpiresAt)):
		j.add("P5", ExpiredLate, of, "%s was over at %s, and was expired at %s; it was to be freed by %s", of.Window, clock(of.ExpiresAt), clock(when), clock(j.by(of.ExpiresAt)))
	}
	switch {
	case h.ExpiresAt.After(of.ExpiresAt):
		j.add("P4", LeftTwice, of, "%s was expired at %s, and the hold is in a later window now, that of %s; what expired stays expired", of.Window, clock(when), clock(h.ExpiresAt))
	case h.ExpiresAt.Equal(of.ExpiresAt) && h.State != reference.Expired:
		j.add("P4", LeftTwice, of, "%s was expired at %s, and the hold is %s now; what expired stays expired", of.Window, clock(when), h.State)
	}
}

func (j *judgement) judgeAccepted(row reference.Row, accepted []Acceptance) {
	if j.log == nil {
		return
	}
	of := row.Reminder
	if n := len(accepted); n > 1 {
		if j.Policy.Order == reference.SendFirst && row.Doubt != "" {
			j.log.DoubledByPolicy++
		} else {
			j.add("P1", Double, of, "%s was accepted %d times, first at %s and last at %s; a provider accepts at most one send of a reminder",
				of, n, clock(accepted[0].At), clock(accepted[n-1].At))
		}
	}
	until := j.Until
	if until.IsZero() {
		until = j.Now
	}
	switch verdict := row.Outcome.Verdict; {
	case verdict == reference.Sent && len(accepted) == 0 && row.SettledAt.Before(until):
		j.add("P2", Untrue, of, "%s was recorded as sent at %s, and the provider's log doesn't have it", of, clock(row.SettledAt))
	case verdict == reference.Dropped && len(accepted) > 0:
		j.add("P2", Untrue, of, "%s was recorded as %s at %s, and the provider accepted it at %s", of, row.Outcome, clock(row.SettledAt), clock(accepted[0].At))
	case verdict == reference.Sent && otherReference(row.ProviderRef, accepted):
		j.add("P2", OtherReference, of, "%s was recorded as sent with the reference %q, and the provider's log has %q", of, row.ProviderRef, accepted[0].Ref)
	case verdict == reference.Unknown && len(accepted) > 0:
		j.log.UnknownAccepted++
	case verdict == reference.Unknown:
		j.log.UnknownNotAccepted++
	}
	due := of.ExpiresAt.Add(-j.Policy.Lead)
	last := of.ExpiresAt.Add(-j.Policy.Cutoff + j.Policy.SendTimeout)
	for _, a := range accepted {
		switch {
		case a.At.Before(due.Add(-j.Skew)):
			j.add("P3", SentEarly, of, "%s was accepted at %s, and was due at %s; nobody is reminded before", of, clock(a.At), clock(due))
		case a.At.After(last.Add(j.Skew)):
			j.add("P3", SentLate, of, "%s was accepted at %s, and a send that began before its cut-off could take until %s", of, clock(a.At), clock(last))
		}
	}
}

func otherReference(ref string, accepted []Acceptance) bool {
	if ref == "" {
		return false
	}
	for _, a := range accepted {
		if a.Ref == "" || a.Ref == ref {
			return false
		}
	}
	return len(accepted) > 0
}

// clock is t as sentences have it: in UTC, to the millisecond where it isn't whole.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z") }
