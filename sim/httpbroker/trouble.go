package httpbroker

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seathold/seathold/faults"
)

const (
	roleSweep  = "sweep"
	roleWorker = "worker"
	portQueue  = "queue"
)

// Reason says why f does nothing here; empty if it does something.
func Reason(f faults.Fault) string {
	points := []faults.Point{faults.SweepPublish, faults.WorkerReceive, faults.WorkerAck}
	who := []string{"", portQueue, roleSweep, roleWorker}
	switch f.Kind {
	case faults.Duplicate, faults.Delay, faults.Lose, faults.Poison:
	case faults.Error, faults.Ambiguous, faults.Slow, faults.Outage:
	default:
		return string(f.Kind) + " is not done by a queue"
	}
	switch {
	case f.Point != "" && f.Point.Port() != portQueue:
		return f.Point.Short() + " is no call of a queue"
	case f.Point != "" && !slices.Contains(points, f.Point):
		return "the contract has no " + f.Point.Short()
	case !slices.Contains(who, f.Who):
		return f.Who + " is neither the queue nor a role that calls it"
	case slices.ContainsFunc(f.Nodes, func(n string) bool { return !slices.Contains(who, n) }):
		return "nodes have no names over HTTP"
	case f.At.Set():
		return "sweeps have no names over HTTP"
	}
	return ""
}

// hit is what the faults that strike one moment do, together.
type hit struct {
	faults.Effect
	// down says that an outage is among them.
	down bool
}

// strike asks every fault about one moment of a call. The server's lock must be held.
func (s *Server) strike(m faults.Moment, phase faults.Phase) hit {
	var sum hit
	m.Phase, m.At = phase, s.config.Start.Add(s.config.Clock.Since(s.began))
	for _, a := range s.armed {
		e, struck := a.Strike(m)
		if !struck {
			continue
		}
		s.config.Log(fmt.Sprintf("%s %s%s: %s", phase, m.Point.Short(), of(m), a.Fault))
		sum.add(e)
		sum.down = sum.down || a.Fault.Kind == faults.Outage
	}
	return sum
}

func of(m faults.Moment) string {
	if m.Hold == "" {
		return ""
	}
	return " of " + string(m.Hold)
}

func (h *hit) add(e faults.Effect) {
	h.Delay += e.Delay
	h.Later += e.Later
	h.Err = errors.Join(h.Err, e.Err)
	h.Lose = h.Lose || e.Lose
	h.Duplicate = h.Duplicate || e.Duplicate
	h.Postpone = h.Postpone || e.Postpone
	h.Poison = h.Poison || e.Poison
}

// Idle gives the faults that have struck nothing so far.
func (s *Server) Idle() []faults.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var idle []faults.Fault
	for _, a := range s.armed {
		if a.Fired() == 0 {
			idle = append(idle, a.Fault)
		}
	}
	return idle
}
