// Package virtual is virtual time: a schedule on which one thing happens at a time, processes that
// run on it as coroutines, and the clocks, contexts and waits that straight-line code needs. It knows
// nothing of holds and reminders.
package virtual

import (
	"fmt"
	"time"
)

// Schedule is what is to happen, ordered by time, then by a seeded tie-break, then by when it was
// asked for.
type Schedule struct {
	// Order decides what goes first of what is to happen at one time; nil is the seeds' tie-breaks.
	Order Order
	due   []Turn

	now    time.Time
	queue  agenda
	asked  uint64
	events int
	// eventsMax is a limit on what may happen: hitting it is a failure of the harness, or of code
	// that never comes to rest.
	eventsMax int
	// spare are coroutines whose processes have ended.
	spare []*routine
}

// NewSchedule begins at start, and ends with an error after so many things have happened.
func NewSchedule(start time.Time, eventsMax int) *Schedule {
	return &Schedule{now: start, eventsMax: eventsMax}
}

// Now is the time; it ticks in whole microseconds.
func (s *Schedule) Now() time.Time { return s.now }

// entry is one thing to happen: a process that goes on, or else something that is done.
type entry struct {
	at    time.Time
	tie   uint64
	asked uint64
	proc  *Process
	// turn must still be the process's own; else somebody woke it before.
	turn uint64
	do   func()
	// label names what is done where nobody goes on.
	label string
}

// agenda is a binary heap, written out because container/heap would allocate for every entry.
type agenda []entry

func (a agenda) before(i, j int) bool {
	switch c := a[i].at.Compare(a[j].at); {
	case c != 0:
		return c < 0
	case a[i].tie != a[j].tie:
		return a[i].tie < a[j].tie
	}
	return a[i].asked < a[j].asked
}

func (a *agenda) push(e entry) {
	*a = append(*a, e)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(i, parent) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (a *agenda) pop() entry {
	h := *a
	first, last := h[0], len(h)-1
	h[0], h[last] = h[last], entry{}
	h = h[:last]
	*a = h
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h.before(child, least) {
				least = child
			}
		}
		if least == i {
			return first
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

func (s *Schedule) add(e entry) {
	if e.at.Before(s.now) {
		e.at = s.now
	}
	s.asked++
	e.asked = s.asked
	s.queue.push(e)
}

// At has something done at t, before anything that has a tie-break. Among themselves such things
// are done in the order of asking.
func (s *Schedule) At(t time.Time, do func()) { s.add(entry{at: t, do: do}) }

// AtTie has something done at t, in the order that the stream decides. Label says what it is.
func (s *Schedule) AtTie(t time.Time, ties *Stream, label string, do func()) {
	s.add(entry{at: t, tie: tie(ties), label: label, do: do})
}

// tie is never 0, which is for what comes first.
func tie(ties *Stream) uint64 { return 1 + ties.Next()>>1 }

// Next is when the next thing happens; false if there is none.
func (s *Schedule) Next() (time.Time, bool) {
	if len(s.queue) == 0 {
		return time.Time{}, false
	}
	return s.queue[0].at, true
}

// Until lets everything happen that is to happen until then, that instant included, or until
// something has stopped it. It is an error if too much happens.
func (s *Schedule) Until(t time.Time, stopped func() bool) error {
	for len(s.queue) > 0 && !s.queue[0].at.After(t) {
		if stopped() {
			return nil
		}
		if s.events++; s.events > s.eventsMax {
			return fmt.Errorf("more than %d things happened by %s: the run does not come to rest", s.eventsMax, s.now.Format(time.RFC3339))
		}
		e := s.queue.pop()
		s.now = e.at
		e, any, err := s.ordered(e)
		switch {
		case err != nil:
			return err
		case !any:
		case e.do != nil:
			e.do()
		default:
			e.proc.goOn(e)
		}
	}
	if t.After(s.now) && !stopped() {
		s.now = t
	}
	return nil
}
