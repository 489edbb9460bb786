package promise

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// sent has h1's email sent in time.
func (s *story) sent() *story { return s.at("12:07").remind("w1", "h1", email) }

func (s *story) freedAt(at, end string) trace.Run { return s.at(at).expired("h1").end(end) }

// foreign is trouble that concerns one hold, one channel, or both.
func (s *story) foreign(from, to string, h reference.HoldID, c reference.Channel) *story {
	end := s.at(from).fault("lock store on="+string(h), 1, h, c)
	s.at(to)
	end()
	return s
}

func TestFreedEdges(t *testing.T) {
	none := Class{}
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		want Class
	}{
		"at-the-bound":              {func(s *story) trace.Run { return s.freedAt("12:11:30", "12:45") }, none},
		"past-the-bound":            {func(s *story) trace.Run { return s.freedAt("12:11:30.000001", "12:45") }, freedLate},
		"cancelled-past-the-bound":  {func(s *story) trace.Run { return s.at("12:12").person(cancelled, "h1", "done").end("12:45") }, freedLate},
		"run-ends-at-the-bound":     {func(s *story) trace.Run { return s.end("12:11:30") }, none},
		"run-ends-past-the-bound":   {func(s *story) trace.Run { return s.end("12:11:30.000001") }, neverFreed},
		"no-cron":                   {func(s *story) trace.Run { s.run.Setup.Period = 0; return s.end("12:45") }, none},
		"trouble-over-before":       {func(s *story) trace.Run { return s.trouble("12:08", "12:09:59.999999").freedAt("12:12", "12:45") }, freedLate},
		"trouble-at-the-end":        {func(s *story) trace.Run { return s.trouble("12:09", "12:10").freedAt("12:21:30", "12:45") }, none},
		"trouble-within-the-bound":  {func(s *story) trace.Run { return s.trouble("12:11:30", "12:11:30").freedAt("12:12", "12:45") }, none},
		"trouble-past-the-bound":    {func(s *story) trace.Run { return s.trouble("12:11:30.000001", "12:11:31").freedAt("12:12", "12:45") }, freedLate},
		"at-the-bound-after-heal":   {func(s *story) trace.Run { return s.trouble("12:09", "12:20").freedAt("12:31:30", "12:45") }, none},
		"past-the-bound-after-heal": {func(s *story) trace.Run { return s.trouble("12:09", "12:20").freedAt("12:31:30.000001", "12:45") }, freedLate},
		"never-after-heal":          {func(s *story) trace.Run { return s.trouble("12:09", "12:20").end("12:45") }, neverFreed},
		"trouble-without-end": {func(s *story) trace.Run {
			s.at("12:09").fault("outage queue", 1, "", "")
			return s.end("14:00")
		}, none},
		"trouble-upon-trouble": {func(s *story) trace.Run {
			return s.trouble("12:09", "12:20").trouble("12:31:30", "12:32").freedAt("12:43:30", "12:45")
		}, none},
		"trouble-after-it-should-have-been": {func(s *story) trace.Run {
			return s.trouble("12:09", "12:20").trouble("12:31:30.000001", "12:32").freedAt("12:33", "12:45")
		}, freedLate},
		// After heal, sweeps run for backstop + 2 sweep periods, here 3 m 30 s.
		"sweeps-end-at-the-bound":   {func(s *story) trace.Run { return s.sweptAfter("12:08").end("12:45") }, none},
		"sweeps-end-past-the-bound": {func(s *story) trace.Run { return s.sweptAfter("12:08:00.000001").end("12:45") }, neverFreed},
	} {
		t.Run(name, func(t *testing.T) {
			s := alone(t)
			wantClass(t, c.tell(s.sent()), c.want)
		})
	}
}

func (s *story) sweptAfter(heal string) *story {
	s.run.Setup.Policy.Backstop = 90 * time.Second
	return s.at(heal).add(trace.Event{What: trace.Healed, Who: "run"})
}

func TestOverloadGetsTheBackstop(t *testing.T) {
	// Each slot can serve three sends of 10 s in 30 s.
	for _, c := range []struct {
		slots, others int
		ends          string
		want          Class
	}{
		{1, 3, "12:12:31", freedLate}, {1, 4, "12:12:31", Class{}}, {2, 6, "12:12:31", freedLate}, {2, 7, "12:12:31", Class{}},
		// Their cut-off was just before the sweep had to find h1, or is then.
		{1, 9, "12:11:30", freedLate}, {1, 9, "12:11:31", Class{}},
	} {
		s := alone(t).slots(c.slots).others(c.others, c.ends)
		s.run.Setup.Latency = map[reference.Channel]time.Duration{email: 10 * time.Second, sms: time.Minute}
		s.sent().confirmOthers("12:11:10", c.others).at("12:12").expired("h1")
		if c.ends == "12:12:31" {
			s = alone(t).slots(c.slots).others(c.others, c.ends)
			s.run.Setup.Latency = map[reference.Channel]time.Duration{email: 10 * time.Second, sms: time.Minute}
			s.sent().at("12:12").expired("h1").confirmOthers("12:12:01", c.others)
		}
		wantClass(t, s.end("12:45"), c.want)
	}
}

func TestApartEdges(t *testing.T) {
	none := Class{}
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		want Class
	}{
		// Each piece of others' trouble may take a slot for 20 s; one slot has room for 80 s.
		"four-others-in-trouble": {func(s *story) trace.Run { return s.overlappingForeign(4).missed() }, delayed},
		"five-others-in-trouble": {func(s *story) trace.Run { return s.overlappingForeign(5).missed() }, none},
		"others-whose-trouble-is-over": {func(s *story) trace.Run {
			for range 9 {
				s.foreign("12:06", "12:06", "h2", "")
			}
			return s.foreign("12:06", "12:09", "h2", "").missed()
		}, delayed},
		"its-own-trouble":         {func(s *story) trace.Run { return s.foreign("12:06", "12:09", "h1", "").missed() }, none},
		"its-own-channels":        {func(s *story) trace.Run { return s.foreign("12:06", "12:09", "h1", email).missed() }, none},
		"its-other-channels":      {func(s *story) trace.Run { return s.foreign("12:06", "12:09", "h1", sms).missed() }, delayed},
		"another-channels":        {func(s *story) trace.Run { return s.foreign("12:06", "12:09", "", sms).missed() }, delayed},
		"its-channels-everywhere": {func(s *story) trace.Run { return s.foreign("12:06", "12:09", "", email).missed() }, none},
		"general-trouble-as-well": {func(s *story) trace.Run {
			return s.foreign("12:06", "12:07:30", "h2", "").trouble("12:08", "12:08").missed()
		}, none},
		"no-stretch-of-b-besides": {func(s *story) trace.Run {
			return s.foreign("12:06", "12:07:30", "h2", "").trouble("12:09:19.999999", "12:09:20").missed()
		}, none},
		"a-stretch-of-b-besides": {func(s *story) trace.Run {
			return s.foreign("12:06", "12:07:30", "h2", "").trouble("12:09:20", "12:09:20").missed()
		}, delayed},
		"a-crash-is-general": {func(s *story) trace.Run {
			s.at("12:08").add(trace.Event{What: trace.NodeCrash, Who: "w1"})
			s.fault("crash worker on=h2", 0, "h2", "")
			return s.at("12:08:05").add(trace.Event{What: trace.NodeRestart, Who: "w1"}).missed()
		}, none},
	} {
		t.Run(name, func(t *testing.T) {
			s := alone(t).slots(1)
			s.run.Setup.Latency = map[reference.Channel]time.Duration{email: 0, sms: 0}
			wantClass(t, c.tell(s), c.want)
		})
	}
}

func (s *story) overlappingForeign(n int) *story {
	s.at("12:06")
	var ends []func()
	for i := range n {
		ends = append(ends, s.fault("lock store", 1, reference.HoldID(rune('p'+i)), ""))
	}
	s.at("12:09")
	for _, end := range ends {
		end()
	}
	return s
}

func TestApartChannelWide(t *testing.T) {
	// While SMS is down, each waiting reminder counts for 10 s besides its 200 ms: h1 and 6 others
	// make 71.4 s, and one more is too much for the 80 s that one slot has.
	for n, want := range map[int]Class{6: delayed, 7: {}} {
		s := alone(t).slots(1).others(n, "12:10").hold("d1", "12:06", reference.Held, email).hold("d2", "12:06", reference.Held, email)
		s.at("12:03:30").person(cancelled, "d1", "done").last().Window = clock("12:06")
		s.person(cancelled, "d2", "done").last().Window = clock("12:06")
		s.foreign("12:06", "12:09", "", sms)
		wantClass(t, s.confirmOthers("12:09:30", n).missed(), want)
	}
	// Trouble of one hold's SMS counts once for all.
	s := alone(t).slots(1).others(7, "12:10").foreign("12:06", "12:09", "h2", sms)
	wantClass(t, s.confirmOthers("12:09:30", 7).missed(), delayed)
}

func TestApartFreed(t *testing.T) {
	none := Class{}
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		want Class
	}{
		"another-hold-in-trouble":   {func(s *story) trace.Run { return s.foreign("12:09", "12:12", "h2", "").freedAt("12:13", "12:45") }, delayed},
		"two-other-holds":           {func(s *story) trace.Run { return s.twoForeign().freedAt("12:13", "12:45") }, none},
		"a-channel-in-trouble":      {func(s *story) trace.Run { return s.foreign("12:09", "12:12", "", email).freedAt("12:13", "12:45") }, delayed},
		"in-time-all-the-same":      {func(s *story) trace.Run { return s.foreign("12:09", "12:11", "h2", "").freedAt("12:11:30", "12:45") }, none},
		"its-own-trouble":           {func(s *story) trace.Run { return s.foreign("12:09", "12:12", "h1", "").freedAt("12:13", "12:45") }, none},
		"its-own-within-its-own":    {func(s *story) trace.Run { return s.nested().freedAt("12:13", "12:45") }, none},
		"never-and-the-run-is-over": {func(s *story) trace.Run { return s.foreign("12:09", "12:12", "h2", "").end("12:20") }, delayed},
		"never":                     {func(s *story) trace.Run { return s.foreign("12:09", "12:12", "h2", "").end("12:45") }, neverFreed},
	} {
		t.Run(name, func(t *testing.T) {
			s := alone(t).sent()
			s.run.Setup.Slots = 1
			wantClass(t, c.tell(s), c.want)
		})
	}
}

func (s *story) twoForeign() *story {
	end := s.at("12:09").fault("lock store on=h3", 1, "h3", "")
	s.foreign("12:10", "12:11", "h2", "")
	end()
	return s
}

// nested is a long trouble of h1 with a short one at its beginning.
func (s *story) nested() *story {
	end := s.at("12:08").fault("lock store on=h1", 1, "h1", "")
	s.foreign("12:08:30", "12:08:31", "h1", "").at("12:12")
	end()
	return s
}

func TestLeftAndOpenEdges(t *testing.T) {
	none := Class{}
	// B is 140 s, and backstop + 2 sweep periods are 12 m.
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		want Class
	}{
		"queued-b-before-the-end":    {func(s *story) trace.Run { return s.sent().leftSince("12:08", "12:10:20") }, leftQueued},
		"queued-less-before-the-end": {func(s *story) trace.Run { return s.sent().leftSince("12:08", "12:10:19.999999") }, none},
		"trouble-b-before-the-end": {func(s *story) trace.Run {
			return s.sent().trouble("12:08:30", "12:08:30").leftSince("12:08:30", "12:10:50")
		}, leftQueued},
		"visible-later": {func(s *story) trace.Run {
			m := s.sent().at("12:08").publish(reference.Remind, "h1")
			s.last().Until = clock("12:09")
			s.run.Left = []string{m}
			return s.end("12:10:20")
		}, none},
		"redriven-late": {func(s *story) trace.Run {
			m := s.sent().at("12:07:10").publish(reference.Remind, "h1")
			s.add(trace.Event{What: trace.BrokerDead, Message: m}).at("12:08:30").add(trace.Event{What: trace.Redriven, Message: m})
			s.run.Left = []string{m}
			return s.end("12:10:49")
		}, none},
		"redriven-and-lost": {func(s *story) trace.Run {
			m := s.sent().at("12:07:10").publish(reference.Remind, "h1")
			s.add(trace.Event{What: trace.BrokerDead, Message: m}).at("12:08:30").add(trace.Event{What: trace.Redriven, Message: m})
			return s.end("12:10:49")
		}, messageLost},
		"ack-not-ours": {func(s *story) trace.Run {
			m := s.sent().publish(reference.Remind, "h1")
			s.ack("w1", m).last().Answer = "not-ours"
			return s.end("12:10:20")
		}, messageLost},
		"purged": {func(s *story) trace.Run {
			s.sent().publish(reference.Remind, "h1")
			return s.add(trace.Event{What: trace.BrokerGone, Who: "operator", N: 1}).end("12:10:20")
		}, none},
		"lost-by-the-broker": {func(s *story) trace.Run {
			s.sent().add(trace.Event{What: trace.BrokerLost, Who: "broker", Message: "m1"}).publish(reference.Remind, "h1")
			return s.end("12:10:20")
		}, none},
		"duplicate-of-nothing-new": {func(s *story) trace.Run {
			s.sent().add(trace.Event{What: published, Message: "m7", Hold: "h1", Kind: reference.Remind, Answer: "duplicate"})
			return s.end("12:10:20")
		}, none},
		"open-b-before-the-end":        {func(s *story) trace.Run { return s.openUntil("12:12:20") }, leftOpen},
		"open-less-before-the-end":     {func(s *story) trace.Run { return s.openUntil("12:12:19.999999") }, none},
		"open-in-a-window-that-stands": {func(s *story) trace.Run { s.at("12:07").claim("w1", "h1", email); return s.end("12:09:59") }, none},
		"open-long-after-trouble":      {func(s *story) trace.Run { return s.trouble("12:06", "12:07").openUntil("12:19") }, leftOpen},
		"open-soon-after-trouble":      {func(s *story) trace.Run { return s.trouble("12:06", "12:07").openUntil("12:18:59.999999") }, none},
	} {
		t.Run(name, func(t *testing.T) { wantClass(t, c.tell(alone(t)), c.want) })
	}
}

// leftSince leaves a message in the queue that was published then.
func (s *story) leftSince(at, end string) trace.Run {
	s.run.Left = []string{s.at(at).publish(reference.Remind, "h1")}
	return s.end(end)
}

// openUntil leaves a claim open when the hold expires at 12:10.
func (s *story) openUntil(end string) trace.Run {
	s.at("12:09:20").claim("w1", "h1", email)
	return s.at("12:10").expired("h1").end(end)
}
