package reference

import (
	"context"
	"time"
)

// Every port may return an error that means "nobody knows whether it took effect"; its callers ask
// again, and a repeat must come to the same. A cancelled context is returned wrapped, and ends the
// caller's loop.

// SweepStore is what a sweep needs to know about holds.
type SweepStore interface {
	// Due gives what is due by the database's clock, in the order of windows, at most q.Limit of it.
	Due(ctx context.Context, q DueQuery) ([]Nomination, error)
	// ExpireOverdue expires at most limit holds that are overdue by at least age, each with what
	// WorkerStore.Expire writes, and gives their windows in order.
	ExpireOverdue(ctx context.Context, age time.Duration, limit int) ([]Window, error)
	// RecordSweep keeps the report; a repeat with the same ID changes nothing.
	RecordSweep(ctx context.Context, r Report) error
}

// DueQuery asks for a page of what is due.
//
// Remind: windows held, due and before the cut-off, of which some channel has no row; and every
// open row that nobody's lease or not-before time keeps back, whatever became of its hold.
// Expire: windows held whose time is over.
type DueQuery struct {
	Kind         Kind
	Lead, Cutoff time.Duration
	// After is the last window of the page before; the zero Window begins.
	After Window
	Limit int
}

// Nomination is one window that a sweep found, as the message to publish.
type Nomination struct {
	Message Message
	// Age is the time since the message became due: lead before expires_at, or expires_at itself.
	Age time.Duration
}

// WorkerStore is what a worker needs to know about holds and reminders. A call that needs a row
// which somebody else keeps for longer than the lock timeout does nothing: ErrLocked.
type WorkerStore interface {
	// Claim decides as ClaimRequest.Decide does, in one transaction that holds the hold's lock.
	// A repeat with the same token is granted again.
	Claim(ctx context.Context, q ClaimRequest) (Claim, error)
	// Settle records an outcome as Settlement.DecideSettle does. A repeat finds the row final.
	Settle(ctx context.Context, s Settlement) (SettleAnswer, error)
	// Release gives a claim back as Release.Apply does; where that doesn't apply, it does nothing.
	Release(ctx context.Context, r Release) error
	// Expire ends the hold if it is still held in window w and the time is over, and only then
	// writes dropped for every channel that has no row, or a free one without doubt. Wait is how
	// long until it is over, with ExpiryEarly.
	Expire(ctx context.Context, w Window, messageID string) (answer Expiry, wait time.Duration, err error)
}

// HoldStore is what people do to holds. Each call is one guarded statement with a definite answer,
// and a repeat of what took effect is answered as if it had taken effect now.
type HoldStore interface {
	// Create begins a hold in state Held. ErrHoldExists if that id is there and differs.
	Create(ctx context.Context, h Hold) error
	// Confirm: ErrNoHold, ErrNotHeld (expired or cancelled), ErrRunOut (from expires_at on).
	Confirm(ctx context.Context, id HoldID) error
	// Cancel: ErrNoHold, ErrNotHeld (expired or confirmed). Allowed as long as it is held.
	Cancel(ctx context.Context, id HoldID) error
	// Extend moves the hold from window w to a strictly later end: ErrNoHold, ErrNotHeld,
	// ErrRunOut, ErrOtherWindow, ErrNotLater.
	Extend(ctx context.Context, w Window, to time.Time) error
	// Get: ErrNoHold.
	Get(ctx context.Context, id HoldID) (Hold, error)
}

// Publisher hands messages to a broker.
type Publisher interface {
	// Publish gives one result per entry, in order. An error for the whole means that nobody knows.
	Publish(ctx context.Context, entries []Entry) ([]Published, error)
}

// Entry is one message to publish: fewer than PayloadBytesMax bytes, delayed by at most DelayMax.
type Entry struct {
	// Key is the publisher's idempotency key; a broker that remembers it accepts without storing.
	Key     string
	Payload []byte
	Delay   time.Duration
}

// Published is what became of one entry.
type Published struct {
	MessageID string
	// Duplicate says that the broker remembered the key, and collapsed the entry into MessageID.
	Duplicate bool
	Err       error
}

// Consumer takes messages from a broker, at least once each.
type Consumer interface {
	// Receive waits up to wait for at least one message, and hands over at most max.
	Receive(ctx context.Context, max int, wait time.Duration) ([]Delivery, error)
	// Ack removes the message. ErrNotOurs, where a broker can tell that the receipt is old.
	Ack(ctx context.Context, d Delivery) error
	// Nack makes the message visible again after a while. It is a hint: where a broker has none,
	// visibility does it.
	Nack(ctx context.Context, d Delivery, after time.Duration) error
	// DeadLetter sets the message aside with a reason. Where a broker can't, it leaves the message
	// to its visibility and its own limit of receives.
	DeadLetter(ctx context.Context, d Delivery, reason string) error
}

// Delivery is one hand-over of a message to a worker.
type Delivery struct {
	MessageID string
	// Receipt names this hand-over; a broker may refuse it once the message was handed over again.
	Receipt  string
	Payload  []byte
	Receives int
}

// DeadLetters is what an operator does with messages that were set aside.
type DeadLetters interface {
	// List gives at most limit dead letters after the one named, in the order they were set aside.
	List(ctx context.Context, after string, limit int) ([]DeadLetter, error)
	// Redrive puts the messages named back into the queue, with their receives counted from zero,
	// and says how many were there.
	Redrive(ctx context.Context, ids []string) (int, error)
}

// DeadLetter is one message that was set aside.
type DeadLetter struct {
	MessageID string
	Payload   []byte
	Reason    string
	Receives  int
	At        time.Time
}

// Sender makes one provider call. It never retries.
type Sender interface {
	// Send delivers n, or returns ErrStartPassed, ErrRejected, a NotAcceptedError, or any other
	// error, which means that nobody knows.
	Send(ctx context.Context, n Notice) (Receipt, error)
	// KeyHorizon is how long the provider remembers reminder keys; zero if it honours none.
	KeyHorizon() time.Duration
}

// Notice is what a Sender sends.
type Notice struct {
	Reminder Reminder
	// Attempt is the claim's token, for logs; a provider never sees it.
	Attempt Token
	Learner LearnerID
	Section SectionID
	Zone    string
	// StartBy is compared last thing before the call is written; Timeout begins there.
	StartBy StartBy
	Timeout time.Duration
}

// StartBy is the time from which on a call may not be started any more.
type StartBy struct{ at time.Time }

// StartWithin gives the time that is d after asked, a reading of a process clock.
func StartWithin(asked time.Time, d time.Duration) StartBy { return StartBy{asked.Add(d)} }

// Time is the time itself.
func (s StartBy) Time() time.Time { return s.at }

// Passed compares on the monotonic and on the wall clock, and believes whichever is further: the
// one stands still while a machine sleeps, the other can be set back.
func (s StartBy) Passed(now time.Time) bool {
	return !now.Before(s.at) || !now.Round(0).Before(s.at.Round(0))
}

// Receipt is a provider's word that it accepted.
type Receipt struct {
	// Ref is the provider's name for what it accepted; it may be empty.
	Ref string
}

// Waiter waits for d, or until ctx ends, which it returns as an error.
type Waiter interface {
	Wait(ctx context.Context, d time.Duration) error
}

// TokenSource makes attempt tokens: fresh each, and never repeated, over restarts either.
type TokenSource interface {
	NewToken() Token
}
