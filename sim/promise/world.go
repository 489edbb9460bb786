package promise

import (
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// world is the model that a trace is replayed on: what the tables, the broker and the provider must
// hold after the events so far, and what happened to each of it.
type world struct {
	run *trace.Run
	rules
	// start and end are the run's; end is set by run.end, and ended says that there was one. Sweeps
	// run until swept: after heal the world runs on for a while, and is then only drained.
	start, end, swept instant
	ended             bool
	holds             []*hold // in the order in which the trace names them
	byID              map[reference.HoldID]*hold
	lastHold          *hold
	nodes             map[string]*node
	messages          []*message // in the order of publishing
	byName            map[string]*message
	troubles          []trouble
	byLine            map[string]int // the last trouble made by a fault line
	begun             []int          // the troubles that have not ended
	seats             slab[hold]
	windows           slab[window]
	rows              slab[reminder]
	claims            slab[claim]
	letters           slab[message]
}

// rules are the durations to judge by.
type rules struct {
	lead, cutoff, sweep, visibility, send, backstop instant
	channels, slots, queue                          instant
}

// hold is a hold as the model knows it; one that was only named doesn't exist.
type hold struct {
	id       reference.HoldID
	exists   bool
	state    reference.State
	current  *window // the window it is in, or was last in
	windows  *window // all that were named
	channels []reference.Channel
	troubles []int // indexes of those that name it
	// kept is what the table holds at run.end, or nil.
	kept *reference.Hold
}

// window is one period of a hold; the hold never was in one that did not stand.
type window struct {
	hold *hold
	next *window
	end  instant
	// began is when the hold came into it, and left when it went out of it, or never.
	began, left instant
	stood       bool
	leftBy      trace.What
	leftSeq     int
	reminders   *reminder
}

// reminder is a row of the table and what the provider saw of it.
type reminder struct {
	window  *window
	next    *reminder
	channel reference.Channel

	exists           bool // the row does
	token            reference.Token
	lease, notBefore instant
	doubt            reference.Reason
	outcome          reference.Outcome
	final            instant // when the outcome was written, or never
	finalSeq         int
	before           bool // the outcome is from before the run
	claims           *claim
	facts            facts
	// kept is what the table held at run.end, or nil.
	kept *reference.Row
}

// facts are what happened about one reminder, at any time.
type facts struct {
	// accepted and started are when the provider last accepted, and when a send was last started.
	accepted, started instant
	// repeated: the provider remembered the key. Rejected, refused and late are the answers to sends;
	// unsure is that one had none to trust, and lapsed that a lease ended without a word.
	repeated, rejected, refused, late, unsure, lapsed bool
	// waits are when the provider had asked not to be asked.
	waits []spell
}

// claim is one grant.
type claim struct {
	next      *claim
	token     reference.Token
	node      *node // nil if it was granted before the run
	at, lease instant
	seq       int
	// bad says that P3 reported the grant, and struck that one of the claim's calls went wrong.
	bad, struck bool
}

// node is a process; hits are when it crashed, stalled or restarted.
type node struct {
	hits   []instant
	down   int // the index of the trouble of its last crash
	isDown bool
}

// message is one message of the broker.
type message struct {
	name   string
	kind   reference.Kind
	window *window
	fate   trace.What // what ended it, or empty
	// queued is when it was last put into the queue, or could first be received.
	queued    instant
	published bool
	poisoned  bool
	// homeless says that since it was received a claim found no hold, and there was none.
	homeless bool
}

// trouble is a time in which something was wrong; to is never while it lasts.
type trouble struct {
	spell
	hold    *hold
	channel reference.Channel
	fault   string
}

// slab makes values many at a time.
type slab[T any] struct{ free []T }

func (s *slab[T]) take(many int) *T {
	if len(s.free) == 0 {
		s.free = make([]T, max(many, 16))
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

func newWorld(run *trace.Run) *world {
	s := &run.Setup
	w := &world{
		run: run, start: at(s.Start), end: never, swept: never,
		byID:   make(map[reference.HoldID]*hold, len(s.Holds)+len(s.Holds)/4),
		byName: make(map[string]*message, 2*len(s.Holds)), nodes: map[string]*node{}, byLine: map[string]int{},
		rules: rules{
			lead: micros(s.Policy.Lead), cutoff: micros(s.Policy.Cutoff), visibility: micros(s.Policy.Visibility),
			send: micros(s.Policy.SendTimeout), backstop: micros(s.Policy.Backstop), sweep: micros(s.Period),
			slots: instant(s.Slots), queue: micros(s.Queue), channels: instant(len(s.Latency)),
		},
	}
	if w.channels == 0 {
		w.channels = instant(len(reference.Channels))
	}
	w.holds, w.messages = make([]*hold, 0, len(s.Holds)), make([]*message, 0, 2*len(s.Holds))
	for i := range s.Holds {
		h := &s.Holds[i]
		own := w.hold(h.ID)
		own.exists, own.state, own.channels = true, h.State, h.Channels
		w.enter(own, at(h.ExpiresAt), always)
		if h.State != reference.Held {
			own.current.left = always
		}
	}
	for i := range s.Rows {
		w.load(&s.Rows[i])
	}
	// A hold that is created in the run has its channels from then on, and the trace doesn't say which.
	for i := range run.Holds {
		if h := w.byID[run.Holds[i].ID]; h == nil {
			w.hold(run.Holds[i].ID).channels = run.Holds[i].Channels
		}
	}
	return w
}

// load takes a row that was there when the run began. What it says happened is believed.
func (w *world) load(row *reference.Row) {
	r := w.window(w.hold(row.Hold), at(row.ExpiresAt)).reminder(w, row.Channel)
	r.exists, r.token, r.doubt, r.outcome = true, row.Token, row.Doubt, row.Outcome
	r.lease, r.notBefore = at(row.LeaseUntil), at(row.NotBefore)
	if row.Outcome.Final() {
		r.before, r.final = true, always
		return
	}
	r.facts.unsure, r.facts.lapsed = true, true
	if r.facts.refused = !row.NotBefore.IsZero(); r.facts.refused { // and it still counts
		r.facts.waits = append(r.facts.waits, spell{w.start, max(w.start, r.notBefore)})
	}
	r.claims = w.claims.take(0)
	*r.claims = claim{token: row.Token, at: at(row.FirstClaimedAt), lease: r.lease, struck: true}
}

// hold finds a hold by its id, or makes one that doesn't exist.
func (w *world) hold(id reference.HoldID) *hold {
	if w.lastHold != nil && w.lastHold.id == id {
		return w.lastHold
	}
	h := w.byID[id]
	if h == nil {
		h = w.seats.take(len(w.run.Setup.Holds))
		*h = hold{id: id, channels: reference.Channels}
		w.byID[id] = h
		w.holds = append(w.holds, h)
	}
	w.lastHold = h
	return h
}

// window finds a window of h by its end, or makes one in which h never was.
func (w *world) window(h *hold, end instant) *window {
	for v := h.windows; v != nil; v = v.next {
		if v.end == end {
			return v
		}
	}
	v := w.windows.take(len(w.run.Setup.Holds))
	*v = window{hold: h, next: h.windows, end: end, began: never, left: never}
	h.windows = v
	return v
}

// enter puts h into a window.
func (w *world) enter(h *hold, end, now instant) {
	v := w.window(h, end)
	v.began, v.stood = now, true
	h.current = v
}

// reminder finds v's reminder on c, or makes one without a row.
func (v *window) reminder(w *world, c reference.Channel) *reminder {
	for r := v.reminders; r != nil; r = r.next {
		if r.channel == c {
			return r
		}
	}
	r := w.rows.take(2 * len(w.run.Setup.Holds))
	*r = reminder{window: v, next: v.reminders, channel: c, lease: always, notBefore: always, final: never, facts: facts{accepted: always, started: always}}
	v.reminders = r
	return r
}

// message finds a message by its name, or makes one that is in the queue since now.
func (w *world) message(name string, now instant) *message {
	g := w.byName[name]
	if g == nil {
		g = w.letters.take(2 * len(w.run.Setup.Holds))
		*g = message{name: name, queued: now}
		w.byName[name] = g
		w.messages = append(w.messages, g)
	}
	return g
}

// node finds a node by its name.
func (w *world) node(name string) *node {
	n := w.nodes[name]
	if n == nil {
		n = &node{}
		w.nodes[name] = n
	}
	return n
}

// claim finds the grant of r to token.
func (r *reminder) claim(token reference.Token) *claim {
	for c := r.claims; c != nil; c = c.next {
		if c.token == token {
			return c
		}
	}
	return nil
}

// cost is how long a send on c takes a slot.
func (w *world) cost(c reference.Channel) instant {
	return min(micros(w.run.Setup.Latency[c]), w.send)
}

// open says that there is a row without an outcome.
func (r *reminder) open() bool { return r.exists && !r.outcome.Final() }

// stands says that v's hold is held in v.
func (v *window) stands() bool {
	return v.hold.exists && v.hold.state == reference.Held && v.hold.current == v
}
