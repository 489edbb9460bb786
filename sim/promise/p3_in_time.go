package promise

import "github.com/seathold/seathold/reference"

// watchInTime keeps P3: every send has a grant at whose instant the hold was held in this window,
// due and before the cut-off; and it starts after the grant, before the cut-off, within the lease,
// and under a claim still its own, or settled since by a receipt.
func watchInTime(t *trial, m *moment) {
	switch {
	case m.reminder == nil:
	case m.has(claimed, "granted") && m.reminder.claim(m.Token) == nil:
		t.watchGrant(m)
	case m.started():
		t.watchStart(m)
	}
}

func (t *trial) watchGrant(m *moment) {
	v, h := m.window, m.window.hold
	due, cutoff := v.end-t.lead, v.end-t.cutoff
	switch {
	case !h.exists:
		t.breach(closedWindow, m, "%s was granted at %s, and there was no such hold; a grant needs a hold held in this window", t.named(m.reminder), t.clock(m.now))
	case h.state != reference.Held:
		t.breach(closedWindow, m, "%s was granted at %s, and the hold was %s since %s; a grant needs it held", t.named(m.reminder), t.clock(m.now), h.state, t.clock(h.current.left))
	case h.current.end > v.end:
		t.breach(closedWindow, m, "%s was granted at %s, and the hold was in the window that ends at %s; a grant needs it in this one", t.named(m.reminder), t.clock(m.now), t.clock(h.current.end))
	case h.current.end < v.end:
		t.breach(aheadWindow, m, "%s was granted at %s, and the hold was still in the window that ends at %s; a grant needs it in this one", t.named(m.reminder), t.clock(m.now), t.clock(h.current.end))
	case m.now < due:
		t.breach(grantedEarly, m, "%s was granted at %s, and is due at %s; nobody is reminded before", t.named(m.reminder), t.clock(m.now), t.clock(due))
	case m.now >= cutoff:
		t.breach(grantedLate, m, "%s was granted at %s, and its cut-off was at %s; none is granted from then on", t.named(m.reminder), t.clock(m.now), t.clock(cutoff))
	}
}

// badGrant says that watchGrant has something to say about m.
func (w *world) badGrant(m *moment) bool {
	v := m.window
	return !v.stands() || m.now < v.end-w.lead || m.now >= v.end-w.cutoff
}

func (t *trial) watchStart(m *moment) {
	t.stats.Sends++
	r, c, start := m.reminder, m.reminder.claim(m.Token), m.startedAt()
	cutoff := m.window.end - t.cutoff
	switch {
	case c == nil:
		t.breach(noGrant, m, "a send of %s was started at %s under token %q, to which it had not been granted; every send has a grant", t.named(r), t.clock(start), m.Token)
	case start < c.at:
		t.breach(noGrant, m, "a send of %s was started at %s, and granted only at %s; every send starts after its grant", t.named(r), t.clock(start), t.clock(c.at))
	case c.bad:
		// Said already, where it was granted.
	case start >= cutoff:
		t.breach(startedLate, m, "a send of %s was started at %s, and the cut-off was at %s; none starts from then on", t.named(r), t.clock(start), t.clock(cutoff))
	case start >= c.lease:
		t.breach(leaseOver, m, "a send of %s was started at %s, and its lease, granted at %s, ended at %s; a send starts within it", t.named(r), t.clock(start), t.clock(c.at), t.clock(c.lease))
	case r.outcome.Final() && r.outcome.Verdict != reference.Sent:
		t.breach(claimLost, m, "a send of %s was started at %s, and %s had been recorded at %s; a send starts under a claim still its own", t.named(r), t.clock(start), r.outcome, t.clock(r.final))
	case r.open() && r.token != m.Token:
		t.breach(claimLost, m, "a send of %s was started at %s under token %q, and the row was %s; a send starts under a claim still its own", t.named(r), t.clock(start), m.Token, holderOf(r.token))
	default:
		if !m.window.stands() {
			t.stats.SendsAfterChange++
		}
	}
}

// holderOf says whose an open row is.
func holderOf(token reference.Token) string {
	if token == "" {
		return "free"
	}
	return "claimed by " + string(token)
}
