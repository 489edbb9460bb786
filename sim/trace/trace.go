// Package trace is what happened in a run, as data: the only thing that the promises are judged by.
package trace

import (
	"time"

	"github.com/seathold/seathold/reference"
)

// What names an event. Port calls are named as faults names them (worker.claim), with their true
// answer, seen or not; the others are listed here.
type What string

// The events that are no port calls.
const (
	SweepStart   What = "sweep.start"
	SweepEnd     What = "sweep.end"       // N is published, Answer is whole, undrained, diverged or crashed
	NodeCrash    What = "node.crash"      // Who is the node
	NodeRestart  What = "node.restart"    // Who is the node
	NodeStall    What = "node.stall"      // Who is the node; Until when it goes on
	FaultBegin   What = "fault.begin"     // Fault is which; Hold and Channel if it concerns only those
	FaultEnd     What = "fault.end"       // Fault is which
	Accepted     What = "provider.accept" // the ground truth: the provider has it, seen or not
	Collapsed    What = "provider.repeat" // the provider remembered the key, and accepted nothing new
	Reply        What = "provider.reply"  // the sender saw no receipt: Err is what it saw, at this time
	BrokerLost   What = "broker.lost"     // accepted, and never to be delivered
	BrokerDead   What = "broker.dead"     // set aside by the broker's own limit of receives
	BrokerGone   What = "broker.gone"     // retention ended, or an operator purged it
	Redriven     What = "queue.redrive"   // a dead letter is back in the queue
	CronPaused   What = "cron.pause"
	CronResumed  What = "cron.resume"
	CronTimedOut What = "cron.timeout" // the caller stopped waiting; the sweep goes on
	Healed       What = "run.heal"     // the last fault is over
	Ended        What = "run.end"      // what must happen in the end is judged by what happened until here
	Replay       What = "run.replay"   // from here on every message is delivered again, and no sweep runs
)

// Event is one thing that happened. Fields that don't apply are zero.
type Event struct {
	// Seq counts from 1; At is the database's time; both never fall.
	Seq int
	At  time.Time
	// Who did it: w1, sweep#7, learner, operator, cron, broker, email, sms, run. Slot tells a
	// node's slots apart, from 1, where it has more than one.
	Who  string
	Slot int
	What What
	Hold reference.HoldID
	// Window is the expires_at of the window concerned; for hold.extend the one it left, with the
	// new one in Until.
	Window  time.Time
	Channel reference.Channel
	// Kind is the message's, Message its name (m1), the same over redeliveries.
	Kind    reference.Kind
	Message string
	Token   reference.Token
	// Answer is what the port truly answered, in one word: granted, recorded, expired, duplicate, ….
	Answer string
	// Outcome is what was recorded or found.
	Outcome reference.Outcome
	// Doubt goes with a claim that was granted as a retake.
	Doubt reference.Reason
	// Until is the lease's end (granted), the time named (busy, early, nack, release), the new
	// expires_at (extend), when a message becomes visible (receive, publish).
	Until time.Time
	N     int
	// Start is when the provider call was started (provider.send): compared with StartBy there.
	Start time.Time
	// Err is what the caller saw instead of the answer; empty if it saw the answer.
	Err string
	// NoEffect says that the call was struck before it had any.
	NoEffect bool
	// Fault is the line of the fault that struck here.
	Fault string
}

// Run is a whole run: how the world was set up, what happened, and what the tables held at the end.
type Run struct {
	Setup  Setup
	Events []Event
	// Holds and Rows are the tables at the event run.end, and ReplayHolds and ReplayRows after
	// everything was delivered again.
	Holds, ReplayHolds []reference.Hold
	Rows, ReplayRows   []reference.Row
	// Left are the messages that were in the queue at run.end.
	Left []string
}

// Setup is what a checker has to know about the world.
type Setup struct {
	Start  time.Time
	Policy reference.Policy
	// Period is the longest time between two ticks of cron as it was set up.
	Period time.Duration
	// Slots is how many messages are handled at once when all nodes are up.
	Slots int
	// Queue is how long after its publishing a message can be received.
	Queue time.Duration
	// Latency is each provider's, by channel, and Keys how long it remembers reminder keys.
	Latency map[reference.Channel]time.Duration
	Keys    map[reference.Channel]time.Duration
	// Holds and Rows are the tables when the run starts.
	Holds []reference.Hold
	Rows  []reference.Row
}

// End is when the run ended, or the last event's time if it has no end.
func (r Run) End() time.Time {
	for i := len(r.Events) - 1; i >= 0; i-- {
		if r.Events[i].What == Ended {
			return r.Events[i].At
		}
	}
	if n := len(r.Events); n > 0 {
		return r.Events[n-1].At
	}
	return r.Setup.Start
}
