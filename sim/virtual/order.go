package virtual

import (
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// Order decides what goes first of what is to happen at one time, in place of the seed. An error
// ends the run.
type Order interface {
	// Next picks one of the turns that are due now; there may be one alone. They come in the order
	// in which they were asked for.
	Next(now time.Time, due []Turn) (int, error)
	// Wake picks one of the processes that wait for what has become ready; there may be one alone.
	Wake(now time.Time, waiting []*Process) int
}

// Turn is one thing that is due: a process that goes on, or, where Process is nil, something that is
// done by nobody, such as a tick of cron, with its label.
type Turn struct {
	Process *Process
	Label   string
	entry   entry
}

// ordered replaces the entry that chance would have next by the one that Order picks. It is false if
// nothing is left to be done now.
func (s *Schedule) ordered(first entry) (entry, bool, error) {
	if s.Order == nil || first.tie == 0 {
		return first, true, nil
	}
	due := s.due[:0]
	for e := first; ; e = s.queue.pop() {
		if p := e.proc; p == nil || p.able(e) {
			due = append(due, Turn{p, e.label, e})
		} else {
			p.goOn(e) // it has come to nothing, or its node is stalled
		}
		if len(s.queue) == 0 || !s.queue[0].at.Equal(first.at) {
			break
		}
	}
	s.due = due
	if len(due) == 0 {
		return entry{}, false, nil
	}
	slices.SortFunc(due, func(a, b Turn) int { return int(a.entry.asked) - int(b.entry.asked) })
	i, err := s.Order.Next(first.at, due)
	if err != nil {
		return entry{}, false, err
	}
	for j, t := range due {
		if j != i {
			s.queue.push(t.entry)
		}
	}
	return due[i].entry, true, nil
}

// able says that the process would go on by e now.
func (p *Process) able(e entry) bool {
	return !p.ended && e.turn == p.turn && (p.life.over || !p.node.stalledUntil.After(p.node.schedule.now))
}

// Node is whose process it is.
func (p *Process) Node() *Node { return p.node }

// Guarded turns a panic of what runs on a schedule into an error, with the place it came from.
func Guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}
