package virtual

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Node is one operating-system process: what crashes, stalls and has a clock of its own.
type Node struct {
	Name string
	// Role is what it is: worker, sweep, ….
	Role string
	// Skew is how wrong its clock is.
	Skew time.Duration
	// skews are those that it had when its clock was read, in order, without repeats one after another.
	skews []time.Duration
	// Draining says that the node is to begin nothing new.
	Draining bool
	// Fail is told when code of the node goes on calling ports for good after a crash.
	Fail func(error)

	schedule     *Schedule
	stalledUntil time.Time
	ties         *Stream
	life         *life
}

// life is a node from one start to the next crash.
type life struct {
	over      bool
	severed   int
	began     time.Time
	processes []*Process
}

// severedMax is how many calls code may make after its node crashed before we say that it never ends.
const severedMax = 1000

// NewNode makes a node that has just started.
func (s *Schedule) NewNode(name, role string, seed uint64) *Node {
	return &Node{Name: name, Role: role, schedule: s, life: &life{began: s.now}, ties: NewStream(seed, name, "tie")}
}

// Begin starts the node anew, after a crash.
func (n *Node) Begin() { n.life = &life{began: n.schedule.now} }

// Began is when the node's present life began.
func (n *Node) Began() time.Time { return n.life.began }

// Up says that the node has not crashed since it began.
func (n *Node) Up() bool { return !n.life.over }

// StalledUntil is when a stalled node goes on, or a time that is not ahead.
func (n *Node) StalledUntil() time.Time { return n.stalledUntil }

// Stall stops the node until then; its clock runs on.
func (n *Node) Stall(until time.Time) { n.stalledUntil = until }

// Crash ends the node's life at once: its context ends, and its processes are cut off from every
// port. They go on once more, to come to their ends.
func (n *Node) Crash() {
	n.life.over, n.stalledUntil = true, time.Time{}
	for _, p := range n.life.processes {
		p.WakeAt(n.schedule.now)
	}
}

// Running counts the processes that have not ended.
func (n *Node) Running() int {
	running := 0
	for _, p := range n.life.processes {
		if !p.ended {
			running++
		}
	}
	return running
}

// Unwind crashes the node and lets its processes end right now, so that none is left behind.
func (n *Node) Unwind() {
	n.life.over = true
	for _, p := range n.life.processes {
		if !p.ended && n.life.severed <= severedMax {
			p.resume()
		}
	}
}

// Context ends with the node's present life.
func (n *Node) Context() context.Context { return lifeContext{context.Background(), n.life} }

// Process is straight-line code of one node, run as a coroutine: it goes on only when the schedule
// says so, and stops wherever it waits.
type Process struct {
	node    *Node
	life    *life
	turn    uint64
	ended   bool
	routine *routine
}

// routine is a coroutine that runs one process after the other: a fresh one for each would have to
// grow its stack every time.
type routine struct {
	body func()
	// yield stops the process that is running; true says that it has ended.
	yield func(ended bool) bool
	next  func() (ended, more bool)
	stop  func()
}

func (s *Schedule) routine() *routine {
	if n := len(s.spare); n > 0 {
		r := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return r
	}
	r := &routine{}
	r.next, r.stop = iter.Pull(func(yield func(bool) bool) {
		r.yield = yield
		for {
			r.body()
			if !yield(true) {
				return
			}
		}
	})
	return r
}

// Close lets go of what ended processes left behind.
func (s *Schedule) Close() {
	for _, r := range s.spare {
		r.stop()
	}
	s.spare = nil
}

// resume lets the process run to where it waits next, or to its end.
func (p *Process) resume() {
	if ended, _ := p.routine.next(); ended {
		p.ended = true
		p.node.schedule.spare = append(p.node.schedule.spare, p.routine)
		p.routine = nil
	}
}

// Spawn starts a process now; body runs until it returns.
func (n *Node) Spawn(body func(p *Process)) *Process {
	p := &Process{node: n, life: n.life, routine: n.schedule.routine()}
	p.routine.body = func() { body(p) }
	n.life.processes = append(n.life.processes, p)
	p.WakeAt(n.schedule.now)
	return p
}

// WakeAt has the process go on at t, unless something else wakes it before.
func (p *Process) WakeAt(t time.Time) {
	p.node.schedule.add(entry{at: t, tie: tie(p.node.ties), proc: p, turn: p.turn})
}

// Park stops the process until somebody wakes it.
func (p *Process) Park() { p.routine.yield(false) }

// SleepUntil stops the process until t, and lets others go first that are due by then.
func (p *Process) SleepUntil(t time.Time) {
	p.WakeAt(t)
	p.Park()
}

// Ended says that the process's code has returned.
func (p *Process) Ended() bool { return p.ended }

// Over says that the process's node has crashed since it was spawned.
func (p *Process) Over() bool { return p.life.over }

// goOn lets the process run to where it waits next, unless it was woken before, or its node is stalled.
func (p *Process) goOn(e entry) {
	s := p.node.schedule
	switch {
	case p.ended || e.turn != p.turn:
		return
	case p.node.stalledUntil.After(s.now) && !p.life.over:
		e.at = p.node.stalledUntil
		s.add(e)
		return
	}
	p.turn++
	p.resume()
}

// CutOff is the error that every port gives once the process's node has crashed; it wraps
// context.Canceled. Code that goes on calling ports after that is stopped for good, and named.
func (p *Process) CutOff() error {
	if !p.life.over {
		return nil
	}
	if p.life.severed++; p.life.severed > severedMax {
		p.node.Fail(fmt.Errorf("%s made %d port calls after its node crashed: its loop doesn't end with its context", p.node.Name, severedMax))
		p.Park()
	}
	return fmt.Errorf("%s crashed: %w", p.node.Name, context.Canceled)
}
