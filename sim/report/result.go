package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Result is how one scenario went on one store.
type Result struct {
	Scenario, Store string
	// Pass is the number of the last pass that was run.
	Pass, Events    int
	Simulated, Wall time.Duration
	Hash            uint64
	Failures        []Failure
}

// OK says that nothing failed.
func (r Result) OK() bool { return len(r.Failures) == 0 }

// Line gives the result as one line, the scenario's name padded to width.
func (r Result) Line(width int) string {
	word, end := "ok  ", ""
	if n := len(r.Failures); n > 0 {
		word, end = "FAIL", "   "+Plural(n, "failure")
	}
	return fmt.Sprintf("%s  %-*s  %-8s  %-8s  %10s  %6s simulated  %s%s",
		word, width, r.Scenario, r.Store, Plural(r.Pass, "pass"), Plural(r.Events, "event"), Span(r.Simulated), wall(r.Wall), end)
}

// Summary sums results up, with what they took in all; a scenario failed if it did so on any store.
func Summary(results []Result, took time.Duration) string {
	failed := map[string]bool{}
	var simulated time.Duration
	for _, r := range results {
		failed[r.Scenario] = failed[r.Scenario] || !r.OK()
		simulated += r.Simulated
	}
	bad := 0
	for _, f := range failed {
		if f {
			bad++
		}
	}
	return fmt.Sprintf("%s, %s simulated, %.2f s: %d passed, %d failed",
		Plural(len(failed), "scenario"), Span(simulated), took.Seconds(), len(failed)-bad, bad)
}

type jsonResult struct {
	Scenario         string        `json:"scenario"`
	OK               bool          `json:"ok"`
	Store            string        `json:"store"`
	Pass             int           `json:"pass"`
	Events           int           `json:"events"`
	SimulatedSeconds float64       `json:"simulated_seconds"`
	WallMS           float64       `json:"wall_ms"`
	Hash             string        `json:"hash"`
	Failures         []jsonFailure `json:"failures,omitempty"`
}

// JSON gives the result as one line of JSON. The hash is in hex, for a 64-bit number doesn't
// survive every reader of JSON.
func (r Result) JSON() ([]byte, error) {
	j := jsonResult{
		Scenario: r.Scenario, OK: r.OK(), Store: r.Store, Pass: r.Pass, Events: r.Events,
		SimulatedSeconds: r.Simulated.Seconds(), WallMS: float64(r.Wall.Microseconds()) / 1000, Hash: fmt.Sprintf("%016x", r.Hash),
	}
	for _, f := range r.Failures {
		j.Failures = append(j.Failures, f.json())
	}
	return json.Marshal(j)
}

// Span gives a duration without the units that are zero at its end: 1h10m for 1h10m0s.
func Span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func wall(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// Plural counts things: 1 run, 2 runs.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
