package restqueue

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// StoppedError: the service answered 402, and is not called any more. It takes a person to mend
// that: somebody has to pay.
type StoppedError struct {
	// Since is when it answered so, by the process's clock.
	Since time.Time
	// Probe is how often one call is made nevertheless; zero is never.
	Probe time.Duration
}

// Error says what has to be done.
func (e *StoppedError) Error() string {
	since := e.Since.UTC().Format(time.RFC3339)
	if e.Probe == 0 {
		return fmt.Sprintf("stopped at %s by 402 Payment Required: pay, then restart", since)
	}
	return fmt.Sprintf("stopped at %s by 402 Payment Required: pay; one call is made every %s", since, e.Probe)
}

// ThrottledError: the service answered 429, to this call or to one before, and nothing was taken.
type ThrottledError struct {
	// After is how long it is not to be called.
	After time.Duration
}

// Error says for how long.
func (e *ThrottledError) Error() string {
	return fmt.Sprintf("throttled, not to be called for %s", e.After)
}

// StatusError is an answer that is neither a success nor one of the others. What the service said
// besides is left out, for it may be anything.
type StatusError struct{ Status int }

// Error gives the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the service answered %d %s", e.Status, http.StatusText(e.Status))
}

var (
	// ErrRefused: the service answered with a success whose ok is false.
	ErrRefused = errors.New("the service answered ok: false")
	// ErrBadAnswer: the service answered with a success that can't be understood.
	ErrBadAnswer = errors.New("the answer can't be understood")
	// ErrNotTried: an entry that was left out, for several before it had failed in a row, or time was over.
	ErrNotTried = errors.New("not tried")
)
