package sim_test

import (
	"fmt"
	"testing"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/script"
)

// world gives a scenario of so many holds, which run out one after the other over so many hours.
func world(b *testing.B, holds int, hours int) *script.Scenario {
	b.Helper()
	text := fmt.Sprintf(`# Holds run out one after the other.
# Source: by design
# At stake: P2.

world start=2026-03-02T12:00:00Z workers=(w1, w2)
holds
  id      expires
  h1..h%d  +5m..+%dm

run for=%dh
`, holds, 60*hours-10, hours)
	s, err := script.Parse("bench.txt", []byte(text))
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func run(b *testing.B, s *script.Scenario) {
	b.Helper()
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		r, err := sim.Run(s, sim.Memory{})
		if err != nil {
			b.Fatal(err)
		}
		events = len(r.Trace.Events)
	}
	b.ReportMetric(float64(events), "events/run")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// BenchmarkTwelveHoldHour is an hour with twelve holds, replay and settling down included.
func BenchmarkTwelveHoldHour(b *testing.B) { run(b, world(b, 12, 1)) }

// BenchmarkHolds shows that the cost is linear in the events.
func BenchmarkHolds(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%d-in-48h", n), func(b *testing.B) { run(b, world(b, n, 48)) })
	}
}
