package shrink

import (
	"slices"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
)

// clone copies a scenario so far that nothing of it is shared which a pass changes.
func clone(s *script.Scenario) *script.Scenario {
	c := *s
	c.Header = slices.Clone(s.Header)
	c.Nodes = slices.Clone(s.Nodes)
	c.Providers = slices.Clone(s.Providers)
	c.Holds = slices.Clone(s.Holds)
	c.Rows = slices.Clone(s.Rows)
	c.Steps = slices.Clone(s.Steps)
	for i := range c.Steps {
		step := &c.Steps[i]
		switch {
		case step.Fault != nil:
			f := *step.Fault
			f.Nodes = slices.Clone(f.Nodes)
			step.Fault = &f
		case step.Do != nil:
			do := *step.Do
			step.Do = &do
		case step.Run != nil:
			run := *step.Run
			step.Run = &run
		}
	}
	return &c
}

// instant is a time as the file would write it.
func instant(s *script.Scenario, t time.Time) faults.Instant {
	i, err := faults.ParseInstant(script.Clock(t, s.Start))
	if err != nil {
		panic(err) // every time of ours is in whole microseconds
	}
	return i
}

// moments gives every time that a scenario names, to be read and written.
func moments(s *script.Scenario) []moment {
	var all []moment
	plain := func(t *time.Time) {
		if !t.IsZero() {
			all = append(all, moment{*t, false, func(to time.Time) { *t = to }})
		}
	}
	for i := range s.Holds {
		h := &s.Holds[i]
		end := h.ExpiresAt
		all = append(all, moment{end, false, func(to time.Time) {
			h.ExpiresAt = to
			for j := range s.Rows { // the rows of its window go with it
				if s.Rows[j].Hold == h.ID && s.Rows[j].ExpiresAt.Equal(end) {
					s.Rows[j].ExpiresAt = to
				}
			}
		}})
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		for _, t := range []*time.Time{&r.FirstClaimedAt, &r.LeaseUntil, &r.NotBefore, &r.SettledAt} {
			plain(t)
		}
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		switch {
		case step.Fault != nil:
			f := step.Fault
			for _, at := range []*faults.Instant{&f.At, &f.From, &f.Until} {
				if at.Set() {
					all = append(all, moment{at.In(s.Start), false, func(to time.Time) { *at = instant(s, to) }})
				}
			}
		case step.Do != nil:
			plain(&step.Do.At)
			plain(&step.Do.To)
			plain(&step.Do.New.ExpiresAt)
		case step.Run != nil:
			all = append(all, moment{step.Run.Until, true, func(to time.Time) { step.Run.Until = to }})
		}
	}
	return all
}

// moment is one time, and how to set it. An end is that of a run line.
type moment struct {
	at  time.Time
	end bool
	set func(time.Time)
}

// lengths gives every duration of faults; those of the world go back to their defaults, or stay.
func lengths(s *script.Scenario) []*time.Duration {
	var all []*time.Duration
	for i := range s.Steps {
		if f := s.Steps[i].Fault; f != nil {
			all = append(all, &f.By, &f.PerItem, &f.RetryAfter, &f.Restart)
		}
	}
	return all
}

// defaults is a scenario that says nothing.
func defaults() *script.Scenario {
	s, err := script.Parse("default.txt", []byte("# Nothing happens.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z\nrun for=1m\n"))
	if err != nil {
		panic(err) // the text is our own
	}
	return s
}

// about says that a step is about a hold that isn't kept.
func about(step script.Step, gone func(reference.HoldID) bool) bool {
	switch {
	case step.Fault != nil:
		return step.Fault.On != "" && gone(step.Fault.On)
	case step.Do != nil:
		return step.Do.Hold != "" && gone(step.Do.Hold)
	}
	return false
}
