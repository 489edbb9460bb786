package reference

import (
	"fmt"
	"time"
)

// Order is what a deployment prefers when an attempt ends without a word.
type Order string

// The orders. A duplicate delivery sends twice in neither.
const (
	// ClaimFirst drops after a crash or a timeout, and never doubles. It is the default.
	ClaimFirst Order = "claim-first"
	// SendFirst sends again until the cut-off after a crash or a timeout, so it may double.
	SendFirst Order = "send-first"
)

// Policy is every duration and limit that the pipeline works by.
type Policy struct {
	// Lead is how long before expires_at a nudge becomes due; Cutoff how long before it none may start.
	Lead, Cutoff time.Duration
	// SweepPeriod is how often a sweep is started; SweepBudget how long one may run.
	SweepPeriod, SweepBudget time.Duration
	// Renominate is the age at which a due window's message gets a new key: MessageKey.
	Renominate time.Duration
	// SendTimeout is how late a send may start after the claim was asked for, and, counted again
	// from its start, how long it may take.
	SendTimeout time.Duration
	// StoreTimeout is how long one call of a store may take; those by which a sweep reads and expires
	// may take a third of SweepBudget.
	StoreTimeout time.Duration
	// LockTimeout is how long a worker's call waits for a row that somebody else has.
	LockTimeout time.Duration
	// Lease is how long a claim keeps others from the reminder.
	Lease time.Duration
	// Visibility is how long the broker hides a delivered message; MaxReceives how often it
	// delivers one before it dead-letters it; LongPoll how long an empty Receive waits.
	Visibility  time.Duration
	MaxReceives int
	LongPoll    time.Duration
	// Backstop is how long a hold may be overdue before the sweep expires it by itself.
	Backstop time.Duration
	// Page is how many rows a sweep reads, and publishes, at a time.
	Page  int
	Order Order
}

// DefaultPolicy is what production starts with.
func DefaultPolicy() Policy {
	return Policy{
		Lead: 3 * time.Minute, Cutoff: 30 * time.Second,
		SweepPeriod: time.Minute, SweepBudget: 50 * time.Second, Renominate: 30 * time.Second,
		SendTimeout: 10 * time.Second, StoreTimeout: 5 * time.Second, LockTimeout: time.Second, Lease: 20 * time.Second,
		Visibility: time.Minute, MaxReceives: 10, LongPoll: 20 * time.Second,
		Backstop: 10 * time.Minute, Page: 500, Order: ClaimFirst,
	}
}

// channelSlack is what a worker may need for a channel besides the send itself.
const channelSlack = time.Second

// Check says which durations can't work together, with the arithmetic; the error wraps ErrInvalid.
// Channels is how many channels one message may have to send on. A SweepPeriod of zero means that
// the period isn't known, as where a hosted cron calls, and leaves out the one rule that needs it.
func (p Policy) Check(channels int) error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"lead", p.Lead}, {"sweep budget", p.SweepBudget}, {"renominate", p.Renominate},
		{"send timeout", p.SendTimeout}, {"store timeout", p.StoreTimeout},
		{"lock timeout", p.LockTimeout}, {"lease", p.Lease}, {"visibility", p.Visibility}, {"long poll", p.LongPoll}, {"backstop", p.Backstop},
	} {
		if d.d <= 0 {
			return fmt.Errorf("%s is %s and must be positive: %w", d.name, d.d, ErrInvalid)
		}
	}
	n := time.Duration(channels)
	switch {
	case p.Cutoff < 0 || p.SweepPeriod < 0:
		return fmt.Errorf("cut-off %s and sweep period %s must not be negative: %w", p.Cutoff, p.SweepPeriod, ErrInvalid)
	case p.Page < 1 || p.MaxReceives < 1:
		return fmt.Errorf("page %d and max receives %d must be at least 1: %w", p.Page, p.MaxReceives, ErrInvalid)
	case p.Order != ClaimFirst && p.Order != SendFirst:
		return fmt.Errorf("order %q is neither %s nor %s: %w", p.Order, ClaimFirst, SendFirst, ErrInvalid)
	case p.LockTimeout >= p.StoreTimeout:
		return fmt.Errorf("lock timeout %s must be less than store timeout %s, or a call that waits for a row ends in doubt: %w", p.LockTimeout, p.StoreTimeout, ErrInvalid)
	case p.Cutoff >= p.Lead:
		return fmt.Errorf("cut-off %s leaves nothing of lead %s: %w", p.Cutoff, p.Lead, ErrInvalid)
	case p.SendTimeout >= p.Lease:
		return fmt.Errorf("send timeout %s must be less than lease %s, or a live send outlasts its claim: %w", p.SendTimeout, p.Lease, ErrInvalid)
	case p.Lease >= p.Visibility:
		return fmt.Errorf("lease %s must be less than visibility %s, or a redelivery finds the claim still running: %w", p.Lease, p.Visibility, ErrInvalid)
	case n*(p.SendTimeout+channelSlack) >= p.Visibility:
		return fmt.Errorf("%d channels × (send timeout %s + %s) = %s must be less than visibility %s, or a slow message is delivered again under its worker: %w",
			channels, p.SendTimeout, channelSlack, n*(p.SendTimeout+channelSlack), p.Visibility, ErrInvalid)
	case p.SweepPeriod > 0 && p.SweepPeriod+n*p.SendTimeout >= p.Lead-p.Cutoff:
		return fmt.Errorf("sweep period %s + %d channels × send timeout %s = %s must be less than lead %s − cut-off %s = %s, or a hold may come due and pass its cut-off between two sweeps: %w",
			p.SweepPeriod, channels, p.SendTimeout, p.SweepPeriod+n*p.SendTimeout, p.Lead, p.Cutoff, p.Lead-p.Cutoff, ErrInvalid)
	case p.SweepPeriod+p.Renominate > p.Lead-p.Cutoff:
		return fmt.Errorf("sweep period %s + renominate %s = %s must be at most lead %s − cut-off %s = %s, or a lost message gets no new key in time: %w",
			p.SweepPeriod, p.Renominate, p.SweepPeriod+p.Renominate, p.Lead, p.Cutoff, p.Lead-p.Cutoff, ErrInvalid)
	}
	return nil
}

// CheckKeys refuses a provider whose memory of keys is too short to retake by; zero is none.
func (p Policy) CheckKeys(c Channel, horizon time.Duration) error {
	if horizon != 0 && horizon < 10*p.SendTimeout {
		return fmt.Errorf("%s: key horizon %s must be at least 10 × send timeout %s = %s: %w", c, horizon, p.SendTimeout, 10*p.SendTimeout, ErrInvalid)
	}
	return nil
}
