package report

import (
	"slices"
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/trace"
)

// Names of port calls, as traces spell them.
const (
	sweepDue     = trace.What(faults.SweepDue)
	sweepPublish = trace.What(faults.SweepPublish)
	receive      = trace.What(faults.WorkerReceive)
	send         = trace.What(faults.ProviderSend)
	ack          = trace.What(faults.WorkerAck)
	nack         = trace.What(faults.WorkerNack)
	deadLetter   = trace.What(faults.WorkerDeadLetter)
	holdCreate   = trace.What(faults.HoldCreate)
	holdConfirm  = trace.What(faults.HoldConfirm)
	holdCancel   = trace.What(faults.HoldCancel)
	holdExtend   = trace.What(faults.HoldExtend)
)

// Focus is what a lane picture is about.
type Focus struct {
	Hold reference.HoldID
	// Channel leaves out what is about other channels; empty is all.
	Channel reference.Channel
	// Seq is the event to mark; 0 is none.
	Seq int
	// Rows is how many lines the picture may have; 0 is 30.
	Rows int
}

// picked is one event of a picture, and the provider's acceptance that it brought about.
type picked struct {
	trace.Event
	accepts *trace.Event
}

// picker chooses the events about one hold, and what happened to those who were at it.
type picker struct {
	Focus
	messages map[string]bool // names of the hold's messages
	busy     []string        // slots that are at the hold
	down     map[string]bool // nodes whose crash is in the picture
}

func (f Focus) pick(events []trace.Event) []picked {
	p := picker{Focus: f, messages: map[string]bool{}, down: map[string]bool{}}
	var out []picked
	for i, e := range events {
		if e.What == trace.Replay && f.Seq < e.Seq {
			break // what is delivered again is another story
		}
		if e.Hold == f.Hold && e.Message != "" {
			p.messages[e.Message] = true
		}
		if !p.concerns(e) {
			continue
		}
		if e.What == trace.Accepted && len(out) > 0 && out[len(out)-1].Seq == events[max(i-1, 0)].Seq && out[len(out)-1].What == send {
			out[len(out)-1].accepts = &events[i]
			continue
		}
		out = append(out, picked{Event: e})
	}
	return out
}

func (p *picker) concerns(e trace.Event) bool {
	about := e.Hold == p.Hold || e.Hold == "" && e.Message != "" && p.messages[e.Message]
	slot := words.Who(e)
	switch e.What {
	case trace.NodeCrash:
		about = about || p.isBusy(e.Who)
		p.down[e.Who] = about
		p.busy = slices.DeleteFunc(p.busy, func(s string) bool { return nodeOf(s) == e.Who })
		return about
	case trace.NodeRestart:
		return p.down[e.Who]
	case trace.NodeStall:
		return about || p.isBusy(e.Who)
	case trace.FaultBegin, trace.FaultEnd:
		return words.IsPeriod(e.Fault) && (e.Hold == "" || about) && p.onChannel(e)
	case ack, nack, deadLetter, trace.SweepEnd:
		p.busy = slices.DeleteFunc(p.busy, func(s string) bool { return s == slot })
	case receive, sweepDue:
		p.busy = slices.DeleteFunc(p.busy, func(s string) bool { return s == slot })
		if about {
			p.busy = append(p.busy, slot)
		}
	default:
		if about && !slices.Contains(p.busy, slot) {
			p.busy = append(p.busy, slot)
		}
	}
	return about && p.onChannel(e)
}

func (p *picker) onChannel(e trace.Event) bool {
	return p.Channel == "" || e.Channel == "" || e.Channel == p.Channel
}

func (p *picker) isBusy(node string) bool {
	return slices.ContainsFunc(p.busy, func(s string) bool { return nodeOf(s) == node })
}

// nodeOf gives the node of a slot: w1 of w1/2.
func nodeOf(slot string) string {
	node, _, _ := strings.Cut(slot, "/")
	return node
}

// rank orders the events of a picture by how much is lost without them.
func (f Focus) rank(p picked) int {
	switch {
	case p.has(f.Seq):
		return 0
	case p.accepts != nil || !words.Plain(p.Event):
		return 1
	}
	switch p.What {
	case trace.NodeCrash, trace.NodeStall, trace.Accepted, trace.Collapsed, trace.Reply,
		trace.BrokerLost, trace.BrokerDead, trace.BrokerGone, trace.Redriven,
		holdCreate, holdConfirm, holdCancel, holdExtend:
		return 1
	case receive, ack, nack, trace.NodeRestart:
		return 3
	}
	return 2
}

func (p picked) has(seq int) bool {
	return seq > 0 && (p.Seq == seq || p.accepts != nil && p.accepts.Seq == seq)
}
