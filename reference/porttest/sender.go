package porttest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// Behaviour is how a provider meets a call.
type Behaviour string

// The behaviours.
const (
	// Accept: it accepts and says so. A provider does so until it is told otherwise.
	Accept Behaviour = "accept"
	// Reject: it refuses for good.
	Reject Behaviour = "reject"
	// Throttle: it asks to be called again after ThrottleAfter.
	Throttle Behaviour = "throttle"
	// Unreachable: no connection comes about.
	Unreachable Behaviour = "unreachable"
	// LoseReply: it accepts, and its answer is lost.
	LoseReply Behaviour = "lose-reply"
	// Break: it answers that it is broken, and accepts nothing, which the caller can't know.
	Break Behaviour = "break"
)

// ThrottleAfter is the wait that a provider told to Throttle asks for.
const ThrottleAfter = 30 * time.Second

// SenderUnderTest is a Sender and the provider behind it.
type SenderUnderTest struct {
	Sender reference.Sender
	// Now reads the clock that the Sender compares StartBy with.
	Now func() time.Time
	// Accepted gives the reminder keys of all that the provider accepted, in order. What it
	// collapsed by its key, if the Sender says that it honours keys, is accepted once.
	Accepted func() []string
	// Behave tells the provider how to meet the next call that reaches it, and says whether it can.
	Behave func(Behaviour) bool
}

// TestSender runs the suite of Sender, for one channel.
func TestSender(t *testing.T, channel reference.Channel, open func(t *testing.T) SenderUnderTest) {
	for _, c := range []senderCase{
		{"accepted", Accept, policy.SendTimeout, "accepted", true},
		{"not-started-at-the-time-to-start-by", Accept, 0, "too late", false},
		{"not-started-past-the-time-to-start-by", Accept, -time.Hour, "too late", false},
		{"rejected", Reject, policy.SendTimeout, "rejected", false},
		{"throttled", Throttle, policy.SendTimeout, "not accepted", false},
		{"unreachable", Unreachable, policy.SendTimeout, "not accepted", false},
		{"unknown-when-the-reply-is-lost", LoseReply, policy.SendTimeout, "unknown", true},
		{"unknown-when-the-provider-breaks", Break, policy.SendTimeout, "unknown", false},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, channel, open(t)) })
	}
	t.Run("second-send-of-a-reminder", func(t *testing.T) { testSendTwice(t, channel, open(t)) })
	t.Run("nothing-is-sent-under-a-cancelled-context", func(t *testing.T) {
		s := open(t)
		ctx, cancel := context.WithCancel(background)
		cancel()
		_, err := s.Sender.Send(ctx, s.notice(channel, policy.SendTimeout))
		expect.Error(t, "send", context.Canceled, err)
		expect.Same(t, "accepted", []string(nil), s.Accepted())
	})
}

// senderCase is how a provider meets a call that is to be started within a time, and what the
// Sender answers.
type senderCase struct {
	name      string
	behaviour Behaviour
	within    time.Duration
	want      string
	accepts   bool
}

func (s SenderUnderTest) notice(c reference.Channel, within time.Duration) reference.Notice {
	h := hold()
	return reference.Notice{
		Reminder: reminder(c), Attempt: "t1", Learner: h.Learner, Section: h.Section, Zone: h.Zone,
		StartBy: reference.StartWithin(s.Now(), within), Timeout: policy.SendTimeout,
	}
}

func (c senderCase) run(t *testing.T, channel reference.Channel, s SenderUnderTest) {
	if c.behaviour != Accept && !s.Behave(c.behaviour) {
		t.Logf("this provider has no way to %s", c.behaviour)
		return
	}
	_, err := s.Sender.Send(background, s.notice(channel, c.within))
	want := c.want
	var refused *reference.NotAcceptedError
	// A provider that honours keys may say of its own errors that nothing was accepted.
	if c.behaviour == Break && s.Sender.KeyHorizon() > 0 && errors.As(err, &refused) {
		want = "not accepted"
	}
	if got := class(err); got != want {
		t.Errorf("the answer is %s: %v, want %s", got, err, want)
	}
	if errors.As(err, &refused) && c.behaviour == Throttle && refused.After != ThrottleAfter {
		t.Errorf("to be asked again after %s, want %s", refused.After, ThrottleAfter)
	}
	var accepted []string
	if c.accepts {
		accepted = []string{reminder(channel).Key()}
	}
	expect.Same(t, "accepted", accepted, s.Accepted())
}

// class is what kind of answer err is to a worker.
func class(err error) string {
	var refused *reference.NotAcceptedError
	switch {
	case err == nil:
		return "accepted"
	case errors.Is(err, reference.ErrStartPassed):
		return "too late"
	case errors.Is(err, reference.ErrRejected):
		return "rejected"
	case errors.As(err, &refused):
		return "not accepted"
	}
	return "unknown"
}

func testSendTwice(t *testing.T, channel reference.Channel, s SenderUnderTest) {
	key := reminder(channel).Key()
	want := []string{key, key}
	if s.Sender.KeyHorizon() > 0 {
		want = want[:1]
	}
	for range 2 {
		_, err := s.Sender.Send(background, s.notice(channel, policy.SendTimeout))
		expect.Error(t, "send", nil, err)
	}
	expect.Same(t, "accepted", want, s.Accepted())
}
