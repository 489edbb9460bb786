package promise

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// crowd is a day on which n holds, one every step, are reminded and expired.
func crowd(n int, step time.Duration) trace.Run {
	var run trace.Run
	for i := range n {
		one := tell(nil)
		one.messages, one.tokens = 2*i, 2*i
		shift := time.Duration(i) * step
		id := reference.HoldID(fmt.Sprintf("h%06d", i))
		one.hold(id, "12:10", reference.Held).at("12:07").reminded(id).at("12:10").expired(id)
		one.run.Setup.Holds[0].ExpiresAt = one.run.Setup.Holds[0].ExpiresAt.Add(shift)
		for _, e := range one.run.Events {
			for _, t := range []*time.Time{&e.At, &e.Window, &e.Until, &e.Start} {
				if !t.IsZero() {
					*t = t.Add(shift)
				}
			}
			run.Events = append(run.Events, e)
		}
		holds := append(run.Setup.Holds, one.run.Setup.Holds...)
		run.Setup, run.Setup.Holds = one.run.Setup, holds
	}
	slices.SortStableFunc(run.Events, func(a, b trace.Event) int { return a.At.Compare(b.At) })
	end := run.Events[len(run.Events)-1].At.Add(15 * time.Minute)
	run.Events = append(run.Events, trace.Event{At: end, What: trace.Ended})
	for i := range run.Events {
		run.Events[i].Seq = i + 1
	}
	run.Holds, run.Rows = tables(&run)
	return run
}

// missedCrowd is the same without any reminder, and a fault every 10 s, so that every outcome needs
// an excuse and has one.
func missedCrowd(n int, step time.Duration) trace.Run {
	run := crowd(n, step)
	var events []trace.Event
	next := run.Setup.Start
	for _, e := range run.Events {
		for ; !next.After(e.At); next = next.Add(10 * time.Second) {
			events = append(events, trace.Event{At: next, What: trace.FaultBegin, Fault: "error"}, trace.Event{At: next, What: trace.FaultEnd, Fault: "error"})
		}
		if e.Hold == "" || e.Kind == reference.Expire || e.What == expired {
			events = append(events, e)
		}
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	run.Events = events
	run.Holds, run.Rows = tables(&run)
	return run
}

func bench(b *testing.B, run trace.Run) {
	if v := Check(run); len(v) > 0 {
		b.Fatalf("%d violations: %s", len(v), v[0].Sentence)
	}
	b.ReportAllocs()
	for b.Loop() {
		Check(run)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run.Events)), "ns/event")
	b.ReportMetric(float64(len(run.Events)), "events")
}

func BenchmarkCheck(b *testing.B) {
	b.Run("holds=12", func(b *testing.B) { bench(b, crowd(12, 2*time.Minute)) })
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("holds=%d", n), func(b *testing.B) { bench(b, crowd(n, 200*time.Millisecond)) })
	}
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("missed/holds=%d", n), func(b *testing.B) { bench(b, missedCrowd(n, 200*time.Millisecond)) })
	}
}
