package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/program"
)

// schedule is when sweeps are started.
type schedule struct {
	settings.Schedule
	// first is when the first one is.
	first time.Time
	// next gives the first start after a time.
	next func(time.Time) time.Time
	// gap is the longest time between two starts.
	gap time.Duration
}

// every starts now, and every period from now on.
func every(period time.Duration, s settings.Schedule, now time.Time) (*schedule, error) {
	if period <= 0 {
		return nil, &settings.Problem{What: fmt.Sprintf("every: the period is %s and must be positive", period), Exit: settings.ExitUsage}
	}
	return &schedule{s, now, func(after time.Time) time.Time {
		return now.Add((after.Sub(now)/period + 1) * period)
	}, period + s.Jitter}, nil
}

// onCron starts when spec says.
func onCron(spec, zone string, s settings.Schedule, now time.Time) (*schedule, error) {
	in, err := time.LoadLocation(zone)
	if err != nil {
		return nil, &settings.Problem{What: fmt.Sprintf("cron: %v", err), Exit: settings.ExitUsage, Hint: "zones are such as UTC or Europe/Berlin"}
	}
	parsed, err := cron.ParseStandard(spec)
	if err != nil {
		return nil, &settings.Problem{
			What: fmt.Sprintf("cron: %v", err), Exit: settings.ExitUsage,
			Hint: "five fields in quotes: minute, hour, day of month, month, day of week, such as '* * * * *'",
		}
	}
	next := func(after time.Time) time.Time { return parsed.Next(after.In(in)) }
	first := next(now)
	if first.IsZero() {
		return nil, &settings.Problem{What: fmt.Sprintf("cron: %q never comes", spec), Exit: settings.ExitUsage}
	}
	return &schedule{s, first, next, longestGap(parsed, first, next) + s.Jitter}, nil
}

// longestGap looks a year ahead, or a day where every day is like another. No schedule that has a
// gap of an hour can be used: there it stops.
func longestGap(parsed cron.Schedule, first time.Time, next func(time.Time) time.Time) time.Duration {
	until := first.AddDate(1, 0, 0)
	if fields, ok := parsed.(*cron.SpecSchedule); ok && all(fields.Dom, 31) && all(fields.Month, 12) && all(fields.Dow, 7) {
		until = first.AddDate(0, 0, 1)
	}
	longest := time.Duration(0)
	for at := first; at.Before(until) && longest <= time.Hour; {
		after := next(at)
		if after.IsZero() {
			return until.Sub(at)
		}
		longest, at = max(longest, after.Sub(at)), after
	}
	return longest
}

// all says that a field has all its n values: robfig/cron keeps one in a bit, and in the top bit
// that a star was there.
func all(field uint64, n int) bool { return bits.OnesCount64(field&^(1<<63)) == n }

// keepSchedule sweeps until it is told to end. A start that falls into a sweep is left out.
func keepSchedule(p *program.Program, s *sweeps, when *schedule) error {
	signals, stop := p.Signals(when.Grace)
	defer stop()
	if err := p.Start(); err != nil {
		return err
	}
	for at := when.first; ; {
		wait := time.Until(at) + jitter(when.Jitter)
		if err := p.Waiter.Wait(signals.Accept, wait); err != nil {
			p.Log.Info("program.drained")
			return nil
		}
		// What went wrong is logged and counted, and the next sweep finds it again.
		s.sweep(signals.Work)
		after := when.next(at)
		for now := time.Now(); !after.After(now); after = when.next(after) {
			s.watched.Skipped()
		}
		at = after
	}
}

func jitter(most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}
