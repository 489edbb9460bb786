package promise

import (
	"slices"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// broken is a story that breaks one promise in one way.
type broken struct {
	class Class
	about string // hold/channel
	by    trace.What
	tell  func(*story) trace.Run
}

const email, sms = reference.Email, reference.SMS

func wantOne(t *testing.T, run trace.Run, b broken) {
	t.Helper()
	got := Check(run)
	if len(got) != 1 {
		for _, v := range got {
			t.Logf("%s %s, event %d: %s", v.Promise, v.Class, v.Seq, v.Sentence)
		}
		t.Fatalf("%d violations, want one: %s %s", len(got), b.class.Promise, b.class.Name)
	}
	v := got[0]
	if v.Promise != b.class.Promise || v.Class != b.class.Name {
		t.Errorf("%s %s: %s\nwant %s %s", v.Promise, v.Class, v.Sentence, b.class.Promise, b.class.Name)
	}
	about := string(v.Hold)
	if v.Channel != "" {
		about += "/" + string(v.Channel)
	}
	if about != b.about {
		t.Errorf("about %s, want %s", about, b.about)
	}
	var by trace.What
	if v.Seq > 0 {
		by = run.Events[v.Seq-1].What
		if !v.At.Equal(run.Events[v.Seq-1].At) {
			t.Errorf("at %s, and event %d was at %s", v.At, v.Seq, run.Events[v.Seq-1].At)
		}
	}
	if by != b.by {
		t.Errorf("by %q, want %q", by, b.by)
	}
	if v.Sentence == "" || v.Hint == "" || v.At.IsZero() || v.Window.IsZero() && v.Class != messageLost.Name {
		t.Errorf("incomplete: %+v", v)
	}
	t.Log(v.Sentence)
}

// rest lets the other channel be reminded and the seat be given back in time.
func (s *story) rest(m string) trace.Run {
	return s.remind("w1", "h1", sms).ack("w1", m).at("12:10").expired("h1").end("12:25")
}

// taken is h1's remind message at 12:07, received by w1.
func (s *story) taken() string {
	m := s.at("12:07").publish(reference.Remind, "h1")
	s.receive("w1", reference.Remind, "h1", m)
	return m
}

var brokenOnce = []broken{
	{acceptedTwice, "h1/email", trace.Accepted, func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
		s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
		return s.settle("w1", "h1", email, tok, sentOutcome).rest(m)
	}},

	{noOutcome, "h1/sms", "", func(s *story) trace.Run {
		s.rows = func(rows []reference.Row) []reference.Row {
			return slices.DeleteFunc(rows, func(r reference.Row) bool { return r.Channel == sms })
		}
		return s.at("12:07").reminded("h1").at("12:10").expired("h1").end("12:25")
	}},
	{leftOpen, "h1/email", "", func(s *story) trace.Run {
		m := s.taken()
		s.claim("w1", "h1", email)
		s.remind("w1", "h1", sms).add(trace.Event{What: trace.BrokerDead, Message: m})
		return s.at("12:10").expired("h1").end("12:25")
	}},
	{replaced, "h1/email", "worker.settle", func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "rejected").settle("w1", "h1", email, tok, throttled).settle("w1", "h1", email, tok, rejected)
		return s.rest(m)
	}},
	{receiptLost, "h1/email", "worker.settle", func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok)
		s.add(trace.Event{What: trace.NodeStall, Who: "w1", Until: clock("12:08:30")})
		s.at("12:08").add(trace.Event{What: claimed, Who: "w2", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: unknownLapse})
		s.at("12:08:30").settle("w1", "h1", email, tok, sentOutcome).last().Answer = "not-yours"
		return s.rest(m)
	}},
	{falseReason, "h1/email", "worker.settle", func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, rejected)
		return s.rest(m)
	}},
	{missedNoExcuse, "h1/email", "worker.expire", func(s *story) trace.Run {
		return s.at("12:07").remind("w1", "h1", sms).at("12:10").expired("h1").end("12:25")
	}},
	{throttledExcuse, "h1/email", "worker.settle", func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "not-accepted").last().Until = clock("12:07:05")
		return s.settle("w1", "h1", email, tok, throttled).rest(m)
	}},
	{stalledExcuse, "h1/email", "worker.settle", func(s *story) trace.Run {
		m := s.at("12:07").publish(reference.Remind, "h1")
		s.receive("w1", reference.Remind, "h1", m).remind("w1", "h1", sms)
		tok := s.at("12:09:29").claim("w1", "h1", email)
		s.at("12:09:30").send("w1", "h1", email, tok, "too-late").settle("w1", "h1", email, tok, stalledPast).ack("w1", m)
		return s.at("12:10").expired("h1").end("12:25")
	}},
	{unknownNoExcuse, "h1/email", "worker.claim", func(s *story) trace.Run {
		m := s.taken()
		s.claim("w1", "h1", email)
		s.at("12:08").add(trace.Event{What: "worker.claim", Who: "w2", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: unknownLapse})
		return s.rest(m)
	}},
	{tableDisagrees, "h1/email", "", func(s *story) trace.Run {
		s.rows = func(rows []reference.Row) []reference.Row {
			rows[slices.IndexFunc(rows, func(r reference.Row) bool { return r.Channel == email })].Outcome = throttled
			return rows
		}
		s.at("12:06").fault("outage queue", 0, "", "")
		s.at("12:08").fault("throttle provider", 0, "", email)
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "not-accepted").settle("w1", "h1", email, tok, rejected)
		s.send("w1", "h1", email, tok, "too-late")
		return s.remind("w1", "h1", sms).at("12:10").expired("h1").end("12:25")
	}},

	{noGrant, "h1/email", "provider.send", func(s *story) trace.Run {
		m := s.taken()
		s.send("w1", "h1", email, "t7", "accepted").accept("h1", email, "t7").settle("w1", "h1", email, "t7", sentOutcome)
		return s.rest(m)
	}},
	{closedWindow, "h1/email", "worker.claim", func(s *story) trace.Run {
		m := s.taken()
		s.person("hold.cancel", "h1", "done").remind("w1", "h1", email)
		s.add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h1", Channel: sms, Token: "t9", Answer: "closed"})
		return s.ack("w1", m).end("12:25")
	}},
	{aheadWindow, "h1/email", "worker.claim", func(s *story) trace.Run {
		s.at("12:07").reminded("h1").at("12:08")
		tok := s.tokenFor("12:11")
		s.add(trace.Event{What: "provider.send", Who: "w1", Hold: "h1", Window: clock("12:11"), Channel: email, Token: tok, Start: s.now, Answer: "rejected"})
		s.add(trace.Event{What: "worker.settle", Who: "w1", Hold: "h1", Window: clock("12:11"), Channel: email, Token: tok, Outcome: rejected, Answer: "recorded"})
		return s.at("12:10").expired("h1").end("12:25")
	}},
	{grantedEarly, "h1/email", "worker.claim", func(s *story) trace.Run {
		m := s.at("12:06:59").publish(reference.Remind, "h1")
		return s.receive("w1", reference.Remind, "h1", m).remind("w1", "h1", email).at("12:07").rest(m)
	}},
	{grantedLate, "h1/email", "worker.claim", func(s *story) trace.Run {
		m := s.taken()
		s.remind("w1", "h1", sms).at("12:09:30").remind("w1", "h1", email)
		return s.ack("w1", m).at("12:10").expired("h1").end("12:25")
	}},
	{startedLate, "h1/email", "provider.send", func(s *story) trace.Run {
		m := s.taken()
		s.remind("w1", "h1", sms)
		tok := s.at("12:09:20").claim("w1", "h1", email)
		s.at("12:09:30").send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome)
		return s.ack("w1", m).at("12:10").expired("h1").end("12:25")
	}},
	{leaseOver, "h1/email", "provider.send", func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.at("12:07:20").send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome)
		return s.rest(m)
	}},
	{claimLost, "h1/email", "provider.send", func(s *story) trace.Run {
		m := s.taken()
		tok := s.claim("w1", "h1", email)
		s.release("w1", "h1", email, tok, "", "")
		s.send("w1", "h1", email, tok, "accepted").accept("h1", email, tok).settle("w1", "h1", email, tok, sentOutcome)
		return s.rest(m)
	}},

	{expiredEarly, "h1", "worker.expire", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").at("12:09:59.999999").expired("h1").end("12:25")
	}},
	{expiredOther, "h1", "worker.expire", func(s *story) trace.Run {
		s.at("12:07").reminded("h1").at("12:08").extend("h1", "12:10", "12:11")
		n := len(s.run.Events)
		s.reminded("h1")
		for i := n; i < len(s.run.Events); i++ {
			s.run.Events[i].Window = clock("12:11")
		}
		return s.at("12:11").expired("h1").end("12:25")
	}},
	{leftTwice, "h1", "hold.cancel", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").at("12:10").expired("h1").person("hold.cancel", "h1", "done").end("12:25")
	}},
	{overwroteConfirm, "h1", "hold.cancel", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").person("hold.confirm", "h1", "done").at("12:08").person("hold.cancel", "h1", "done").end("12:25")
	}},
	{overwroteCancel, "h1", "hold.confirm", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").person("hold.cancel", "h1", "done").at("12:08").person("hold.confirm", "h1", "done").end("12:25")
	}},
	{confirmedLate, "h1", "hold.confirm", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").at("12:10").person("hold.confirm", "h1", "done").end("12:25")
	}},
	{extendedLate, "h1", "hold.extend", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").at("12:10").extend("h1", "12:10", "12:40").end("12:25")
	}},
	{notLater, "h1", "hold.extend", func(s *story) trace.Run {
		return s.at("12:01").extend("h1", "12:10", "12:05").person("hold.cancel", "h1", "done").end("12:25")
	}},
	{extendedOther, "h1", "hold.extend", func(s *story) trace.Run {
		return s.at("12:01").extend("h1", "12:09", "12:40").end("12:25")
	}},

	{freedLate, "h1", "worker.expire", func(s *story) trace.Run {
		return s.at("12:07").reminded("h1").at("12:11:30.000001").expired("h1").end("12:25")
	}},
	{neverFreed, "h1", "", func(s *story) trace.Run { return s.at("12:07").reminded("h1").end("12:25") }},

	{ackedSoon, "h1/email", "worker.ack", func(s *story) trace.Run {
		m := s.taken()
		s.ack("w1", m)
		m = s.at("12:08").publish(reference.Remind, "h1")
		return s.receive("w1", reference.Remind, "h1", m).remind("w1", "h1", email).rest(m)
	}},
	{leftQueued, "h1", "", func(s *story) trace.Run {
		m := s.at("12:07").publish(reference.Remind, "h1")
		s.run.Left = []string{m}
		return s.reminded("h1").at("12:10").expired("h1").end("12:25")
	}},
	{messageLost, "h1", "", func(s *story) trace.Run {
		s.at("12:07").publish(reference.Remind, "h1")
		return s.reminded("h1").at("12:10").expired("h1").end("12:25")
	}},
	{deadNoReason, "h1", "worker.dead-letter", func(s *story) trace.Run {
		m := s.taken()
		s.add(trace.Event{What: "worker.dead-letter", Who: "w1", Message: m})
		return s.reminded("h1").at("12:10").expired("h1").end("12:25")
	}},

	{deadNoReason, "h1", "worker.dead-letter", func(s *story) trace.Run {
		m := s.taken()
		s.add(trace.Event{What: "worker.claim", Who: "w1", Slot: 1, Hold: "h1", Channel: email, Token: "t9", Message: m, Answer: "no-hold"})
		s.add(trace.Event{What: "worker.dead-letter", Who: "w1", Message: m})
		return s.reminded("h1").at("12:10").expired("h1").end("12:25")
	}},

	{sentAgain, "h1/email", "provider.send", func(s *story) trace.Run {
		m := s.taken()
		s.remind("w1", "h1", email)
		tok := s.claim("w1", "h1", email)
		s.send("w1", "h1", email, tok, "repeat").add(trace.Event{What: trace.Collapsed, Who: "email", Hold: "h1", Channel: email})
		return s.rest(m)
	}},
	{delayed, "h1/email", "worker.expire", func(s *story) trace.Run {
		s.hold("h2", "12:40", reference.Held)
		end := s.at("12:06").fault("lock store on=h2 from=12:06 until=12:12", 1, "h2", "")
		s.at("12:07").remind("w1", "h1", sms).at("12:10").expired("h1").at("12:12")
		end()
		return s.end("12:25")
	}},

	{acceptedAgain, "h1/email", trace.Accepted, func(s *story) trace.Run {
		return s.replayed(func(*trace.Run) { s.accept("h1", email, "t9") })
	}},
	{rowChanged, "h1/email", "", func(s *story) trace.Run {
		return s.replayed(func(run *trace.Run) {
			run.ReplayRows = slices.Clone(run.Rows)
			i := slices.IndexFunc(run.Rows, func(r reference.Row) bool { return r.Channel == email })
			run.ReplayRows[i].SettledAt = s.now
		})
	}},
	{holdChanged, "h1", "", func(s *story) trace.Run {
		return s.replayed(func(run *trace.Run) {
			run.ReplayHolds = slices.Clone(run.Holds)
			run.ReplayHolds[0].State = reference.Held
		})
	}},
}

// tokenFor is granted h1's email in another window.
func (s *story) tokenFor(window string) reference.Token {
	s.tokens++
	s.add(trace.Event{What: "worker.claim", Who: "w1", Hold: "h1", Window: clock(window), Channel: email, Token: "t7", Answer: "granted", Until: s.now.Add(20 * time.Second)})
	return "t7"
}

// replayed is a happy day whose messages are delivered again, with something going wrong.
func (s *story) replayed(wrong func(*trace.Run)) trace.Run {
	run := s.at("12:07").reminded("h1").at("12:10").expired("h1").end("12:25")
	run.ReplayHolds, run.ReplayRows = run.Holds, run.Rows
	s.add(trace.Event{What: trace.Replay, Who: "run"})
	wrong(&run)
	run.Events = s.run.Events
	return run
}

func TestOneViolation(t *testing.T) {
	for _, b := range brokenOnce {
		t.Run(b.class.Promise+"/"+b.class.Name, func(t *testing.T) { wantOne(t, b.tell(tell(t, "h1")), b) })
	}
}

func TestEveryClassHasItsStory(t *testing.T) {
	seen := map[Class]bool{}
	for _, c := range Classes() {
		if seen[c] || c.Promise == "" || c.Name == "" || c.Hint == "" {
			t.Errorf("%+v is twice in the list or incomplete", c)
		}
		seen[c] = true
		if !slices.ContainsFunc(brokenOnce, func(b broken) bool { return b.class == c }) {
			t.Errorf("%s %s has no story", c.Promise, c.Name)
		}
	}
	for _, b := range brokenOnce {
		if !seen[b.class] {
			t.Errorf("%s %s isn't in the list", b.class.Promise, b.class.Name)
		}
	}
}
