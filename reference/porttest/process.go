package porttest

import (
	"context"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// WaiterUnderTest is a Waiter and its clock.
type WaiterUnderTest struct {
	Waiter reference.Waiter
	// Clock is what the Waiter waits by.
	Clock clock.Clock
	// Run calls f to its end where waiting is possible, and lets time pass whenever f waits, and
	// not otherwise.
	Run func(t *testing.T, f func(t *testing.T))
}

// TestWaiter runs the suite of Waiter.
func TestWaiter(t *testing.T, open func(t *testing.T) WaiterUnderTest) {
	for _, c := range []struct {
		name string
		wait time.Duration
		// limit is when the context ends; negative is before the wait, and zero never.
		limit time.Duration
		took  time.Duration
		want  error
	}{
		{"returns-after-the-wait", 5 * time.Second, 0, 5 * time.Second, nil},
		{"returns-after-a-microsecond", time.Microsecond, 0, time.Microsecond, nil},
		{"returns-at-once-from-no-wait", 0, 0, 0, nil},
		{"returns-at-once-from-less-than-no-wait", -time.Second, 0, 0, nil},
		{"returns-before-its-context-ends", 5 * time.Second, 6 * time.Second, 5 * time.Second, nil},
		{"returns-when-its-context-ends", 5 * time.Second, 2 * time.Second, 2 * time.Second, context.DeadlineExceeded},
		{"returns-at-once-when-its-context-is-over", 5 * time.Second, -1, 0, context.Canceled},
		{"says-that-its-context-is-over-without-a-wait", 0, -1, 0, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t)
			w.Run(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(background)
				defer cancel()
				switch {
				case c.limit > 0:
					ctx, cancel = w.Clock.WithTimeout(ctx, c.limit)
					defer cancel()
				case c.limit < 0:
					cancel()
				}
				began := w.Clock.Now()
				expect.Error(t, "wait", c.want, w.Waiter.Wait(ctx, c.wait))
				expect.Same(t, "time passed", c.took, w.Clock.Since(began))
			})
		})
	}
}

// TestTokenSource runs the suite of TokenSource. Each call of open stands for a restart of the same
// process.
func TestTokenSource(t *testing.T, open func(t *testing.T) reference.TokenSource) {
	const starts, each = 3, 2000
	seen := make(map[reference.Token]bool, starts*each)
	for range starts {
		source := open(t)
		for range each {
			token := source.NewToken()
			if token == "" || len(token) > 100 {
				t.Fatalf("token %q has %d bytes, want 1 to 100", token, len(token))
			}
			if seen[token] {
				t.Fatalf("token %s came twice", token)
			}
			seen[token] = true
		}
	}
}
