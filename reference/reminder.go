package reference

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Reminder is one email or one SMS about one window.
type Reminder struct {
	Window
	Channel Channel
}

// Key is the reminder key, hex(sha256("<hold_id>:<expires_at unix>:<channel>")): the provider's
// idempotency key. It stays the same over every attempt.
func (r Reminder) Key() string {
	return keyOf(fmt.Sprintf("%s:%d:%s", r.Hold, r.ExpiresAt.Unix(), r.Channel))
}

// String gives the reminder as hold@time/channel.
func (r Reminder) String() string { return r.Window.String() + "/" + string(r.Channel) }

func keyOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// Token names one attempt: fresh for every claim, and never repeated, over restarts either.
type Token string

// Verdict is how a reminder ended, without its reason.
type Verdict string

// The verdicts. The empty one is an open row's.
const (
	Sent    Verdict = "sent"    // the provider accepted, by its receipt
	Dropped Verdict = "dropped" // nothing was accepted
	Unknown Verdict = "unknown" // nobody can know
)

// Reason says why a reminder was dropped, or why nobody knows.
type Reason string

// The reasons: the first four go with Dropped, the others with Unknown.
const (
	Rejected  Reason = "rejected"  // the provider refused for good
	Throttled Reason = "throttled" // the provider asked to wait past the cut-off
	Stalled   Reason = "stalled"   // the worker woke past the cut-off
	Missed    Reason = "missed"    // no attempt could start in time
	Timeout   Reason = "timeout"   // no answer we can trust
	Lapsed    Reason = "lapsed"    // a lease ended with no word
)

// Outcome is the end of a reminder. It is final, except that a late Sent replaces Unknown.
type Outcome struct {
	Verdict Verdict
	Reason  Reason
}

// Final says whether there is an outcome at all.
func (o Outcome) Final() bool { return o.Verdict != "" }

// String gives verdict(reason), sent without one, and open where there is no outcome.
func (o Outcome) String() string {
	switch {
	case o.Verdict == "":
		return "open"
	case o.Reason == "":
		return string(o.Verdict)
	}
	return fmt.Sprintf("%s(%s)", o.Verdict, o.Reason)
}

// WithDoubt is the outcome to write when an earlier attempt may have been accepted: then nobody
// can say that nothing was, and a drop becomes unknown for the first attempt's reason.
func (o Outcome) WithDoubt(doubt Reason) Outcome {
	if o.Verdict == Dropped && doubt != "" {
		return Outcome{Unknown, doubt}
	}
	return o
}

// Row is what the table of reminders keeps of one reminder.
type Row struct {
	Reminder
	// Token is whose claim it is, and stays after the outcome; empty when the row is free.
	Token Token
	// LeaseUntil is the end of the claim's lease; zero when the row is free.
	LeaseUntil time.Time
	// NotBefore is when the next attempt may be made; it stays once set.
	NotBefore time.Time
	// Doubt is Timeout or Lapsed if an earlier attempt may have been accepted, and else empty.
	Doubt Reason
	// FirstClaimedAt survives retakes; a provider's memory of the key is counted from it.
	FirstClaimedAt time.Time
	Outcome        Outcome
	MessageID      string
	// ProviderRef is the provider's name for what it accepted, after Sent.
	ProviderRef string
	SettledAt   time.Time
}

// Open says that the row has no outcome yet.
func (r Row) Open() bool { return !r.Outcome.Final() }

// Claimed says that somebody's lease is running.
func (r Row) Claimed(now time.Time) bool {
	return r.Open() && r.Token != "" && now.Before(r.LeaseUntil)
}

// Lapsed says that a lease ended without a word.
func (r Row) Lapsed(now time.Time) bool {
	return r.Open() && r.Token != "" && !now.Before(r.LeaseUntil)
}

// Free says that nobody has the row.
func (r Row) Free() bool { return r.Open() && r.Token == "" }

// FirstDoubt is the doubt that the row carries as of now: the one on record, or that of a lapse.
func (r Row) FirstDoubt(now time.Time) Reason {
	if r.Doubt == "" && r.Lapsed(now) {
		return Lapsed
	}
	return r.Doubt
}

// Waiting says that the row has nothing for a worker to do before a later time: a claim with a
// lease ahead, or a time before which the provider does not want to be asked.
func (r Row) Waiting(now time.Time) (until time.Time, waiting bool) {
	switch {
	case r.Claimed(now):
		return r.LeaseUntil, true
	case r.Free() && now.Before(r.NotBefore):
		return r.NotBefore, true
	}
	return time.Time{}, false
}
