package faults

import (
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// What a caller sees of a fault.
var (
	// ErrInjected: the call had no effect, though the caller can't know that.
	ErrInjected = errors.New("injected fault")
	// ErrReplyLost: the call had its effect, and its reply was lost.
	ErrReplyLost = errors.New("injected fault: the reply was lost")
)

// Answer is what a Sender makes of a provider's status other than success: the one place that says
// which statuses mean what. A refusal is final and 429 and 425 ask to be asked again after a while,
// negative or zero if the provider doesn't say when; after anything else, each 5xx included, nobody
// knows whether the provider accepted.
func Answer(status int, after time.Duration) error {
	answered := fmt.Errorf("the provider answered %d: %w", status, ErrInjected)
	switch {
	case refusal(status):
		return fmt.Errorf("%w: %w", reference.ErrRejected, answered)
	case status == 429 || status == 425:
		return &reference.NotAcceptedError{After: max(after, 0), Err: answered}
	}
	return answered
}

// refusal says that a provider which answers so will never accept: every 4xx but request timeout,
// too early and too many requests (RFC 9110, RFC 8470, RFC 6585).
func refusal(status int) bool {
	return 400 <= status && status <= 499 && status != 408 && status != 425 && status != 429
}
