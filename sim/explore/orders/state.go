package orders

import (
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// hash is that of a step and all steps that it depends on.
type hash uint64

func mix(h hash, v uint64) hash {
	z := uint64(h) ^ v + 0x9e3779b97f4a7c15 + uint64(h)<<6 + uint64(h)>>2
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return hash(z ^ z>>31)
}

func mixText(h hash, s string) hash {
	for i := 0; i < len(s); i++ {
		h = mix(h, uint64(s[i]))
	}
	return mix(h, uint64(len(s))+0x100)
}

// access is how a step touches a thing. Those of one class don't conflict with each other, except
// for writes.
type access byte

const (
	write access = iota // conflicts with everything
	read                // conflicts with everything but reads
	alter               // of all tables: conflicts with look
	look                // at all tables: conflicts with alter
)

// thing is what steps touch: those since the class of access changed last, and all before.
type thing struct {
	name   string
	class  access
	before hash
	since  hash // a sum, for their order doesn't matter
}

// precedes is the hash of the steps that a step with that access depends on.
func (t *thing) precedes(a access) hash {
	if a != t.class || a == write {
		t.before = mix(mix(t.before, uint64(t.since)), uint64(t.class))
		t.since, t.class = 0, a
	}
	return t.before
}

// touch is one access of a step.
type touch struct {
	thing *thing
	as    access
}

// state is what the steps so far come to.
type state struct {
	things map[string]*thing
	procs  map[*virtual.Process]hash
	world  hash
	// step is the one that is being made: by whom, what it has done, and what it has touched.
	by *virtual.Process
	// origin is what was done last by nobody, if nothing was done since: what it started comes from it.
	origin  hash
	at      time.Time
	any     bool
	label   hash
	touches []touch
	// woken are processes that were woken to receive, and have not yet.
	woken map[*virtual.Process]bool
	// named says that it makes a difference on which node a process is.
	named bool
}

func newState(c *script.Scenario) *state {
	return &state{things: map[string]*thing{}, procs: map[*virtual.Process]hash{}, woken: map[*virtual.Process]bool{}, named: !alike(c)}
}

// alike says that one worker's node is as good as another's: none is set up otherwise or named by a
// line, and none has two slots, which crash and stall together.
func alike(c *script.Scenario) bool {
	for _, n := range c.Nodes {
		if n.Name = c.Nodes[0].Name; n != c.Nodes[0] || n.Slots > 1 {
			return false
		}
	}
	return !slices.ContainsFunc(c.Steps, func(step script.Step) bool {
		f := step.Fault
		return f != nil && (faults.IsNode(f.Who) || strings.Contains(f.Who, "#") || len(f.Nodes) > 0) || step.Do != nil && step.Do.Who != ""
	})
}

// place is where the process of a turn is, or what is to be done.
func (s *state) place(t virtual.Turn) hash {
	if t.Process == nil {
		return mixText(s.world, t.Label)
	}
	return s.of(t.Process)
}

// of is where a process is; one that has done nothing yet is known by its role, and by what started
// it, and by its node where that makes a difference.
func (s *state) of(p *virtual.Process) hash {
	if p == nil {
		return s.world
	}
	h, known := s.procs[p]
	if !known {
		h = mixText(mix(1, uint64(s.origin)), p.Node().Role)
		if s.named {
			h = mixText(h, p.Node().Name)
		}
		s.procs[p] = h
	}
	return h
}

func (s *state) touch(name string, as access) {
	t := s.things[name]
	if t == nil {
		t = &thing{name: name}
		s.things[name] = t
	}
	s.touches = append(s.touches, touch{t, as})
}

// begin starts a step of a process, or of nobody.
func (s *state) begin(t virtual.Turn, now time.Time) {
	p := t.Process
	s.by, s.at, s.any, s.label, s.origin, s.touches = p, now, true, 0, 0, s.touches[:0]
	if p == nil {
		s.label = mixText(2, t.Label)
		s.origin = s.label
		s.touch("queue", write)
		s.touch("world", write)
		return
	}
	s.of(p)
	if s.woken[p] {
		delete(s.woken, p)
		s.touch("queue", write)
	}
}

// end takes the step into the state.
func (s *state) end() {
	if !s.any {
		return
	}
	h := mix(mix(s.of(s.by), uint64(s.label)), uint64(s.at.UnixMicro()))
	for _, t := range s.touches {
		h = mix(h, uint64(t.thing.precedes(t.as)))
	}
	for _, t := range s.touches {
		t.thing.since += h
	}
	if s.by == nil {
		s.world = h
	} else {
		s.procs[s.by] = h
	}
	s.any = false
}

// wake notes that a process is to receive what is in the queue.
func (s *state) wake(p *virtual.Process) {
	s.procs[p] = mixText(s.of(p), "woken")
	s.woken[p] = true
}

// hash is that of the whole state.
func (s *state) hash(now time.Time) hash {
	var sum hash
	for _, h := range s.procs { // any order: a sum
		sum += mix(h, 1)
	}
	for _, t := range s.things { // any order: a sum
		sum += mixText(mix(mix(mix(2, uint64(t.before)), uint64(t.since)), uint64(t.class)), t.name)
	}
	return mix(mix(sum, uint64(s.world)), uint64(now.UnixMicro()))
}

// event takes what happens into the step that is being made.
func (s *state) event(e *trace.Event) {
	if e.At.After(s.at) { // by the clock, and not by a step
		s.end()
		s.label = 0
	}
	h := mixText(mixText(mixText(s.label, string(e.What)), string(e.Hold)), string(e.Channel))
	h = mixText(mixText(mixText(h, e.Answer), string(e.Kind)), e.Outcome.String())
	s.label = mixText(mixText(mix(h, uint64(e.Window.Unix())), e.Err), e.Fault)
	if !s.any {
		s.world = mix(s.world, uint64(s.label))
		return
	}
	hold := "hold " + string(e.Hold)
	row := func(c reference.Channel, as access) { s.touch(hold+"/"+string(c), as) }
	switch e.What {
	case trace.What(faults.SweepDue):
		s.touch("tables", look)
	case trace.What(faults.SweepBackstop), trace.What(faults.WorkerExpire):
		if e.Hold == "" {
			s.touch("tables", look)
			return
		}
		s.touch("tables", alter)
		s.touch(hold, write)
		for _, c := range reference.Channels {
			row(c, write)
		}
	case trace.What(faults.WorkerClaim), trace.What(faults.WorkerSettle), trace.What(faults.WorkerRelease):
		s.touch("tables", alter)
		s.touch(hold, read)
		row(e.Channel, write)
	case trace.What(faults.HoldConfirm), trace.What(faults.HoldCancel), trace.What(faults.HoldExtend), trace.What(faults.HoldCreate):
		s.touch("tables", alter)
		s.touch(hold, write)
	case trace.What(faults.ProviderSend), trace.Accepted, trace.Collapsed:
		s.touch("provider of "+hold+"/"+string(e.Channel), write)
	case trace.What(faults.SweepRecord), trace.SweepStart, trace.SweepEnd, trace.Reply:
	default:
		s.touch("queue", write)
	}
}
