package shrink

import (
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
)

// otherHolds leaves only the hold concerned, or takes away what it can of the others.
func (k *shrinker) otherHolds() bool {
	own := k.violation.Hold
	ids := holdsOf(k.s)
	if len(ids) > 1 && own != "" && k.without(func(id reference.HoldID) bool { return id != own }) {
		return true
	}
	return k.chunks(len(ids), func(s *script.Scenario, from, to int) {
		gone := holdsOf(s)[from:to]
		drop(s, func(id reference.HoldID) bool { return slices.Contains(gone, id) })
	}, func() int { return len(holdsOf(k.s)) })
}

func (k *shrinker) without(gone func(reference.HoldID) bool) bool {
	return k.try(func(s *script.Scenario) { drop(s, gone) })
}

// drop takes holds away, with everything about them.
func drop(s *script.Scenario, gone func(reference.HoldID) bool) {
	s.Holds = slices.DeleteFunc(s.Holds, func(h reference.Hold) bool { return gone(h.ID) })
	s.Rows = slices.DeleteFunc(s.Rows, func(r reference.Row) bool { return gone(r.Hold) })
	s.Steps = slices.DeleteFunc(s.Steps, func(step script.Step) bool { return about(step, gone) })
}

func holdsOf(s *script.Scenario) []reference.HoldID {
	var ids []reference.HoldID
	for _, h := range s.Holds {
		ids = append(ids, h.ID)
	}
	for _, step := range s.Steps {
		if step.Do != nil && step.Do.Verb == "create" {
			ids = append(ids, step.Do.New.ID)
		}
	}
	return ids
}

// chunks takes away ever smaller pieces of a list of n, as delta debugging does. Cut takes away what
// is between from and to, and size says how long the list is by now.
func (k *shrinker) chunks(n int, cut func(s *script.Scenario, from, to int), size func() int) bool {
	helped := false
	for length := (n + 1) / 2; length >= 1; length /= 2 {
		for from := 0; from < size(); {
			to := min(from+length, size())
			if k.try(func(s *script.Scenario) { cut(s, from, to) }) {
				helped = true
				if size() <= from {
					break
				}
				continue // the next piece is where this one was
			}
			from += length
		}
	}
	return helped
}

// steps takes away faults and at lines.
func (k *shrinker) steps() bool {
	return k.chunks(len(k.s.Steps), func(s *script.Scenario, from, to int) {
		piece := slices.Clone(s.Steps[from:to])
		piece = slices.DeleteFunc(piece, func(step script.Step) bool { return step.Run == nil })
		s.Steps = slices.Replace(s.Steps, from, to, piece...)
	}, func() int { return len(k.s.Steps) - k.runsAtEnd() })
}

// runsAtEnd counts the run lines, which steps leaves.
func (k *shrinker) runsAtEnd() int {
	n := 0
	for i := len(k.s.Steps) - 1; i >= 0 && k.s.Steps[i].Run != nil; i-- {
		n++
	}
	return n
}

func (k *shrinker) rows() bool {
	return k.chunks(len(k.s.Rows), func(s *script.Scenario, from, to int) {
		s.Rows = slices.Delete(s.Rows, from, to)
	}, func() int { return len(k.s.Rows) })
}

// runs leaves one run line, and makes it short.
func (k *shrinker) runs() bool {
	helped := false
	for i := len(k.s.Steps) - 2; i >= 0; i-- {
		if k.s.Steps[i].Run != nil {
			helped = k.try(func(s *script.Scenario) { s.Steps = slices.Delete(s.Steps, i, i+1) }) || helped
		}
	}
	last := len(k.s.Steps) - 1
	if last < 0 || k.s.Steps[last].Run == nil {
		return helped
	}
	until := k.s.Steps[last].Run.Until
	for _, length := range []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute} {
		end := k.s.Start.Add(length)
		if end.Before(until) && k.try(func(s *script.Scenario) { s.Steps[last].Run.Until = end }) {
			return true
		}
	}
	return helped
}
