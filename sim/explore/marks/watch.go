package marks

import (
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// watch follows one run.
type watch struct {
	run   *trace.Run
	seen  []bool
	rows  map[rowKey]*row
	holds map[string]*seat
	nodes map[string]*node
	// sent are the message names that were published, and whether they were lost; hands who has one.
	sent    map[string]bool
	hands   []hand
	sweeps  int
	pages   map[string]int
	redrive []string
	paused  bool
	// owing are claims whose outcome could not be written, by the slot that has it, and owed those
	// whose slot has taken another message since.
	owing map[reference.Token]hand
	owed  map[reference.Token]bool
}

type rowKey struct {
	hold    reference.HoldID
	window  int64
	channel reference.Channel
}

// row is a reminder's row, as the answers make it.
type row struct {
	exists, refused  bool
	token            reference.Token
	lease, notBefore time.Time
	doubt            reference.Reason
	outcome          reference.Outcome
	node             string
	first            time.Time
}

func (r *row) open() bool { return r.exists && !r.outcome.Final() }

// seat is a hold.
type seat struct {
	state   reference.State
	expires time.Time
	// second says that its window began by an extension.
	second    bool
	published map[reference.Kind]string
}

type node struct {
	stalled time.Time
	// late says that it woke from a stall after the lease of a claim of its own.
	late reference.Token
}

// hand is a message in the hand of a slot.
type hand struct {
	who     string
	slot    int
	message string
}

func (w *watch) hit(m mark) { w.seen[m] = true }

func (w *watch) load() {
	for _, h := range w.run.Setup.Holds {
		s := w.hold(h.ID)
		s.state, s.expires = h.State, h.ExpiresAt
	}
	for _, r := range w.run.Setup.Rows {
		*w.row(r.Hold, r.ExpiresAt, r.Channel) = row{
			exists: true, token: r.Token, lease: r.LeaseUntil, notBefore: r.NotBefore, doubt: r.Doubt, outcome: r.Outcome, first: r.FirstClaimedAt,
		}
	}
}

func (w *watch) hold(id reference.HoldID) *seat {
	s := w.holds[string(id)]
	if s == nil {
		s = &seat{published: map[reference.Kind]string{}}
		w.holds[string(id)] = s
	}
	return s
}

func (w *watch) row(hold reference.HoldID, window time.Time, c reference.Channel) *row {
	k := rowKey{hold, window.Unix(), c}
	r := w.rows[k]
	if r == nil {
		r = &row{}
		w.rows[k] = r
	}
	return r
}

func (w *watch) node(name string) *node {
	n := w.nodes[name]
	if n == nil {
		n = &node{}
		w.nodes[name] = n
	}
	return n
}

// event takes what follows from one event.
func (w *watch) event(e *trace.Event) {
	switch e.What {
	case trace.What(faults.WorkerClaim):
		w.claim(e)
	case trace.What(faults.ProviderSend), trace.Collapsed:
		w.send(e)
	case trace.What(faults.WorkerSettle):
		w.settle(e)
	case trace.What(faults.WorkerRelease):
		w.release(e)
	case trace.What(faults.WorkerExpire), trace.What(faults.SweepBackstop):
		w.expire(e)
	case trace.What(faults.HoldConfirm), trace.What(faults.HoldCancel), trace.What(faults.HoldExtend), trace.What(faults.HoldCreate):
		w.person(e)
	case trace.What(faults.SweepPublish), trace.BrokerLost, trace.BrokerDead, trace.BrokerGone, trace.Redriven:
		w.broker(e)
	case trace.What(faults.WorkerReceive), trace.What(faults.WorkerAck), trace.What(faults.WorkerNack), trace.What(faults.WorkerDeadLetter):
		w.consumer(e)
	case trace.SweepStart, trace.SweepEnd, trace.What(faults.SweepDue), trace.CronPaused, trace.CronResumed, trace.CronTimedOut:
		w.sweep(e)
	case trace.NodeCrash, trace.NodeStall:
		w.trouble(e)
	case trace.Ended:
		w.end()
	}
}

func (w *watch) trouble(e *trace.Event) {
	if e.What == trace.NodeStall {
		w.node(e.Who).stalled = e.Until
	}
	for i := 0; i < len(w.hands); i++ {
		if w.hands[i].who == e.Who && e.What == trace.NodeCrash {
			w.hands = append(w.hands[:i], w.hands[i+1:]...)
			i--
		}
	}
	for _, r := range w.rows { // any order: a mark is hit or not
		if !r.open() || r.node != e.Who {
			continue
		}
		if e.What == trace.NodeCrash {
			w.hit(workerCrashed)
		} else if r.token != "" && e.Until.After(r.lease) {
			w.node(e.Who).late = r.token
			w.hit(stallPastLease)
		}
	}
}

// end looks at how things ended.
func (w *watch) end() {
	for k, r := range w.rows { // any order: a mark is hit or not
		if k.channel != reference.Email {
			continue
		}
		other := w.rows[rowKey{k.hold, k.window, reference.SMS}]
		if other != nil && r.outcome.Final() && other.outcome.Final() && r.outcome != other.outcome {
			w.hit(bothChannels)
		}
	}
}
