package promise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// story tells a trace by hand. Times are of one day; a hold ends at 12:10 unless told otherwise, so
// that it is due at 12:07 and its cut-off is at 12:09:30.
type story struct {
	t        *testing.T
	run      trace.Run
	now      time.Time
	messages int
	tokens   int
	// holds, rows and left override the tables that the events make.
	holds func([]reference.Hold) []reference.Hold
	rows  func([]reference.Row) []reference.Row
	// open says that the story has no end.
	open bool
}

var day = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// clock reads 12:07 or 12:07:00.2.
func clock(text string) time.Time {
	layout := "15:04:05.999999"
	if strings.Count(text, ":") == 1 {
		layout = "15:04"
	}
	c, err := time.Parse(layout, text)
	if err != nil {
		panic(err)
	}
	return day.Add(time.Duration(c.Hour())*time.Hour + time.Duration(c.Minute())*time.Minute +
		time.Duration(c.Second())*time.Second + time.Duration(c.Nanosecond()))
}

// tell begins a story at 12:00 with holds that end at 12:10.
func tell(t *testing.T, holds ...reference.HoldID) *story {
	p := reference.DefaultPolicy()
	s := &story{t: t, now: clock("12:00")}
	latency := map[reference.Channel]time.Duration{reference.Email: 200 * time.Millisecond, reference.SMS: 200 * time.Millisecond}
	s.run.Setup = trace.Setup{Start: s.now, Policy: p, Period: time.Minute, Slots: 2, Latency: latency, Keys: map[reference.Channel]time.Duration{}}
	for _, h := range holds {
		s.hold(h, "12:10", reference.Held)
	}
	return s
}

func (s *story) hold(id reference.HoldID, expires string, state reference.State, channels ...reference.Channel) *story {
	if len(channels) == 0 {
		channels = reference.Channels
	}
	s.run.Setup.Holds = append(s.run.Setup.Holds, reference.Hold{
		ID: id, Learner: "l", Section: "s", Zone: "UTC", ExpiresAt: clock(expires), State: state, Channels: channels,
	})
	return s
}

func (s *story) at(text string) *story {
	s.now = clock(text)
	return s
}

func (s *story) after(d time.Duration) *story {
	s.now = s.now.Add(d)
	return s
}

// add appends an event, at the story's time if it has none, and about the window that ends at
// 12:10 if it names a hold and no window.
func (s *story) add(e trace.Event) *story {
	if n := len(s.run.Events); n > 0 && s.run.Events[n-1].At.After(s.now) {
		s.t.Fatalf("the story goes back, from %s to %s", s.run.Events[n-1].At, s.now)
	}
	e.Seq, e.At = len(s.run.Events)+1, s.now
	if e.Hold != "" && e.Window.IsZero() && e.What != trace.FaultBegin && e.What != trace.FaultEnd {
		e.Window = clock("12:10")
	}
	s.run.Events = append(s.run.Events, e)
	return s
}

// last gives the event before now, to be changed.
func (s *story) last() *trace.Event { return &s.run.Events[len(s.run.Events)-1] }

func (s *story) publish(k reference.Kind, h reference.HoldID) string {
	s.messages++
	m := fmt.Sprintf("m%d", s.messages)
	s.add(trace.Event{What: "sweep.publish", Who: "sweep#1", Hold: h, Kind: k, Message: m, Answer: "accepted"})
	return m
}

func (s *story) receive(who string, k reference.Kind, h reference.HoldID, m string) *story {
	return s.add(trace.Event{What: "worker.receive", Who: who, Slot: 1, Hold: h, Kind: k, Message: m, N: 1, Until: s.now.Add(time.Minute)})
}

func (s *story) ack(who string, m string) *story {
	return s.add(trace.Event{What: "worker.ack", Who: who, Message: m, Answer: "acked"})
}

// claim is granted, and gives its token.
func (s *story) claim(who string, h reference.HoldID, c reference.Channel) reference.Token {
	s.tokens++
	t := reference.Token(fmt.Sprintf("t%d", s.tokens))
	s.add(trace.Event{What: "worker.claim", Who: who, Slot: 1, Hold: h, Channel: c, Token: t, Answer: "granted", Until: s.now.Add(20 * time.Second)})
	return t
}

func (s *story) send(who string, h reference.HoldID, c reference.Channel, t reference.Token, answer string) *story {
	return s.add(trace.Event{What: "provider.send", Who: who, Slot: 1, Hold: h, Channel: c, Token: t, Start: s.now, Answer: answer})
}

func (s *story) accept(h reference.HoldID, c reference.Channel, t reference.Token) *story {
	return s.add(trace.Event{What: trace.Accepted, Who: string(c), Hold: h, Channel: c, Token: t})
}

func (s *story) settle(who string, h reference.HoldID, c reference.Channel, t reference.Token, o reference.Outcome) *story {
	return s.add(trace.Event{What: "worker.settle", Who: who, Slot: 1, Hold: h, Channel: c, Token: t, Outcome: o, Answer: "recorded"})
}

func (s *story) release(who string, h reference.HoldID, c reference.Channel, t reference.Token, doubt reference.Reason, notBefore string) *story {
	e := trace.Event{What: "worker.release", Who: who, Slot: 1, Hold: h, Channel: c, Token: t, Doubt: doubt, Answer: "released"}
	if notBefore != "" {
		e.Until = clock(notBefore)
	}
	return s.add(e)
}

// remind is one channel from claim to sent.
func (s *story) remind(who string, h reference.HoldID, c reference.Channel) *story {
	t := s.claim(who, h, c)
	s.send(who, h, c, t, "accepted").accept(h, c, t)
	return s.after(200*time.Millisecond).settle(who, h, c, t, sentOutcome)
}

// reminded is a message from sweep to ack, all well.
func (s *story) reminded(h reference.HoldID) *story {
	m := s.publish(reference.Remind, h)
	s.receive("w1", reference.Remind, h, m).remind("w1", h, reference.Email).remind("w1", h, reference.SMS)
	return s.ack("w1", m)
}

// expired is the same for giving the seat back.
func (s *story) expired(h reference.HoldID) *story {
	m := s.publish(reference.Expire, h)
	s.receive("w1", reference.Expire, h, m)
	s.add(trace.Event{What: "worker.expire", Who: "w1", Slot: 1, Hold: h, Message: m, Answer: "expired"})
	return s.ack("w1", m)
}

func (s *story) person(what trace.What, h reference.HoldID, answer string) *story {
	return s.add(trace.Event{What: what, Who: "learner", Hold: h, Answer: answer})
}

func (s *story) extend(h reference.HoldID, from, to string) *story {
	return s.add(trace.Event{What: "hold.extend", Who: "learner", Hold: h, Window: clock(from), Until: clock(to), Answer: "done"})
}

// fault is trouble from now for a while. It must be told before what happens in it.
func (s *story) fault(line string, d time.Duration, h reference.HoldID, c reference.Channel) func() {
	s.add(trace.Event{What: trace.FaultBegin, Who: "run", Fault: line, Hold: h, Channel: c})
	end := func() { s.add(trace.Event{What: trace.FaultEnd, Who: "run", Fault: line, Hold: h, Channel: c}) }
	if d == 0 {
		end()
	}
	return end
}

var (
	sentOutcome   = reference.Outcome{Verdict: reference.Sent}
	missed        = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Missed}
	throttled     = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Throttled}
	stalledPast   = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Stalled}
	rejected      = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected}
	unknownLapse  = reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed}
	unknownTimeou = reference.Outcome{Verdict: reference.Unknown, Reason: reference.Timeout}
)

// end gives the run, ended at a time, with the tables that its events make.
func (s *story) end(text string) trace.Run {
	s.at(text)
	if s.open {
		return s.run
	}
	s.add(trace.Event{What: trace.Ended, Who: "run"})
	s.run.Holds, s.run.Rows = tables(&s.run)
	if s.holds != nil {
		s.run.Holds = s.holds(s.run.Holds)
	}
	if s.rows != nil {
		s.run.Rows = s.rows(s.run.Rows)
	}
	return s.run
}

// tables are what the model holds in the end. That they are what a store holds is tested elsewhere.
func tables(run *trace.Run) ([]reference.Hold, []reference.Row) {
	w := newWorld(run)
	var m moment
	for i := range run.Events {
		w.resolve(&m, &run.Events[i])
		w.apply(&m)
	}
	var holds []reference.Hold
	var rows []reference.Row
	for _, h := range w.holds {
		if h.exists {
			holds = append(holds, reference.Hold{ID: h.id, State: h.state, ExpiresAt: h.current.end.time(), Channels: h.channels})
		}
		for v := h.windows; v != nil; v = v.next {
			for r := v.reminders; r != nil; r = r.next {
				if r.exists {
					row := reference.Row{Reminder: reference.Reminder{Window: reference.Window{Hold: h.id, ExpiresAt: v.end.time()}, Channel: r.channel}}
					row.Token, row.Doubt, row.Outcome = r.token, r.doubt, r.outcome
					if r.lease != always {
						row.LeaseUntil = r.lease.time()
					}
					if r.notBefore != always {
						row.NotBefore = r.notBefore.time()
					}
					rows = append(rows, row)
				}
			}
		}
	}
	return holds, rows
}
