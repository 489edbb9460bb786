package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/smoke"
)

type smokeCommand struct {
	providerLog
	Learner string        `default:"smoke" help:"The learner to be reminded; the provider must know whom to reach."`
	Section string        `default:"smoke" help:"The class section named in the reminders."`
	Zone    string        `default:"UTC" help:"The IANA time zone in which the reminders word the time."`
	On      []string      `default:"email,sms" placeholder:"CHANNEL,…" help:"The channels to try."`
	Refs    bool          `default:"true" negatable:"" help:"Every outcome must name the provider's reference."`
	Settle  time.Duration `default:"30s" help:"rest: how long replayed messages are given, for a hosted queue doesn't say when they are done with."`
	Keep    bool          `help:"Leave the hold there in the end."`
}

// smoked is what a smoke test saw.
type smoked struct {
	Hold      reference.HoldID `json:"hold_id"`
	Window    time.Time        `json:"window"`
	Reminders []shownRow       `json:"reminders"`
	State     reference.State  `json:"state"`
	// SentAfter and ExpiredAfter are seconds from the hold's beginning.
	SentAfter    float64                   `json:"sent_after_seconds"`
	ExpiredAfter float64                   `json:"expired_after_seconds"`
	Replayed     int                       `json:"replayed"`
	Accepted     map[reference.Channel]int `json:"accepted,omitempty"`
	Removed      bool                      `json:"removed"`
}

func (s *smokeCommand) run(ctx context.Context, c *control) error {
	policy, err := c.policy()
	if err != nil {
		return err
	}
	if s.Settle < 0 {
		return usage("30s is the default", "settle is %s and must not be negative", s.Settle)
	}
	// The log is read at the end; that it can be is seen now.
	log, err := s.read()
	if err != nil {
		return err
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	queue, err := c.publisher(t.DB)
	if err != nil {
		return err
	}
	test := smoke.Test{
		Tables: t.Tables, Holds: t.holds, Queue: queue, Policy: policy, Waiter: process.ClockWaiter{Clock: clock.New()},
		Hold: reference.Hold{Learner: reference.LearnerID(s.Learner), Section: reference.SectionID(s.Section), Zone: s.Zone},
		Refs: s.Refs, Keep: s.Keep, Told: c.progress,
	}
	for _, channel := range s.On {
		test.Hold.Channels = append(test.Hold.Channels, reference.Channel(channel))
	}
	if log != nil {
		test.Accepted = s.read
	}
	if c.Queue.Queue != settings.QueuePostgres {
		test.Blind = s.Settle
	}
	saw, err := test.Run(ctx)
	if err != nil {
		return err
	}
	result := smoked{
		saw.Hold.ID, saw.Hold.ExpiresAt, shownRows(saw.Rows), saw.Hold.State, saw.Sent.Seconds(), saw.Expired.Seconds(),
		saw.Replayed, saw.Accepted, saw.Removed,
	}
	return c.print(result, result.write)
}

func (s smoked) write(w io.Writer) {
	for _, r := range s.Reminders {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Channel, r.Outcome, printable(r.ProviderRef, 128))
	}
	fmt.Fprintf(w, "sent\tafter %gs\t\n", s.SentAfter)
	fmt.Fprintf(w, "expired\tafter %gs\t\n", s.ExpiredAfter)
	fmt.Fprintf(w, "replayed\t%s\tnothing changed\n", count(s.Replayed, "message"))
	if s.Accepted != nil {
		fmt.Fprintf(w, "accepted\tonce a channel\tby the provider's log\n")
	}
	end := "kept"
	if s.Removed {
		end = "removed"
	}
	fmt.Fprintf(w, "%s\t%s\t\n", end, s.Hold)
}
