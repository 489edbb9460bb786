package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/watch"
)

func TestEveryKeepsToItsGrid(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s, err := every(time.Minute, settings.Schedule{Jitter: time.Second}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ after, want time.Duration }{
		{0, time.Minute}, {time.Second, time.Minute}, {59 * time.Second, time.Minute}, {time.Minute, 2 * time.Minute}, {150 * time.Second, 3 * time.Minute},
	} {
		if got := s.next(now.Add(c.after)).Sub(now); got != c.want {
			t.Errorf("after %s the next start is at %s, want %s", c.after, got, c.want)
		}
	}
	if s.first != now || s.gap != 61*time.Second {
		t.Errorf("first at %s with gap %s, want %s and 1m1s", s.first, s.gap, now)
	}
}

func TestCronKnowsItsLongestGap(t *testing.T) {
	// A Monday.
	now := time.Date(2026, 3, 2, 12, 0, 30, 0, time.UTC)
	for spec, want := range map[string]time.Duration{
		"* * * * *":          time.Minute,
		"*/2 * * * *":        2 * time.Minute,
		"0,1,30 * * * *":     30 * time.Minute,
		"@every 45s":         45 * time.Second,
		"@hourly":            time.Hour,
		"* 0-22 * * *":       time.Hour + time.Minute,
		"* * * * 1-5":        48*time.Hour + time.Minute,
		"* * 1-30 * *":       24*time.Hour + time.Minute,
		"* * * 1-11 *":       31*24*time.Hour + time.Minute,
		"*/1 * * * 0-6":      time.Minute,
		"TZ=UTC */3 * * * *": 3 * time.Minute,
	} {
		s, err := onCron(spec, "UTC", settings.Schedule{}, now)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if s.gap != want || s.first.Before(now) {
			t.Errorf("%s: first at %s, and the longest gap is %s, want %s", spec, s.first, s.gap, want)
		}
	}
}

func TestGapIsWarnedOf(t *testing.T) {
	for gap, want := range map[time.Duration]bool{0: false, time.Minute: false, 2 * time.Minute: false, 131 * time.Second: true, time.Hour: true} {
		var out bytes.Buffer
		s := sweeps{policy: reference.DefaultPolicy(), log: watch.NewLogger(&out, name, "info", nil)}
		s.warnOfGap(gap)
		if got := strings.Contains(out.String(), `"msg":"sweep.gap"`); got != want {
			t.Errorf("after a gap of %s it is %t that there is a warning, want %t: %s", gap, got, want, out.String())
		}
	}
}
