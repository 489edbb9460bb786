package process_test

import (
	"testing"
	"testing/synctest"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest"
	"github.com/seathold/seathold/reference/process"
)

func TestClockWaiter(t *testing.T) {
	porttest.TestWaiter(t, func(*testing.T) porttest.WaiterUnderTest {
		c := clock.New()
		return porttest.WaiterUnderTest{Waiter: process.ClockWaiter{Clock: c}, Clock: c, Run: synctest.Test}
	})
}

func TestRandomTokens(t *testing.T) {
	porttest.TestTokenSource(t, func(*testing.T) reference.TokenSource { return process.RandomTokens{} })
	if token := (process.RandomTokens{}).NewToken(); len(token) != 32 {
		t.Errorf("token %s has %d characters, want 32", token, len(token))
	}
}
