package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/trace"
)

func TestLine(t *testing.T) {
	lapsed := reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed}
	for _, c := range []struct {
		e    trace.Event
		want string
	}{
		{trace.Event{What: trace.SweepStart, Who: "sweep#7"}, "12:07:00  sweep#7  starts"},
		{trace.Event{What: "sweep.due", Who: "sweep#7", Kind: "remind", N: 2}, "12:07:00  sweep#7  finds 2 to remind"},
		{trace.Event{What: "sweep.due", Who: "sweep#7", Kind: "expire"}, "12:07:00  sweep#7  finds nothing to expire"},
		{trace.Event{What: "sweep.publish", Who: "sweep#7", Kind: "remind", Hold: "h1", Message: "m1", Answer: "accepted"}, "12:07:00  sweep#7  publishes remind h1 as m1"},
		{trace.Event{What: "sweep.publish", Who: "sweep#7", Kind: "remind", Hold: "h1", Message: "m1", Answer: "duplicate"}, "12:07:00  sweep#7  publishes remind h1: duplicate of m1"},
		{trace.Event{What: "sweep.publish", Who: "sweep#7", Kind: "remind", Hold: "h1", Answer: "refused", Err: "quota exceeded"}, "12:07:00  sweep#7  publishes remind h1: refused, quota exceeded"},
		{trace.Event{What: "sweep.publish", Who: "sweep#7", Kind: "remind", Hold: "h1", Message: "m1", Answer: "accepted", Err: "reply lost", Fault: "ambiguous queue in=publish on=h1"}, "12:07:00  sweep#7  publishes remind h1 as m1, sees: reply lost  <- fault ambiguous queue in=publish on=h1"},
		{trace.Event{What: "sweep.backstop", Who: "sweep#7", Hold: "h1"}, "12:07:00  sweep#7  expires h1 as backstop"},
		{trace.Event{What: "sweep.backstop", Who: "sweep#7", N: 3}, "12:07:00  sweep#7  looks for overdue holds: 3"},
		{trace.Event{What: "sweep.due", Who: "sweep#7", Kind: "expire", NoEffect: true, Err: "connection refused"}, "12:07:00  sweep#7  looks for what is due to expire: no effect, sees: connection refused"},
		{trace.Event{What: trace.SweepEnd, Who: "sweep#7", N: 2, Answer: "whole"}, "12:07:00  sweep#7  ends: 2 published"},
		{trace.Event{What: trace.SweepEnd, Who: "sweep#7", N: 2, Answer: "undrained"}, "12:07:00  sweep#7  ends undrained: 2 published"},
		{trace.Event{What: "worker.receive", Message: "m1", Kind: "remind", Hold: "h1", N: 1}, "12:07:00  w1  receives m1 (remind h1)"},
		{trace.Event{What: "worker.receive", Slot: 2, Message: "m1", Kind: "remind", Hold: "h1", Until: at("12:08"), N: 12}, "12:07:00  w1/2  receives m1 (remind h1) for the 12th time, invisible until 12:08:00"},
		{trace.Event{What: "worker.claim", Hold: "h1", Channel: "email", Answer: "granted", Until: at("12:07:20")}, "12:07:00  w1  claims h1/email: granted until 12:07:20"},
		{trace.Event{What: "worker.claim", Hold: "h1", Channel: "email", Answer: "granted", Until: at("12:07:20"), Doubt: "lapsed"}, "12:07:00  w1  claims h1/email: granted until 12:07:20 as a retake (lapsed)"},
		{trace.Event{What: "worker.claim", Hold: "h1", Channel: "email", Answer: "settled-here", Outcome: lapsed}, "12:07:00  w1  claims h1/email: settled here as unknown(lapsed)"},
		{trace.Event{What: "worker.claim", Hold: "h1", Channel: "email", Answer: "late"}, "12:07:00  w1  claims h1/email: late, past the cut-off"},
		{trace.Event{What: "worker.claim", Hold: "h1", Channel: "email", Answer: "granted", NoEffect: true, Err: "connection refused"}, "12:07:00  w1  claims h1/email: no effect, sees: connection refused"},
		{trace.Event{What: "provider.send", Hold: "h1", Channel: "sms", Answer: "accepted", Start: at("12:06:58"), Err: "timeout"}, "12:07:00  w1  sends h1/sms: accepted, started 12:06:58, sees: timeout"},
		{trace.Event{What: "provider.send", Hold: "h1", Channel: "sms", Answer: "repeat"}, "12:07:00  w1  sends h1/sms: repeat, accepted before under its key"},
		{trace.Event{What: "provider.send", Hold: "h1", Channel: "sms", Answer: "not-accepted", Until: at("12:07:30")}, "12:07:00  w1  sends h1/sms: not accepted, may be asked again from 12:07:30"},
		{trace.Event{What: "provider.send", Hold: "h1", Channel: "sms", Answer: "not-accepted", Err: "not accepted: 429", Fault: "throttle provider"}, "12:07:00  w1  sends h1/sms: not accepted, may be asked again  <- fault throttle provider"},
		{trace.Event{What: "provider.send", Hold: "h1", Channel: "sms", Answer: "unknown", Err: "provider.send: 503: injected fault", Fault: "error worker"}, "12:07:00  w1  sends h1/sms: unknown, sees: 503  <- fault error worker"},
		{trace.Event{What: trace.Accepted, Who: "sms", Hold: "h1", Channel: "sms"}, "12:07:00  sms  accepts h1/sms"},
		{trace.Event{What: trace.Reply, Hold: "h1", Channel: "sms", Err: "timeout"}, "12:07:00  w1  gets no receipt for h1/sms, sees: timeout"},
		{trace.Event{What: "worker.settle", Hold: "h1", Channel: "sms", Answer: "recorded", Outcome: lapsed}, "12:07:00  w1  settles h1/sms: unknown(lapsed)"},
		{trace.Event{What: "worker.settle", Hold: "h1", Channel: "sms", Answer: "not-yours"}, "12:07:00  w1  settles h1/sms: not its claim any more"},
		{trace.Event{What: "worker.release", Hold: "h1", Channel: "sms", Answer: "released"}, "12:07:00  w1  releases h1/sms"},
		{trace.Event{What: "worker.release", Hold: "h1", Channel: "sms", Answer: "released", Until: at("12:07:30"), Doubt: "timeout"}, "12:07:00  w1  releases h1/sms: not before 12:07:30, may have been accepted (timeout)"},
		{trace.Event{What: "worker.release", Hold: "h1", Channel: "sms", Answer: "nothing"}, "12:07:00  w1  releases h1/sms: nothing to release"},
		{trace.Event{What: "worker.expire", Hold: "h1", Answer: "expired"}, "12:07:00  w1  expires h1"},
		{trace.Event{What: "worker.expire", Hold: "h1", Answer: "too-early", Until: at("12:10")}, "12:07:00  w1  expires h1: too early until 12:10:00"},
		{trace.Event{What: "worker.ack", Message: "m1", Answer: "acked"}, "12:07:00  w1  acks m1"},
		{trace.Event{What: "worker.ack", Message: "m1", Answer: "not-ours"}, "12:07:00  w1  acks m1: receipt not valid any more"},
		{trace.Event{What: "worker.nack", Message: "m1", Until: at("12:07:05")}, "12:07:00  w1  nacks m1 until 12:07:05"},
		{trace.Event{What: "worker.dead-letter", Message: "m1", Answer: "not a message"}, "12:07:00  w1  dead-letters m1: not a message"},
		{trace.Event{What: "hold.create", Who: "learner", Hold: "h9", Window: at("12:20"), Answer: "done"}, "12:07:00  learner  creates h9 until 12:20:00"},
		{trace.Event{What: "hold.confirm", Who: "learner", Hold: "h1", Answer: "done"}, "12:07:00  learner  confirms h1"},
		{trace.Event{What: "hold.confirm", Who: "learner", Hold: "h1", Answer: "refused", Err: "confirm h1: the hold has run out"}, "12:07:00  learner  confirms h1: refused, the hold has run out"},
		{trace.Event{What: trace.NodeCrash, Fault: "crash worker after=claim on=h2"}, "12:07:00  w1  crashes  <- fault crash worker after=claim on=h2"},
		{trace.Event{What: trace.NodeStall, Until: at("12:09")}, "12:07:00  w1  stalls until 12:09:00"},
		{trace.Event{What: trace.FaultBegin, Who: "run", Fault: "outage sms from=12:07 until=12:09"}, "12:07:00  run  begins: fault outage sms from=12:07 until=12:09"},
		{trace.Event{What: trace.FaultBegin, Who: "fault", Fault: "outage sms from=12:07 until=12:09"}, "12:07:00  fault  begins: outage sms from=12:07 until=12:09"},
		{trace.Event{What: trace.CronTimedOut, Who: "cron", Answer: "sweep#6"}, "12:07:00  cron  stops waiting for sweep#6"},
		{trace.Event{What: trace.BrokerGone, Who: "operator", N: 3}, "12:07:00  operator  purges the queue of 3 messages"},
		{trace.Event{What: trace.BrokerDead, Who: "broker", Message: "m1", Kind: "remind", Hold: "h1", N: 10}, "12:07:00  broker  dead-letters m1 (remind h1) after 10 receives"},
		{trace.Event{What: trace.CronPaused, Who: "operator"}, "12:07:00  operator  pauses cron"},
		{trace.Event{What: trace.CronResumed, Who: "cron"}, "12:07:00  cron  resumes"},
		{trace.Event{What: "some.thing", Answer: "odd"}, "12:07:00  w1  some.thing: odd"},
	} {
		c.e.At = at("12:07")
		if c.e.Who == "" {
			c.e.Who = "w1"
		}
		if got := words.Line(c.e, noon); got != c.want {
			t.Errorf("Line of %s:\n got %s\nwant %s", c.e.What, got, c.want)
		}
	}
}

func TestClock(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{at("12:07"), "12:07:00"},
		{at("12:07:20.200"), "12:07:20.200"},
		{at("12:07").Add(1500 * time.Microsecond), "12:07:00.001500"},
		{at("00:05").AddDate(0, 0, 1), "+1d 00:05:00"},
		{at("23:59:59").AddDate(0, 0, -1), "-1d 23:59:59"},
		{at("12:07").In(time.FixedZone("UTC+9", 9*60*60)), "12:07:00"},
	} {
		if got := words.Clock(c.at, noon); got != c.want {
			t.Errorf("Clock(%s) = %q, want %q", c.at, got, c.want)
		}
	}
}

// Every event that a run can record has words of its own; what hasn't is told by its bare name.
func TestEveryEventHasWords(t *testing.T) {
	names := append(constants(t, "../../trace/trace.go", "What"), constants(t, "../../../faults/fault.go", "Point")...)
	if len(names) < 35 {
		t.Fatalf("found only %d names: %v", len(names), names)
	}
	for _, name := range names {
		if line := words.Line(trace.Event{What: trace.What(name), Who: "w1", Hold: "h1"}, noon); strings.Contains(line, name) {
			t.Errorf("%s has no words: %s; add it to phrases in words.go", name, line)
		}
	}
}

// constants gives the values of a file's string constants of one type.
func constants(t *testing.T, file, typ string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != typ {
			return true
		}
		for _, v := range spec.Values {
			text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, text)
		}
		return true
	})
	return values
}
