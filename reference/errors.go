package reference

import (
	"errors"
	"fmt"
	"time"
)

// Decisions that a caller may want to tell apart. Ports wrap them with what was tried on what.
var (
	// ErrInvalid: the input can't be, and asking again won't help.
	ErrInvalid = errors.New("invalid")
	// ErrBadMessage: a payload that is no message; it is dead-lettered with this as its reason.
	ErrBadMessage = errors.New("not a message")
	// ErrNoHold: there is no such hold.
	ErrNoHold = errors.New("no such hold")
	// ErrHoldExists: a hold of that id is there and differs from the one to be created.
	ErrHoldExists = errors.New("a different hold of that id exists")
	// ErrNotHeld: the hold has left the state held, and what was asked needs it.
	ErrNotHeld = errors.New("not held any more")
	// ErrRunOut: by the database's clock the hold's time is over, whether or not it was expired yet.
	ErrRunOut = errors.New("the hold has run out")
	// ErrOtherWindow: the hold is in another window than the one named.
	ErrOtherWindow = errors.New("the hold is in another window")
	// ErrNotLater: a window can only be extended to a strictly later time.
	ErrNotLater = errors.New("not later than the present expires_at")
	// ErrNotOurs: a broker no longer knows the receipt; another worker may have the message.
	ErrNotOurs = errors.New("the receipt is not valid any more")
	// ErrLocked: somebody else has a row that the call needs, for longer than the lock timeout; the
	// call did nothing.
	ErrLocked = errors.New("somebody else has the row")
	// ErrUndrained: a sweep ended before all that was due had been published.
	ErrUndrained = errors.New("sweep left due holds unpublished")
)

// What a Sender answers besides a receipt. Any error that is none of these is unknown: the
// provider may have accepted.
var (
	// ErrRejected: the provider refused for good; nothing was accepted.
	ErrRejected = errors.New("rejected by the provider")
	// ErrStartPassed: the time to start by had passed, so the call was not started.
	ErrStartPassed = errors.New("too late to start")
)

// NotAcceptedError is a Sender's answer that certainly nothing was accepted and that it may be
// asked again: a connection never established, a 429, and what the provider's table says.
type NotAcceptedError struct {
	// After is how long to wait before asking again; zero if the provider didn't say.
	After time.Duration
	Err   error
}

// Error gives the cause and the wait.
func (e *NotAcceptedError) Error() string {
	return fmt.Sprintf("not accepted, may be asked again after %s: %v", e.After, e.Err)
}

// Unwrap gives the cause.
func (e *NotAcceptedError) Unwrap() error { return e.Err }
