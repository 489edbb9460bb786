package porttest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest"
)

// provider is a Sender and a provider in one.
type provider struct {
	horizon  time.Duration
	now      time.Time
	next     porttest.Behaviour
	accepted []string
}

func (p *provider) KeyHorizon() time.Duration { return p.horizon }

func (p *provider) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return reference.Receipt{}, fmt.Errorf("send %s: %w", n.Reminder, err)
	}
	if n.StartBy.Passed(p.now) {
		return reference.Receipt{}, fmt.Errorf("send %s: %w", n.Reminder, reference.ErrStartPassed)
	}
	behaviour := p.next
	p.next = porttest.Accept
	switch behaviour {
	case porttest.Reject:
		return reference.Receipt{}, fmt.Errorf("send %s: 400: %w", n.Reminder, reference.ErrRejected)
	case porttest.Throttle:
		return reference.Receipt{}, &reference.NotAcceptedError{After: porttest.ThrottleAfter, Err: errors.New("429")}
	case porttest.Unreachable:
		return reference.Receipt{}, &reference.NotAcceptedError{Err: errors.New("no route")}
	case porttest.Break:
		return reference.Receipt{}, errors.New("503")
	}
	if key := n.Reminder.Key(); p.horizon == 0 || !slices.Contains(p.accepted, key) {
		p.accepted = append(p.accepted, key)
	}
	if behaviour == porttest.LoseReply {
		return reference.Receipt{}, errors.New("connection reset")
	}
	return reference.Receipt{}, nil
}

// TestSender runs the suite itself, without and with keys.
func TestSender(t *testing.T) {
	for _, horizon := range []time.Duration{0, 24 * time.Hour} {
		t.Run(fmt.Sprintf("keys-%s", horizon), func(t *testing.T) {
			porttest.TestSender(t, reference.SMS, func(*testing.T) porttest.SenderUnderTest {
				p := &provider{horizon: horizon, now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
				return porttest.SenderUnderTest{
					Sender: p, Now: func() time.Time { return p.now },
					Accepted: func() []string { return p.accepted },
					Behave:   func(b porttest.Behaviour) bool { p.next = b; return true },
				}
			})
		})
	}
}
