// Package process is what a process of its own gives to the pipeline: waiting, and attempt tokens.
package process

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
)

// ClockWaiter waits on a clock. It is the one place that arms a timer, and that selects; the
// simulator has its own Waiter, which yields. It implements reference.Waiter.
type ClockWaiter struct{ Clock clock.Clock }

// Wait returns after d, or as soon as ctx ends, with its error wrapped. It doesn't wait at all if d
// is zero or less.
func (w ClockWaiter) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait %s: %w", d, err)
	}
	if d <= 0 {
		return nil
	}
	timer := w.Clock.Timer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait %s: %w", d, ctx.Err())
	}
}

// RandomTokens makes tokens of 128 random bits, in hexadecimal: two are equal with a chance that
// no number of restarts makes worth naming. It implements reference.TokenSource.
type RandomTokens struct{}

// NewToken implements reference.TokenSource.
func (RandomTokens) NewToken() reference.Token {
	var bits [16]byte
	// crypto/rand.Read never fails: it ends the process where the system has no randomness.
	rand.Read(bits[:])
	return reference.Token(hex.EncodeToString(bits[:]))
}
