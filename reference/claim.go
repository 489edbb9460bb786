package reference

import "time"

// Answer is what a claim was answered.
type Answer string

// The answers to a claim, and what a worker does on each.
const (
	Granted     Answer = "granted"      // send, under the token
	Settled     Answer = "settled"      // the outcome is final: done
	SettledHere Answer = "settled-here" // this claim wrote the outcome: done
	Busy        Answer = "busy"         // come back after Wait
	NoHold      Answer = "no-hold"      // dead-letter the message
	Closed      Answer = "closed"       // the window was ended by a person, or the hold has no such channel: done, no row
	Ahead       Answer = "ahead"        // the message overtook its commit: come back
	Early       Answer = "early"        // not due: come back after Wait
	Late        Answer = "late"         // past the cut-off: done, no row; expiring records it
)

// ClaimRequest asks for one reminder under one token.
type ClaimRequest struct {
	Reminder  Reminder
	Token     Token
	MessageID string
	// Lead, Cutoff, Lease, SendTimeout and Order are the Policy's.
	Lead, Cutoff, Lease, SendTimeout time.Duration
	Order                            Order
	// KeyHorizon is how long the provider remembers reminder keys; zero if it honours none.
	KeyHorizon time.Duration
}

// Claim is a store's answer to a ClaimRequest. All durations count from the instant at which the
// store decided, by the database's clock.
type Claim struct {
	Answer Answer
	// Outcome is the row's, when Answer is Settled or SettledHere.
	Outcome Outcome
	// Wait is how long until asking again makes sense, when Answer is Busy or Early.
	Wait time.Duration
	// LeaseLeft and TimeLeft are what is left of the lease and until the cut-off, when Granted.
	LeaseLeft, TimeLeft time.Duration
	// Doubt is set when Granted for a retake of an attempt that may have been accepted.
	Doubt Reason
}

// Facts is what a store read for a decision, in one transaction that holds the hold's lock; Now
// is the database's clock after the lock was had.
type Facts struct {
	Now  time.Time
	Hold *Hold // nil: there is none
	Row  *Row  // nil: there is none
}

// Decide is the table of claims. It looks at the row before the hold, so that what was begun is
// ended whatever became of the hold. A row returned is to be written in the same transaction, in
// place of exactly the one in f; if that one is no longer there, the store asks again.
func (q ClaimRequest) Decide(f Facts) (Claim, *Row) {
	if f.Row != nil {
		return q.decideRow(f)
	}
	h, w := f.Hold, q.Reminder.Window
	due := w.ExpiresAt.Add(-q.Lead)
	switch {
	case h == nil:
		return Claim{Answer: NoHold}, nil
	case h.State != Held || h.ExpiresAt.After(w.ExpiresAt) || !h.Has(q.Reminder.Channel):
		return Claim{Answer: Closed}, nil
	case h.ExpiresAt.Before(w.ExpiresAt):
		return Claim{Answer: Ahead}, nil
	case f.Now.Before(due):
		return Claim{Answer: Early, Wait: due.Sub(f.Now)}, nil
	case q.timeLeft(f.Now) <= 0:
		return Claim{Answer: Late}, nil
	}
	return q.grant(Row{Reminder: q.Reminder, FirstClaimedAt: f.Now}, f.Now)
}

func (q ClaimRequest) decideRow(f Facts) (Claim, *Row) {
	row := *f.Row
	switch until, waiting := row.Waiting(f.Now); {
	case !row.Open():
		return Claim{Answer: Settled, Outcome: row.Outcome}, nil
	case row.Token == q.Token:
		return q.granted(row, f.Now), nil
	case waiting:
		return Claim{Answer: Busy, Wait: until.Sub(f.Now)}, nil
	}
	row.Doubt = row.FirstDoubt(f.Now)
	if q.stands(f) && (row.Doubt == "" || q.retakes(row, f.Now)) {
		return q.grant(row, f.Now)
	}
	row.Outcome = row.Abandoned()
	row.SettledAt = f.Now
	return Claim{Answer: SettledHere, Outcome: row.Outcome}, &row
}

// stands says that the hold is still held in the reminder's window, before the cut-off.
func (q ClaimRequest) stands(f Facts) bool {
	return f.Hold != nil && f.Hold.State == Held && f.Hold.ExpiresAt.Equal(q.Reminder.ExpiresAt) && q.timeLeft(f.Now) > 0
}

// retakes says whether a reminder that may have been accepted before may be sent again: where a
// double is the lesser evil, or where the provider still remembers the first attempt's key at the
// end of the last send that this claim could make.
func (q ClaimRequest) retakes(row Row, now time.Time) bool {
	if q.Order == SendFirst {
		return true
	}
	return q.KeyHorizon > 0 && now.Add(q.Lease+q.SendTimeout).Before(row.FirstClaimedAt.Add(q.KeyHorizon))
}

func (q ClaimRequest) grant(row Row, now time.Time) (Claim, *Row) {
	row.Token, row.LeaseUntil, row.MessageID = q.Token, now.Add(q.Lease), q.MessageID
	return q.granted(row, now), &row
}

func (q ClaimRequest) granted(row Row, now time.Time) Claim {
	return Claim{Answer: Granted, LeaseLeft: row.LeaseUntil.Sub(now), TimeLeft: q.timeLeft(now), Doubt: row.Doubt}
}

func (q ClaimRequest) timeLeft(now time.Time) time.Duration {
	return q.Reminder.ExpiresAt.Add(-q.Cutoff).Sub(now)
}

// Abandoned is the outcome of an open row for which no attempt can be made any more. Its doubt, if
// it has one, must be on it already.
func (r Row) Abandoned() Outcome {
	reason := Missed
	if !r.NotBefore.IsZero() {
		reason = Throttled
	}
	return Outcome{Dropped, reason}.WithDoubt(r.Doubt)
}

// Has says whether c is one of the hold's channels.
func (h Hold) Has(c Channel) bool {
	for _, own := range h.Channels {
		if own == c {
			return true
		}
	}
	return false
}

// Expiry is what a store answered to expiring one window.
type Expiry string

// The answers to expiring a window, and what a worker does on each.
const (
	ExpiredNow  Expiry = "expired"   // this call gave the seat back: done
	ExpiryDone  Expiry = "done"      // nothing was to be done: done
	ExpiryEarly Expiry = "too-early" // still held in this window, and not over: come back after the wait
	ExpiryAhead Expiry = "ahead"     // the message overtook its commit: come back
)

// DecideExpiry says what expiring window w comes to, given the hold under its lock, and how long
// to wait when it is too early. Hold may be nil.
func DecideExpiry(w Window, h *Hold, now time.Time) (Expiry, time.Duration) {
	switch {
	case h == nil || h.State != Held || h.ExpiresAt.After(w.ExpiresAt):
		return ExpiryDone, 0
	case h.ExpiresAt.Before(w.ExpiresAt):
		return ExpiryAhead, 0
	case now.Before(w.ExpiresAt):
		return ExpiryEarly, w.ExpiresAt.Sub(now)
	}
	return ExpiredNow, 0
}

// Settlement is how one attempt ended.
type Settlement struct {
	Reminder  Reminder
	Token     Token
	Outcome   Outcome
	MessageID string
	// ProviderRef is the receipt's reference, when the outcome is Sent.
	ProviderRef string
}

// SettleAnswer is what a store answered to a settlement.
type SettleAnswer string

// The answers to a settlement.
const (
	Recorded     SettleAnswer = "recorded"      // the outcome is in the row
	AlreadyFinal SettleAnswer = "already-final" // the row had an outcome that this one doesn't replace
	NotYours     SettleAnswer = "not-yours"     // the row is open under another claim or none, or missing: come back
	Gone         SettleAnswer = "gone"          // a receipt found neither a row nor a hold to write one for: done
)

// DecideSettle says what a settlement comes to. A receipt is recorded whatever token holds the row
// by now, and writes a missing one; everything else needs the token and an open row. A row returned
// is to be written, in place of exactly the one in f.
func (s Settlement) DecideSettle(f Facts) (SettleAnswer, *Row) {
	sent := s.Outcome.Verdict == Sent
	var row Row
	switch {
	case f.Row != nil:
		row = *f.Row
	case !sent:
		return NotYours, nil
	case f.Hold == nil:
		return Gone, nil
	default:
		row = Row{Reminder: s.Reminder, Token: s.Token, FirstClaimedAt: f.Now}
	}
	switch {
	case sent && (row.Open() || row.Outcome.Verdict == Unknown):
		row.ProviderRef = s.ProviderRef
	case !row.Open():
		return AlreadyFinal, nil
	case row.Token != s.Token:
		return NotYours, nil
	}
	row.Outcome, row.MessageID, row.SettledAt = s.Outcome.WithDoubt(row.Doubt), s.MessageID, f.Now
	return Recorded, &row
}

// Release gives a claim back without an outcome.
type Release struct {
	Reminder Reminder
	Token    Token
	// After is how long nobody should try again; zero leaves the row's time as it is.
	After time.Duration
	// Doubt is Timeout if the attempt may have been accepted, and else empty. A doubt on record stays.
	Doubt Reason
}

// Apply gives the row as it is after the release, if the release applies to it: by token and only
// without an outcome. It never deletes.
func (r Release) Apply(row Row, now time.Time) (Row, bool) {
	if !row.Open() || row.Token != r.Token || r.Token == "" {
		return row, false
	}
	row.Token, row.LeaseUntil = "", time.Time{}
	if row.Doubt == "" {
		row.Doubt = r.Doubt
	}
	if r.After > 0 {
		row.NotBefore = now.Add(r.After)
	}
	return row, true
}
