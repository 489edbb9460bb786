package promise

import (
	"fmt"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// wantClass wants one violation of that class, or none if it is the zero Class.
func wantClass(t *testing.T, run trace.Run, want Class) {
	t.Helper()
	got := Check(run)
	switch {
	case want == Class{}:
		for _, v := range got {
			t.Errorf("%s %s: %s", v.Promise, v.Class, v.Sentence)
		}
	case len(got) != 1 || got[0].Class != want.Name || got[0].Promise != want.Promise:
		t.Errorf("want %s %s, got %d:", want.Promise, want.Name, len(got))
		for _, v := range got {
			t.Errorf("%s %s: %s", v.Promise, v.Class, v.Sentence)
		}
	}
}

// alone tells of h1, which has an email only and ends at 12:10: due at 12:07, cut-off at 12:09:30.
// That is 150 s, and B is 140 s.
func alone(t *testing.T) *story { return tell(t).hold("h1", "12:10", reference.Held, email) }

// trouble is a general fault from one time to another.
func (s *story) trouble(from, to string) *story {
	s.at(from).fault("outage queue", 1, "", "")()
	s.last().At = clock(to)
	s.now = clock(to)
	return s
}

// missedBy ends a story in which h1's email was missed.
func (s *story) missed() trace.Run { return s.at("12:10").expired("h1").end("12:25") }

// others are n holds with an email only, due at 12:07 or when told, that wait until they are confirmed.
func (s *story) others(n int, ends string) *story {
	for i := range n {
		s.hold(reference.HoldID(fmt.Sprintf("o%d", i)), ends, reference.Held, email)
	}
	return s
}

func (s *story) confirmOthers(at string, n int) *story {
	s.at(at)
	for i := range n {
		s.person("hold.confirm", reference.HoldID(fmt.Sprintf("o%d", i)), "done").last().Window = time.Time{}
	}
	return s
}

// slow has one slot and a latency of 8 s; the room for work in a stretch is then 80 s.
func (s *story) slow() *story {
	s.run.Setup.Slots = 1
	s.run.Setup.Latency = map[reference.Channel]time.Duration{email: 8 * time.Second, sms: 8 * time.Second}
	return s
}

func TestExcuseEdges(t *testing.T) {
	none := Class{}
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		want Class
	}{
		"healthy-for-b-after-trouble":     {func(s *story) trace.Run { return s.trouble("12:06", "12:07:10").missed() }, missedNoExcuse},
		"healthy-for-less-after-trouble":  {func(s *story) trace.Run { return s.trouble("12:06", "12:07:10.000001").missed() }, none},
		"healthy-for-b-before-trouble":    {func(s *story) trace.Run { return s.trouble("12:09:20", "12:10").missed() }, missedNoExcuse},
		"healthy-for-less-before-trouble": {func(s *story) trace.Run { return s.trouble("12:09:19.999999", "12:10").missed() }, none},
		"healthy-for-b-between-troubles":  {func(s *story) trace.Run { return s.trouble("12:06", "12:07:05").trouble("12:09:25", "12:10").missed() }, missedNoExcuse},
		"healthy-for-less-between": {func(s *story) trace.Run {
			return s.trouble("12:06", "12:07:05").trouble("12:09:24.999999", "12:10").missed()
		}, none},
		"one-channel-makes-b-shorter":  {func(s *story) trace.Run { return s.channels(email).trouble("12:06", "12:07:20").missed() }, missedNoExcuse},
		"one-channel-and-less":         {func(s *story) trace.Run { return s.channels(email).trouble("12:06", "12:07:20.000001").missed() }, none},
		"channels-not-told":            {func(s *story) trace.Run { return s.channels().trouble("12:06", "12:07:10").missed() }, missedNoExcuse},
		"channels-not-told-and-less":   {func(s *story) trace.Run { return s.channels().trouble("12:06", "12:07:10.000001").missed() }, none},
		"an-instant-splits-it":         {func(s *story) trace.Run { return s.trouble("12:08", "12:08").missed() }, none},
		"an-instant-leaves-b":          {func(s *story) trace.Run { return s.trouble("12:07:10", "12:07:10").missed() }, missedNoExcuse},
		"an-instant-leaves-less":       {func(s *story) trace.Run { return s.trouble("12:07:10.000001", "12:07:10.000001").missed() }, none},
		"trouble-before-it-was-due":    {func(s *story) trace.Run { return s.trouble("12:01", "12:06:59").missed() }, missedNoExcuse},
		"trouble-after-the-cut-off":    {func(s *story) trace.Run { return s.trouble("12:09:30", "12:10").missed() }, missedNoExcuse},
		"two-troubles-overlap":         {func(s *story) trace.Run { return s.overlapping("12:07:09").missed() }, none},
		"the-run-starts-b-before":      {func(s *story) trace.Run { s.run.Setup.Start = clock("12:07:10"); return s.missed() }, missedNoExcuse},
		"the-run-starts-less-before":   {func(s *story) trace.Run { s.run.Setup.Start = clock("12:07:10.000001"); return s.missed() }, none},
		"the-window-began-b-before":    {func(s *story) trace.Run { return s.extendedAt("12:08:10") }, missedNoExcuse},
		"the-window-began-less-before": {func(s *story) trace.Run { return s.extendedAt("12:08:10.000001") }, none},
		"a-person-ended-it-after-b":    {func(s *story) trace.Run { return s.settledHereAfter("12:09:20") }, missedNoExcuse},
		"a-person-ended-it-before-b":   {func(s *story) trace.Run { return s.settledHereAfter("12:09:19.999999") }, none},
		"as-much-work-as-fits":         {func(s *story) trace.Run { return s.slow().others(9, "12:10").confirmOthers("12:09:30", 9).missed() }, missedNoExcuse},
		"more-work-than-fits":          {func(s *story) trace.Run { return s.slow().others(10, "12:10").confirmOthers("12:09:30", 10).missed() }, none},
		"too-much-work-until-b-before": {func(s *story) trace.Run { return s.slow().others(10, "12:10").confirmOthers("12:07:10", 10).missed() }, missedNoExcuse},
		"too-much-work-until-less-before": {func(s *story) trace.Run {
			return s.slow().others(10, "12:10").confirmOthers("12:07:10.000001", 10).missed()
		}, none},
		"work-comes-after-its-own-message": {func(s *story) trace.Run { return s.slow().others(10, "12:11").confirmOthers("12:09:40", 10).missed() }, missedNoExcuse},
		"work-comes-before-its-own-message": {func(s *story) trace.Run {
			return s.slow().others(10, "12:10:59").confirmOthers("12:09:40", 10).missed()
		}, none},
		"two-slots-do-twice-as-much": {func(s *story) trace.Run {
			return s.slow().slots(2).others(19, "12:10").confirmOthers("12:09:30", 19).missed()
		}, missedNoExcuse},
		"two-slots-do-no-more": {func(s *story) trace.Run {
			return s.slow().slots(2).others(20, "12:10").confirmOthers("12:09:30", 20).missed()
		}, none},
		// With a visibility of 30 s, B is 110 s, what comes within the sweep period joins, and 50 s are left.
		"less-visibility-leaves-less": {func(s *story) trace.Run {
			return s.slow().visible(30*time.Second).others(5, "12:10:59").confirmOthers("12:09:40", 5).missed()
		}, missedNoExcuse},
		"less-visibility-leaves-no-more": {func(s *story) trace.Run {
			return s.slow().visible(30*time.Second).others(6, "12:10:59").confirmOthers("12:09:40", 6).missed()
		}, none},
		"no-cron":                         {func(s *story) trace.Run { s.run.Setup.Period = 0; return s.missed() }, none},
		"asked-to-wait-until-b-before":    {func(s *story) trace.Run { return s.throttledUntil("12:07:10") }, throttledExcuse},
		"asked-to-wait-until-less-before": {func(s *story) trace.Run { return s.throttledUntil("12:07:10.000001") }, none},
		"not-asked-to-wait":               {func(s *story) trace.Run { return s.throttledUntil("") }, throttledExcuse},
	} {
		t.Run(name, func(t *testing.T) { wantClass(t, c.tell(alone(t)), c.want) })
	}
}

// overlapping is trouble until 12:07:11 that began first and other trouble within it.
func (s *story) overlapping(inner string) *story {
	end := s.at("12:06").fault("outage store", 1, "", "")
	s.at("12:07:05").fault("outage queue", 1, "", "")()
	s.at(inner).fault("outage queue", 0, "", "")
	s.at("12:07:11")
	end()
	return s
}

// extendedAt is extended then to 12:11, so that it is due at 12:08 and its cut-off is at 12:10:30.
func (s *story) extendedAt(at string) trace.Run {
	s.trouble("12:01", "12:06:59").trouble("12:07:30", "12:07:59").at(at).extend("h1", "12:10", "12:11").at("12:11")
	n := len(s.run.Events)
	s.expired("h1")
	for i := n; i < len(s.run.Events); i++ {
		s.run.Events[i].Window = clock("12:11")
	}
	return s.end("12:25")
}

// settledHereAfter is confirmed then, with a free row that somebody then settles.
func (s *story) settledHereAfter(at string) trace.Run {
	tok := s.at("12:07").claim("w1", "h1", email)
	s.release("w1", "h1", email, tok, "", "").at(at).person("hold.confirm", "h1", "done")
	s.at("12:09:25").add(trace.Event{What: claimed, Who: "w1", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: missed})
	return s.end("12:25")
}

func (s *story) throttledUntil(until string) trace.Run {
	tok := s.at("12:07").claim("w1", "h1", email)
	s.send("w1", "h1", email, tok, "not-accepted")
	if until != "" {
		s.last().Until = clock(until)
	}
	s.release("w1", "h1", email, tok, "", "12:07:05")
	return s.missed()
}

// lapses has h1's email claimed by w1 at 12:07 until 12:07:20, and settled by w2 as lapsed at 12:08;
// some node crashes at some time.
func (s *story) lapses(node string, at string) trace.Run {
	crash := func() { s.at(at).add(trace.Event{What: trace.NodeCrash, Who: node}) }
	if clock(at).Before(clock("12:07")) {
		crash()
	}
	s.at("12:07").claim("w1", "h1", email)
	if !clock(at).Before(clock("12:07")) && clock(at).Before(clock("12:08")) {
		crash()
	}
	s.at("12:08").add(trace.Event{What: claimed, Who: "w2", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: unknownLapse})
	return s.at("12:10").expired("h1").end("12:25")
}

func TestUnknownEdges(t *testing.T) {
	none := Class{}
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		want Class
	}{
		"node-crashed-with-the-claim":     {func(s *story) trace.Run { return s.lapses("w1", "12:07") }, none},
		"node-crashed-as-the-lease-ended": {func(s *story) trace.Run { return s.lapses("w1", "12:07:20") }, none},
		"node-crashed-after-the-lease":    {func(s *story) trace.Run { return s.lapses("w1", "12:07:20.000001") }, unknownNoExcuse},
		"node-crashed-before-the-claim":   {func(s *story) trace.Run { return s.lapses("w1", "12:06:59.999999") }, unknownNoExcuse},
		"another-node-crashed":            {func(s *story) trace.Run { return s.lapses("w2", "12:07:10") }, unknownNoExcuse},
		"a-call-of-the-claim-was-struck": {func(s *story) trace.Run {
			tok := s.at("12:07").claim("w1", "h1", email)
			s.settle("w1", "h1", email, tok, rejected).last().NoEffect = true
			return s.lapsedAt("12:08")
		}, none},
		"the-claim-itself-was-struck": {func(s *story) trace.Run {
			s.at("12:07").claim("w1", "h1", email)
			s.last().Err = "connection reset"
			return s.lapsedAt("12:08")
		}, none},
		"another's-claim-was-struck": {func(s *story) trace.Run {
			s.at("12:07").claim("w1", "h1", email)
			s.add(trace.Event{What: claimed, Who: "w2", Hold: "h1", Channel: email, Token: "t8", NoEffect: true, Err: "reset"})
			return s.lapsedAt("12:08")
		}, unknownNoExcuse},
		"the-other-channel-was-struck": {func(s *story) trace.Run {
			s.at("12:07").claim("w1", "h1", email)
			s.add(trace.Event{What: claimed, Who: "w1", Hold: "h1", Channel: sms, Token: "t8", NoEffect: true, Err: "reset"})
			return s.lapsedAt("12:08")
		}, unknownNoExcuse},
		"the-provider-gave-no-answer": {func(s *story) trace.Run {
			tok := s.at("12:07").claim("w1", "h1", email)
			s.send("w1", "h1", email, tok, "unknown").settle("w1", "h1", email, tok, unknownTimeou)
			return s.missed()
		}, none},
		"lapsed-though-the-lease-ran": {func(s *story) trace.Run {
			tok := s.at("12:07").claim("w1", "h1", email)
			s.send("w1", "h1", email, tok, "unknown").settle("w1", "h1", email, tok, unknownLapse)
			return s.missed()
		}, falseReason},
		"timeout-though-it-was-answered": {func(s *story) trace.Run {
			tok := s.at("12:07").claim("w1", "h1", email)
			s.send("w1", "h1", email, tok, "rejected").settle("w1", "h1", email, tok, unknownTimeou)
			return s.missed()
		}, falseReason},
	} {
		t.Run(name, func(t *testing.T) { wantClass(t, c.tell(alone(t)), c.want) })
	}
}

func (s *story) lapsedAt(at string) trace.Run {
	s.at(at).add(trace.Event{What: claimed, Who: "w2", Hold: "h1", Channel: email, Token: "t9", Answer: "settled-here", Outcome: unknownLapse})
	return s.missed()
}

func TestReasonsAreTrue(t *testing.T) {
	// after claims h1's email, gets an answer, and settles.
	after := func(answer string, o reference.Outcome) func(*story) trace.Run {
		return func(s *story) trace.Run {
			s.trouble("12:07:30", "12:07:30")
			tok := s.at("12:09").claim("w1", "h1", email)
			if answer != "" {
				s.send("w1", "h1", email, tok, answer)
			}
			return s.settle("w1", "h1", email, tok, o).missed()
		}
	}
	for name, c := range map[string]struct {
		tell func(*story) trace.Run
		lie  bool
	}{
		"rejected":                      {after("rejected", rejected), false},
		"never-rejected":                {after("not-accepted", rejected), true},
		"throttled":                     {after("not-accepted", throttled), false},
		"never-throttled":               {after("rejected", throttled), true},
		"never-late":                    {after("", stalledPast), true},
		"late-before-the-cut-off":       {after("too-late", stalledPast), true},
		"missed-after-a-start":          {after("rejected", missed), true},
		"missed-after-none":             {after("too-late", missed), false},
		"sent-though-nothing-was":       {after("unknown", sentOutcome), true},
		"dropped-though-it-had-it-then": {after("repeat", missed), true},
	} {
		t.Run(name, func(t *testing.T) {
			s := alone(t)
			if name == "dropped-though-it-had-it-then" {
				s.at("12:07").add(trace.Event{What: trace.Collapsed, Hold: "h1", Channel: email})
			}
			want := Class{}
			if c.lie {
				want = falseReason
			}
			wantClass(t, c.tell(s), want)
		})
	}
}

func (s *story) slots(n int) *story {
	s.run.Setup.Slots = n
	return s
}

func (s *story) visible(d time.Duration) *story {
	s.run.Setup.Policy.Visibility = d
	return s
}

// channels makes them all that the deployment has.
func (s *story) channels(all ...reference.Channel) *story {
	s.run.Setup.Latency = map[reference.Channel]time.Duration{}
	for _, c := range all {
		s.run.Setup.Latency[c] = time.Second
	}
	return s
}
