package sim

import (
	"strconv"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// node is a worker, one run of the sweep, or a person's client.
type node struct {
	*virtual.Node
	world *World
	// restart is how long the node stays down after a crash; negative is for ever.
	restart time.Duration
	// working counts the slots that have not come to their end.
	working int
	// start spawns the processes of a new life; nil if the node doesn't come back.
	start func(n *node)
}

// process is straight-line code of a node, and what the ports keep for it.
type process struct {
	*virtual.Process
	world *World
	node  *node
	slot  int
	// What follows is of the call being made; a process makes one at a time. Asked is the event as far
	// as it is known before the effect, event the whole of it, and in what strikes in it.
	moment       faults.Moment
	asked, event trace.Event
	in           struck
	// claimed is when the process last asked for a claim, in true time, and claimedBy by its clock.
	claimed, claimedBy time.Time
	// publishing is the entry that a sweep is about to publish.
	publishing posted
	// deliveries are those that a slot has had, by receipt, with the broker's own names, and received
	// is the last of them.
	deliveries map[string]reference.Delivery
	received   reference.Delivery
}

func (w *World) newNode(name, role string) *node {
	n := &node{Node: w.NewNode(name, role, w.scenario.Seed), world: w}
	n.Fail = w.restless
	w.nodes = append(w.nodes, n)
	return n
}

// spawn starts a process of a node now.
func (w *World) spawn(n *node, slot int, body func(p *process)) *process {
	p := &process{world: w, node: n, slot: slot}
	p.Process = n.Spawn(func(*virtual.Process) { body(p) })
	return p
}

// begin starts a new life.
func (n *node) begin() {
	n.Draining, n.working = false, 0
	n.Begin()
	n.start(n)
}

// crash ends the node's life at once. What its processes still do comes to nothing.
func (n *node) crash(fault string, down time.Duration) {
	w := n.world
	w.record(trace.Event{Who: n.Name, What: trace.NodeCrash, Fault: fault})
	n.Crash()
	if down == 0 {
		down = n.restart
	}
	switch {
	case n.start == nil:
		w.faultEnds("", fault, w.Now())
	case down < 0: // what is for ever is nothing that a run could wait out
		w.faultEnds("", fault, w.Now())
		w.down = append(w.down, n)
	default:
		w.At(w.Now().Add(down), func() { n.comeBack(fault) })
		w.healsAt(w.Now().Add(down))
	}
}

func (n *node) comeBack(fault string) {
	n.world.record(trace.Event{Who: n.Name, What: trace.NodeRestart, Fault: fault})
	n.world.faultEnds("", fault, n.world.Now()) // nothing, if it has no name
	n.begin()
}

// stall stops the node for a while; its clocks run on.
func (n *node) stall(fault string, d time.Duration) {
	w := n.world
	n.Stall(w.Now().Add(d))
	w.record(trace.Event{Who: n.Name, What: trace.NodeStall, Until: n.StalledUntil(), Fault: fault})
	w.faultEnds("", fault, n.StalledUntil())
}

// tokens is reference.TokenSource: t1, t2, …, never repeated in a run.
type tokens struct{ world *World }

func (t tokens) NewToken() reference.Token {
	t.world.tokensMade++
	return reference.Token("t" + strconv.Itoa(t.world.tokensMade))
}

// drain has the node receive no more, finish what it has, and restart.
func (n *node) drain() {
	w := n.world
	n.Draining = true
	w.record(trace.Event{Who: "fault", What: trace.FaultBegin, Fault: "deploy " + n.Name})
	w.idle.Release(n.Node)
}

// drained is the end of one slot; the last one restarts the node.
func (n *node) drained() {
	w := n.world
	if n.working--; n.working > 0 {
		return
	}
	down := max(n.restart, 0)
	w.healsAt(w.Now().Add(down))
	w.At(w.Now().Add(down), func() { n.comeBack("deploy " + n.Name) })
}
