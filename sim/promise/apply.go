package promise

import (
	"strings"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// apply brings the model from before m to after it.
func (w *world) apply(m *moment) {
	if m.Fault != "" && m.What != trace.FaultBegin && m.What != trace.FaultEnd {
		w.prolong(m)
	}
	switch m.What {
	case claimed, sent, settled, released, trace.Accepted, trace.Collapsed, trace.Reply:
		if g := w.byName[m.Message]; g != nil && m.has(claimed, string(reference.NoHold)) {
			g.homeless = !m.hold.exists
		}
		if m.reminder != nil {
			w.applyReminder(m)
		}
	case published, received, acked, deadLettered, trace.BrokerLost, trace.BrokerDead, trace.BrokerGone, trace.Redriven:
		switch {
		case m.message != nil && !m.NoEffect:
			w.applyMessage(m)
		case m.What == trace.BrokerGone:
			w.purge()
		}
	case expired, backstop:
		if m.window != nil && m.has(m.What, "expired") {
			w.expire(m)
		}
	case created, confirmed, cancelled, extended:
		if m.hold != nil && m.has(m.What, "done") {
			w.applyPerson(m)
		}
	case trace.NodeCrash, trace.NodeRestart, trace.NodeStall:
		w.applyNode(m)
	case trace.FaultBegin, trace.FaultEnd:
		w.applyFault(m)
	case trace.Healed:
		w.swept = m.now + w.backstop + 2*w.sweep
	case trace.Ended:
		w.ended, w.end, w.swept = true, m.now, min(w.swept, m.now)
	}
}

func (w *world) applyReminder(m *moment) {
	r := m.reminder
	r.facts.see(m)
	w.strike(r, m)
	switch {
	case m.has(claimed, "granted"):
		w.grant(r, m)
	case m.has(claimed, "settled-here"):
		r.lapse(m.now)
		r.record(m, m.Outcome)
	case m.has(settled, "recorded"):
		r.record(m, doubted(m.Outcome, r.doubt))
	case m.What == released && m.releases(r):
		r.token, r.lease = "", always
		if r.doubt == "" {
			r.doubt = m.Doubt
		}
		r.notBefore = max(r.notBefore, at(m.Until))
	}
}

// strike keeps for the claim that made a call, or the last one if that isn't known, that the call
// went wrong.
func (w *world) strike(r *reminder, m *moment) {
	if !m.struck() {
		return
	}
	c := r.claim(m.Token)
	if c == nil && m.What != claimed {
		c = r.claims
	}
	if c != nil {
		c.struck = true
	}
}

// see keeps what m says of the provider.
func (f *facts) see(m *moment) {
	switch {
	case m.What == trace.Accepted && !m.NoEffect:
		f.accepted = m.now
	case m.What == trace.Collapsed && !m.NoEffect:
		f.repeated = true
	case m.What == sent:
		f.seeSend(m)
	}
	if (m.What == trace.Reply || m.What == sent) && m.Err != "" {
		f.unsure = true
	}
}

func (f *facts) seeSend(m *moment) {
	if m.started() {
		f.started = m.startedAt()
	}
	switch {
	case m.Answer == "too-late":
		f.late = true
	case m.NoEffect:
		// A connection that could not be made certainly got nothing accepted.
		f.refused = true
	case m.Answer == "unknown":
		f.unsure = true
	case m.Answer == "rejected":
		f.rejected = true
	case m.Answer == "not-accepted":
		f.refused = true
		f.waits = append(f.waits, spell{m.now, max(m.now, at(m.Until))})
	}
}

// lapse notes that the lease of r's claim has ended without a word, if it has.
func (r *reminder) lapse(now instant) {
	if r.open() && r.token != "" && now >= r.lease {
		r.facts.lapsed = true
	}
}

// grant makes a claim. One that repeats a token's earlier grant is no new one.
func (w *world) grant(r *reminder, m *moment) {
	if r.claim(m.Token) != nil {
		return
	}
	r.lapse(m.now)
	c := w.claims.take(2 * len(w.run.Setup.Holds))
	*c = claim{next: r.claims, token: m.Token, node: w.node(m.Who), at: m.now, seq: m.Seq, lease: at(m.Until), bad: w.badGrant(m), struck: m.struck()}
	r.claims = c
	// A grant of what has an outcome is a lie of the store's, and leaves the row as it is.
	if !r.outcome.Final() {
		r.exists, r.token, r.lease, r.doubt = true, m.Token, c.lease, m.Doubt
	}
}

// record writes an outcome.
func (r *reminder) record(m *moment, o reference.Outcome) {
	if r.outcome != o {
		r.exists, r.outcome, r.final, r.finalSeq, r.before = true, o, m.now, m.Seq, false
	}
}

// doubted is what is written where a first attempt may have been accepted.
func doubted(o reference.Outcome, doubt reference.Reason) reference.Outcome {
	if o.Verdict == reference.Dropped && doubt != "" {
		return reference.Outcome{Verdict: reference.Unknown, Reason: doubt}
	}
	return o
}

func (w *world) applyMessage(m *moment) {
	g := m.message
	if m.Kind != "" {
		g.kind = m.Kind
	}
	if m.window != nil {
		g.window = m.window
	}
	switch m.What {
	case published:
		g.poisoned = g.poisoned || strings.Contains(m.Fault, "poison")
		if m.Answer == "accepted" {
			g.queued, g.published = max(m.now, at(m.Until)), true
		}
	case received:
		g.poisoned, g.homeless = g.poisoned || m.Kind == "", false
	case acked, deadLettered:
		if m.Answer != "not-ours" {
			g.fate = m.What
		}
	case trace.BrokerLost, trace.BrokerDead, trace.BrokerGone:
		g.fate = m.What
	case trace.Redriven:
		g.fate, g.queued = "", m.now
	}
}

// purge is the end of everything that is in the queue.
func (w *world) purge() {
	for _, g := range w.messages {
		if g.fate == "" {
			g.fate = trace.BrokerGone
		}
	}
}

// expire ends a hold's time, and accounts for the channels on which nothing was tried or nothing
// can have been accepted.
func (w *world) expire(m *moment) {
	v := m.window
	w.leave(v.hold, reference.Expired, m)
	for _, c := range v.hold.channels {
		r := v.reminder(w, c)
		if r.outcome.Final() || r.token != "" || r.doubt != "" {
			continue
		}
		reason := reference.Missed
		if r.notBefore != always {
			reason = reference.Throttled
		}
		r.record(m, reference.Outcome{Verdict: reference.Dropped, Reason: reason})
	}
}

func (w *world) applyPerson(m *moment) {
	h := m.hold
	switch m.What {
	case created:
		if !h.exists {
			h.exists, h.state = true, reference.Held
			w.enter(h, max(at(m.Window), at(m.Until)), m.now)
		}
	case confirmed:
		w.leave(h, reference.Confirmed, m)
	case cancelled:
		w.leave(h, reference.Cancelled, m)
	case extended:
		if to := at(m.Until); h.current != nil && h.current.end != to {
			h.current.leave(m)
			w.enter(h, to, m.now)
		}
	}
}

// leave takes h to a state, whatever state it was in: whether that was right is for P4 to say.
func (w *world) leave(h *hold, to reference.State, m *moment) {
	if h.exists && h.state != to {
		h.state = to
		h.current.leave(m)
	}
}

func (v *window) leave(m *moment) {
	if v.left == never {
		v.left, v.leftBy, v.leftSeq = m.now, m.What, m.Seq
	}
}

func (w *world) applyNode(m *moment) {
	n := w.node(m.Who)
	n.hits = append(n.hits, m.now)
	switch m.What {
	case trace.NodeCrash:
		n.down, n.isDown = len(w.troubles), true
		w.trouble(trouble{spell: spell{m.now, m.now}})
	case trace.NodeRestart:
		if n.isDown {
			w.troubles[n.down].to = m.now
			n.isDown = false
		}
	case trace.NodeStall:
		w.trouble(trouble{spell: spell{m.now, max(m.now, at(m.Until))}})
	}
}

// applyFault keeps from when to when a fault was active. Where several of one line are, they end in
// the order in which they began.
func (w *world) applyFault(m *moment) {
	if m.What == trace.FaultBegin {
		w.begun = append(w.begun, len(w.troubles))
		w.byLine[m.Fault] = len(w.troubles)
		w.trouble(trouble{spell: spell{m.now, never}, hold: m.hold, channel: m.Channel, fault: m.Fault})
		return
	}
	for i, at := range w.begun {
		if b := &w.troubles[at]; b.fault == m.Fault && (m.hold == nil || b.hold == m.hold) {
			b.to = m.now
			w.begun = append(w.begun[:i], w.begun[i+1:]...)
			return
		}
	}
}

// prolong keeps a fault active until the call that it struck is over, whatever its own end says: a
// call that is held up may outlast the period in which that began. A slow call to the queue concerns
// everybody, whatever hold its message is about: it holds up a slot, or a sweep and all behind it.
func (w *world) prolong(m *moment) {
	for line := range strings.SplitSeq(m.Fault, " + ") {
		i, found := w.byLine[line]
		if !found {
			continue
		}
		t := &w.troubles[i]
		t.to = max(t.to, m.now)
		switch m.What {
		case published, received, acked, nacked, deadLettered:
			if strings.HasPrefix(strings.TrimPrefix(line, "maybe "), "slow") {
				t.hold, t.channel = nil, ""
			}
		}
	}
}

func (w *world) trouble(t trouble) {
	if t.hold != nil {
		t.hold.troubles = append(t.hold.troubles, len(w.troubles))
	}
	w.troubles = append(w.troubles, t)
}
