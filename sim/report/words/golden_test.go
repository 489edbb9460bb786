package words_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/trace"
)

var goldens = []struct {
	name string
	tell func(*story)
	want string
}{
	{"two-holds", twoHolds, `
12:01:00  sweep#1..#6  find nothing
12:07:00  sweep#7  finds remind h1 h2, publishes m1 m2
12:07:00  w1  claims h1/email: granted until 12:07:20
12:07:00  w1  sends h1/email: accepted
12:07:00  w1  settles h1/email: sent
12:07:00  w1  claims h1/sms: granted until 12:07:20
12:07:00  w1  sends h1/sms: accepted
12:07:00  w1  settles h1/sms: sent
12:07:00  w1  acks m1
12:07:00  w2  claims h2/email: granted until 12:07:20
12:07:00  w2  sends h2/email: accepted
12:07:00  w2  settles h2/email: sent
12:07:00  w2  claims h2/sms: granted until 12:07:20
12:07:00  w2  sends h2/sms: accepted
12:07:00  w2  settles h2/sms: sent
12:07:00  w2  acks m2
12:08:00  sweep#8..#9  find nothing
12:10:00  sweep#10  finds expire h1 h2, publishes m3 m4
12:10:00  w1  expires h1
12:10:00  w1  acks m3
12:10:00  w2  expires h2
12:10:00  w2  acks m4
`},
	{"ordinary-messages-are-a-line-each", func(s *story) { manyHolds(s, 6) }, `
12:07:00  sweep#7  finds remind h1 h2 h3 h4 h5 h6, publishes m1 m2 m3 m4 m5 m6
12:07:00  w1  handles m1 (remind h1): email sent, sms sent
12:07:01  w2  handles m2 (remind h2): email sent, sms sent
12:07:02  w1  handles m3 (remind h3): email sent, sms sent
12:07:03  w2  handles m4 (remind h4): email sent, sms sent
12:07:04  w1  handles m5 (remind h5): email sent, sms sent
12:07:05  w2  handles m6 (remind h6): email sent, sms sent
`},
	{"many-ordinary-messages-are-one-line", func(s *story) { manyHolds(s, 50) }, `
12:07:00  sweep#7  finds remind h1 h2 … h50 (50), publishes m1 m2 … m50
12:07:00  w1 w2  handles m1 (remind h1): email sent, sms sent  (and 49 more like it until 12:07:49)
`},
	{"nacked-over-and-over", nackedOverAndOver, `
12:07:00  w1  receives m1 (remind h1) for the 2nd time, invisible until 12:08:00
12:07:00  w1  claims h1/email: busy until 12:07:05
12:07:00  w1  nacks m1 until 12:07:05
12:07:05  w2 w1  the same  (3 times more, until 12:07:15)
12:07:20  w1  receives m1 (remind h1) for the 6th time, invisible until 12:08:20
`},
	{"slow-sweep", slowSweep, `
12:07:00  sweep#7  finds remind h1 h2
12:07:20  sweep#7  publishes remind h1 as m1
12:07:40  sweep#7  publishes remind h2: duplicate of m0
`},
	{"crash-after-claim", crashAfterClaim, `
12:07:00  w1  claims h1/email: granted until 12:07:20  <- fault crash worker after=claim on=h1
12:07:00  w1  crashes
12:07:05  w1  restarts
12:08:00  w2  receives m1 (remind h1) for the 2nd time, invisible until 12:09:00
12:08:00  w2  claims h1/email: settled here as unknown(lapsed)
`},
	{"windows-are-named-from-the-second-on", extended, `
12:06:00  learner  confirms h2: refused, not held any more
12:06:00  learner  extends h1 from 12:10:00 to 12:25:00
12:07:00  w1  claims h1@12:10/email: closed
12:22:00  w1  claims h1@12:25/email: granted until 12:22:20
`},
	{"sweeps-under-an-outage-are-a-line-each", outage, `
12:09:00  fault  begins: outage store from=12:09 until=13:00
12:09:00  sweep#9  gets nowhere, sees: store is down  <- fault outage store from=12:09 until=13:00
12:10:00  sweep#10  gets nowhere, sees: store is down  <- fault outage store from=12:09 until=13:00
12:10:30  fault  ends: outage store from=12:09 until=13:00
`},
	{"what-strikes-a-whole-batch-is-one-line", func(s *story) {
		s.add("12:07", "sweep#7", trace.What(faults.SweepDue), trace.Event{Kind: reference.Remind, N: 2})
		for _, h := range []reference.HoldID{"h1", "h2"} {
			s.add("12:07", "sweep#7", trace.What(faults.SweepPublish), trace.Event{
				Kind: reference.Remind, Hold: h, NoEffect: true, Err: "sweep.publish: queue is down: injected fault", Fault: "outage queue from=12:07 until=12:09",
			})
		}
		s.add("12:07", "sweep#7", trace.SweepEnd, trace.Event{Answer: "diverged"})
	}, `
12:07:00  sweep#7  finds remind h1 h2
12:07:00  sweep#7  publishes remind h1 h2: no effect, sees: queue is down  <- fault outage queue from=12:07 until=12:09
12:07:00  sweep#7  ends diverged: 0 published
`},
	{"workers-at-the-same-instant-dont-part-a-batch", func(s *story) {
		s.add("12:07", "sweep#7", trace.What(faults.SweepDue), trace.Event{Kind: reference.Remind, N: 2})
		s.add("12:07", "sweep#7", trace.What(faults.SweepPublish), trace.Event{Kind: reference.Remind, Hold: "h1", Message: "m1", Answer: "accepted"})
		s.receive("12:07", "w1", "m1", reference.Remind, "h1", 1)
		s.add("12:07", "sweep#7", trace.What(faults.SweepPublish), trace.Event{Kind: reference.Remind, Hold: "h2", Message: "m2", Answer: "accepted"})
		s.channel("12:07", "w1", "h1", reference.Email)
	}, `
12:07:00  sweep#7  finds remind h1 h2, publishes m1 m2
12:07:00  w1  claims h1/email: granted until 12:07:20
12:07:00  w1  sends h1/email: accepted
12:07:00  w1  settles h1/email: sent
`},
	{"backstop", func(s *story) {
		for i := range 12 {
			s.add("12:20", "sweep#20", trace.What(faults.SweepBackstop), trace.Event{Hold: reference.HoldID(fmt.Sprintf("h%d", i+1))})
		}
	}, `
12:20:00  sweep#20  expires h1 h2 … h12 (12) as backstop
`},
}

func TestGolden(t *testing.T) {
	for _, c := range goldens {
		t.Run(c.name, func(t *testing.T) {
			s := newStory()
			c.tell(s)
			if diff := cmp.Diff(c.want, "\n"+text(words.Golden(s.events, noon))); diff != "" {
				t.Errorf("golden (-want +got):\n%s", diff)
			}
		})
	}
}

func twoHolds(s *story) {
	for i := 1; i <= 6; i++ {
		s.sweep(i, "")
	}
	s.sweep(7, reference.Remind, "h1", "m1", "h2", "m2")
	s.remind("12:07", "w1", "m1", "h1")
	s.remind("12:07", "w2", "m2", "h2")
	s.sweep(8, "")
	s.sweep(9, "")
	s.sweep(10, reference.Expire, "h1", "m3", "h2", "m4")
	s.expire("12:10", "w1", "m3", "h1")
	s.expire("12:10", "w2", "m4", "h2")
	s.add("12:11", "run", trace.Ended, trace.Event{})
}

func manyHolds(s *story, n int) {
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("h%d", i+1), fmt.Sprintf("m%d", i+1))
	}
	s.sweep(7, reference.Remind, pairs...)
	for i := range n {
		s.remind(fmt.Sprintf("12:%02d:%02d", 7+i/60, i%60), fmt.Sprintf("w%d", 1+i%2), pairs[2*i+1], reference.HoldID(pairs[2*i]))
	}
}

func nackedOverAndOver(s *story) {
	for i, who := range []string{"w1", "w2", "w1", "w2"} {
		clock := fmt.Sprintf("12:07:%02d", 5*i)
		s.receive(clock, who, "m1", reference.Remind, "h1", i+2)
		s.add(clock, who, trace.What(faults.WorkerClaim), trace.Event{Hold: "h1", Channel: "email", Answer: "busy", Until: at("12:07:05")})
		s.add(clock, who, trace.What(faults.WorkerNack), trace.Event{Message: "m1", Until: at("12:07:05")})
	}
	s.receive("12:07:20", "w1", "m1", reference.Remind, "h1", 6)
}

// outage is two sweeps that can't reach the store.
func outage(s *story) {
	const fault = "outage store from=12:09 until=13:00"
	s.add("12:09", "fault", trace.FaultBegin, trace.Event{Fault: fault})
	for i := 9; i <= 10; i++ {
		clock, who := fmt.Sprintf("12:%02d", i), fmt.Sprintf("sweep#%d", i)
		s.add(clock, who, trace.SweepStart, trace.Event{})
		for _, p := range []faults.Point{faults.SweepBackstop, faults.SweepDue, faults.SweepRecord} {
			s.add(clock, who, trace.What(p), trace.Event{NoEffect: true, Err: string(p) + ": store is down: injected fault", Fault: fault})
		}
		s.add(clock, who, trace.SweepEnd, trace.Event{Answer: "undrained"})
	}
	s.add("12:10:30", "fault", trace.FaultEnd, trace.Event{Fault: fault})
}

func slowSweep(s *story) {
	s.add("12:07", "sweep#7", trace.What(faults.SweepDue), trace.Event{Kind: reference.Remind, N: 2})
	s.add("12:07:20", "sweep#7", trace.What(faults.SweepPublish), trace.Event{Kind: reference.Remind, Hold: "h1", Message: "m1", Answer: "accepted"})
	s.add("12:07:40", "sweep#7", trace.What(faults.SweepPublish), trace.Event{Kind: reference.Remind, Hold: "h2", Message: "m0", Answer: "duplicate"})
	s.add("12:07:40", "sweep#7", trace.SweepEnd, trace.Event{N: 2, Answer: "whole"})
}

func crashAfterClaim(s *story) {
	s.receive("12:07", "w1", "m1", reference.Remind, "h1", 1)
	s.add("12:07", "w1", trace.What(faults.WorkerClaim), trace.Event{
		Hold: "h1", Channel: "email", Answer: "granted", Until: at("12:07:20"), Fault: "crash worker after=claim on=h1",
	})
	s.add("12:07", "w1", trace.NodeCrash, trace.Event{Fault: "crash worker after=claim on=h1"})
	s.add("12:07:05", "w1", trace.NodeRestart, trace.Event{})
	s.receive("12:08", "w2", "m1", reference.Remind, "h1", 2)
	s.add("12:08", "w2", trace.What(faults.WorkerClaim), trace.Event{
		Hold: "h1", Channel: "email", Answer: "settled-here", Outcome: reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed},
	})
}

func extended(s *story) {
	s.add("12:06", "learner", trace.What(faults.HoldConfirm), trace.Event{Hold: "h2", Answer: "refused", Err: "not held any more"})
	s.add("12:06", "learner", trace.What(faults.HoldExtend), trace.Event{Hold: "h1", Until: at("12:25"), Answer: "done"})
	s.add("12:07", "w1", trace.What(faults.WorkerClaim), trace.Event{Hold: "h1", Channel: "email", Answer: "closed"})
	s.add("12:22", "w1", trace.What(faults.WorkerClaim), trace.Event{
		Hold: "h1", Channel: "email", Window: at("12:25"), Answer: "granted", Until: at("12:22:20"),
	})
}

// Whatever the events are, a golden block keeps to what the language allows, and is the same again.
func TestGoldenOfAnything(t *testing.T) {
	names := append(constants(t, "../../trace/trace.go", "What"), constants(t, "../../../faults/fault.go", "Point")...)
	for seed := range uint64(200) {
		events := anything(rand.New(rand.NewPCG(seed, 0)), names)
		lines := words.Golden(events, noon)
		if len(lines) > 40 {
			t.Errorf("seed %d: %d lines, want at most 40", seed, len(lines))
		}
		for _, l := range lines {
			if l == "" || strings.ContainsAny(l, "\n\t") || strings.TrimSpace(l) != l {
				t.Errorf("seed %d: line %q", seed, l)
			}
		}
		if again := words.Golden(events, noon); !slices.Equal(lines, again) {
			t.Errorf("seed %d: told differently (-first +second):\n%s", seed, cmp.Diff(lines, again))
		}
	}
}

func anything(r *rand.Rand, names []string) []trace.Event {
	events := make([]trace.Event, r.IntN(300))
	now := noon
	for i := range events {
		now = now.Add(time.Duration(r.IntN(3)) * 700 * time.Millisecond)
		e := trace.Event{Seq: i + 1, At: now, What: trace.What(names[r.IntN(len(names))])}
		e.Who = []string{"w1", "w2", "sweep#1", "sweep#2", "broker", "email", "learner", "fault", ""}[r.IntN(9)]
		e.Slot = r.IntN(3)
		e.Hold = []reference.HoldID{"", "h1", "h2"}[r.IntN(3)]
		e.Message = []string{"", "m1", "m2"}[r.IntN(3)]
		e.Channel = []reference.Channel{"", "email", "sms"}[r.IntN(3)]
		e.Answer = []string{"", "accepted", "granted", "refused", "whole", "acked", "settled"}[r.IntN(7)]
		e.N, e.NoEffect = r.IntN(4), r.IntN(5) == 0
		e.Err = []string{"", "", "a: b"}[r.IntN(3)]
		e.Fault = []string{"", "", "crash w1 after=claim", "outage store from=12:00 until=12:01"}[r.IntN(4)]
		e.Window = noon.Add(time.Duration(r.IntN(3)) * time.Hour)
		events[i] = e
	}
	return events
}

func BenchmarkGolden(b *testing.B) {
	s := newStory()
	manyHolds(s, 500)
	for b.Loop() {
		words.Golden(s.events, noon)
	}
}
