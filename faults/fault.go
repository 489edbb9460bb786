// Package faults is what can go wrong, as values. A fault prints as the scenario line that makes
// it, and reads back from it; it says which port calls it strikes and what it does to them, and
// nothing about how a simulator brings that about.
//
// Each kind is a row of one table (kinds.go) and has a file of its own. Parse and String are the
// two directions of a line. Manner says how a fault comes about: most strike port calls, and are
// asked at each by Armed.Strike; the others act on the world at an instant or throughout a period,
// which a simulator schedules by Span.
package faults

import (
	"errors"
	"time"

	"github.com/seathold/seathold/reference"
)

// Fault is one thing that goes wrong. Fields that its kind has no use for are zero; Parse refuses
// them. Its String is the scenario line without the verb, in one normal form.
type Fault struct {
	// Maybe exempts the fault from having to fire.
	Maybe bool
	Kind  Kind
	// Who is a node (w1, sweep#7), a role (worker, sweep, learner, operator), a port (store, queue,
	// provider) or cron. Where a line names nobody it is the kind's default; empty is whoever comes.
	Who string
	// Phase and Point say at which moment of which port call; both empty for faults of an instant
	// or a period.
	Phase Phase
	Point Point
	// On, Channel and Nth narrow the calls down.
	On      reference.HoldID
	Channel reference.Channel
	Nth     Nth
	// At is an instant; From and Until bound a period. Unset ones are the zero Instant.
	At, From, Until Instant
	// By is how long: of a stall, a delay, a skew (which may be negative), a retry.
	By time.Duration
	// PerItem is how much longer each item of a batch takes (slow).
	PerItem time.Duration
	// RetryAfter is what a throttling provider asks for; negative is "none": it doesn't say.
	RetryAfter time.Duration
	// Status is the HTTP status that a rejecting or failing provider answers; 0 is the kind's default.
	Status int
	// Restart is how long a crashed node stays down; zero is the world's default, negative never.
	Restart time.Duration
	// Nodes are those that an outage cuts off; empty is all.
	Nodes []string
}

// Kind names what goes wrong: crash, stall, slow, …
type Kind string

// Phase is a moment of a port call.
type Phase string

// The phases.
const (
	Before Phase = "before" // no effect yet
	In     Phase = "in"     // effect done, reply not seen
	After  Phase = "after"  // effect done and reply seen
)

// Point names a port call, as traces and logs do: worker.claim. Short gives the name that
// scenarios use.
type Point string

// The points.
const (
	SweepDue         Point = "sweep.due"
	SweepPublish     Point = "sweep.publish"
	SweepBackstop    Point = "sweep.backstop"
	SweepRecord      Point = "sweep.record"
	WorkerReceive    Point = "worker.receive"
	WorkerClaim      Point = "worker.claim"
	ProviderSend     Point = "provider.send"
	WorkerSettle     Point = "worker.settle"
	WorkerRelease    Point = "worker.release"
	WorkerExpire     Point = "worker.expire"
	WorkerAck        Point = "worker.ack"
	WorkerNack       Point = "worker.nack"
	WorkerDeadLetter Point = "worker.dead-letter"
	HoldCreate       Point = "hold.create"
	HoldConfirm      Point = "hold.confirm"
	HoldCancel       Point = "hold.cancel"
	HoldExtend       Point = "hold.extend"
)

// Moment is what a fault sees of a port call when it is asked whether to strike.
type Moment struct {
	At    time.Time
	Phase Phase
	Point Point
	// Role is worker, sweep, learner or operator; Node is w1, sweep#7, ….
	Role, Node string
	Hold       reference.HoldID
	Channel    reference.Channel
	// Began is when the sweep that makes the call began; zero for the other roles.
	Began time.Time
}

// Effect is what a strike does to a port call, or to the node that makes it.
type Effect struct {
	// Crash ends the node at once, for Restart (see Fault.Restart).
	Crash   bool
	Restart time.Duration
	// Stall stops the node for that long; its clocks run on.
	Stall time.Duration
	// Delay makes the call take longer by that much: before it has its effect if the phase is
	// Before, and before its reply if it is In.
	Delay time.Duration
	// Err is what the caller sees: instead of the effect if the phase is Before, and of the reply
	// if it is In.
	Err error
	// Twice runs the call twice and answers the second time's answer.
	Twice bool
	// Lose, Duplicate and Postpone are done to a message by the broker: never delivered, delivered
	// once more after Later, delivered Later.
	Lose, Duplicate, Postpone bool
	Later                     time.Duration
	// Poison garbles the payload.
	Poison bool
}

// With is what e and o do to one moment together.
func (e Effect) With(o Effect) Effect {
	restart := max(e.Restart, o.Restart)
	if o.Restart < 0 || e.Restart < 0 {
		restart = -1
	}
	return Effect{
		Crash: e.Crash || o.Crash, Restart: restart,
		Stall: e.Stall + o.Stall, Delay: e.Delay + o.Delay, Later: e.Later + o.Later,
		Err: errors.Join(e.Err, o.Err), Twice: e.Twice || o.Twice,
		Lose: e.Lose || o.Lose, Duplicate: e.Duplicate || o.Duplicate, Postpone: e.Postpone || o.Postpone,
		Poison: e.Poison || o.Poison,
	}
}
