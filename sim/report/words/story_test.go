package words_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// at gives a time of the world's day: 12:07:20.200.
func at(clock string) time.Time {
	for _, layout := range []string{"15:04", "15:04:05", "15:04:05.000"} {
		if t, err := time.Parse(layout, clock); err == nil {
			return noon.Truncate(24 * time.Hour).Add(t.Sub(t.Truncate(24 * time.Hour)))
		}
	}
	panic("no time: " + clock)
}

// story collects events as a run would.
type story struct {
	events []trace.Event
	ends   map[reference.HoldID]time.Time
}

func (s *story) add(clock, who string, what trace.What, e trace.Event) {
	e.At, e.Who, e.What, e.Seq = at(clock), who, what, len(s.events)+1
	if e.Window.IsZero() && e.Hold != "" {
		e.Window = s.ends[e.Hold]
	}
	s.events = append(s.events, e)
}

func newStory() *story {
	return &story{ends: map[reference.HoldID]time.Time{"h1": at("12:10"), "h2": at("12:10")}}
}

// sweep finds holds of one kind, and publishes them under the names given.
func (s *story) sweep(n int, kind reference.Kind, holdsAndMessages ...string) {
	clock, who := fmt.Sprintf("12:%02d", n), fmt.Sprintf("sweep#%d", n)
	s.add(clock, who, trace.SweepStart, trace.Event{})
	pairs := len(holdsAndMessages) / 2
	for _, k := range []reference.Kind{reference.Remind, reference.Expire} {
		if k != kind {
			s.add(clock, who, trace.What(faults.SweepDue), trace.Event{Kind: k})
			continue
		}
		s.add(clock, who, trace.What(faults.SweepDue), trace.Event{Kind: k, N: pairs})
		for i := range pairs {
			s.add(clock, who, trace.What(faults.SweepPublish), trace.Event{
				Kind: k, Hold: reference.HoldID(holdsAndMessages[2*i]), Message: holdsAndMessages[2*i+1], Answer: "accepted",
			})
		}
	}
	s.add(clock, who, trace.What(faults.SweepRecord), trace.Event{})
	s.add(clock, who, trace.SweepEnd, trace.Event{N: pairs, Answer: "whole"})
}

func (s *story) receive(clock, who, message string, kind reference.Kind, hold reference.HoldID, n int) {
	s.add(clock, who, trace.What(faults.WorkerReceive), trace.Event{
		Message: message, Kind: kind, Hold: hold, Until: at(clock).Add(time.Minute), N: n,
	})
}

// remind handles one remind message without trouble.
func (s *story) remind(clock, who, message string, hold reference.HoldID) {
	s.receive(clock, who, message, reference.Remind, hold, 1)
	for _, c := range reference.Channels {
		s.channel(clock, who, hold, c)
	}
	s.add(clock, who, trace.What(faults.WorkerAck), trace.Event{Message: message, Hold: hold, Answer: "acked"})
}

func (s *story) channel(clock, who string, hold reference.HoldID, c reference.Channel) {
	s.add(clock, who, trace.What(faults.WorkerClaim), trace.Event{
		Hold: hold, Channel: c, Answer: "granted", Until: at(clock).Add(20 * time.Second),
	})
	s.add(clock, who, trace.What(faults.ProviderSend), trace.Event{Hold: hold, Channel: c, Answer: "accepted", Start: at(clock)})
	s.add(clock, string(c), trace.Accepted, trace.Event{Hold: hold, Channel: c})
	s.add(clock, who, trace.What(faults.WorkerSettle), trace.Event{
		Hold: hold, Channel: c, Answer: "recorded", Outcome: reference.Outcome{Verdict: reference.Sent},
	})
}

func (s *story) expire(clock, who, message string, hold reference.HoldID) {
	s.receive(clock, who, message, reference.Expire, hold, 1)
	s.add(clock, who, trace.What(faults.WorkerExpire), trace.Event{Hold: hold, Message: message, Answer: "expired"})
	s.add(clock, who, trace.What(faults.WorkerAck), trace.Event{Message: message, Hold: hold, Answer: "acked"})
}

func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }
