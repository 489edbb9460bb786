package promise

import "github.com/seathold/seathold/reference"

// watchEarly keeps P4: no hold is expired before its time is over, confirmed and cancelled absorb,
// and a hold leaves held once. It takes in the other guards that keep windows apart: that a person
// can't confirm or extend a hold whose time is over, and that an extension names the window that
// it leaves and goes to a later one.
func watchEarly(t *trial, m *moment) {
	h := m.hold
	switch {
	case h == nil:
	case m.has(expired, "expired"), m.has(backstop, "expired"):
		t.watchExpiry(m)
	case m.has(confirmed, "done") && h.state != reference.Confirmed:
		t.watchPerson(m, "confirmed", confirmedLate)
	case m.has(cancelled, "done") && h.state != reference.Cancelled:
		t.watchPerson(m, "cancelled", Class{})
	case m.has(extended, "done") && (h.state != reference.Held || h.current.end != at(m.Until)):
		t.watchExtension(m)
	}
}

func (t *trial) watchExpiry(m *moment) {
	h := m.hold
	switch {
	case t.watchLeaving(m, "expired"):
	case m.window == nil || h.current != m.window && m.now >= h.current.end:
		t.breach(expiredOther, m, "%s was expired at %s by the name of another window, that of %s; a hold is expired in the window that it is in",
			h.id, t.clock(m.now), t.clock(at(m.Window)))
	case m.now < h.current.end:
		t.breach(expiredEarly, m, "%s was expired at %s, %s before its time was over; no hold is expired before its expires_at",
			t.name(h.current), t.clock(m.now), h.current.end-m.now)
	}
}

// watchLeaving reports it if a hold that has left held leaves it again.
func (t *trial) watchLeaving(m *moment, how string) bool {
	h := m.hold
	class := leftTwice
	switch h.state {
	case reference.Held:
		return false
	case reference.Confirmed:
		class = overwroteConfirm
	case reference.Cancelled:
		class = overwroteCancel
	}
	if !h.exists {
		t.breach(class, m, "%s was %s at %s, and there is no such hold", h.id, how, t.clock(m.now))
		return true
	}
	t.breach(class, m, "%s was %s at %s, and had been %s since %s; a hold leaves held once, and stays what it became",
		h.id, how, t.clock(m.now), h.state, t.clock(h.current.left))
	return true
}

func (t *trial) watchPerson(m *moment, how string, late Class) {
	h := m.hold
	if !t.watchLeaving(m, how) && late.Name != "" && m.now >= h.current.end {
		t.breach(late, m, "%s was %s at %s, when its time was over; that is refused from expires_at on, however late the sweep is",
			t.name(h.current), how, t.clock(m.now))
	}
}

func (t *trial) watchExtension(m *moment) {
	h, to := m.hold, at(m.Until)
	switch {
	case t.watchLeaving(m, "extended"):
	case m.window != h.current:
		t.breach(extendedOther, m, "%s was extended at %s from the window of %s, and was in that of %s; an extension leaves the window that it names",
			h.id, t.clock(m.now), t.clock(at(m.Window)), t.clock(h.current.end))
	case to < h.current.end:
		t.breach(notLater, m, "%s was extended at %s to %s, which is earlier; a window is only extended to a later time",
			t.name(h.current), t.clock(m.now), t.clock(to))
	default:
		t.watchPerson(m, "extended", extendedLate)
	}
}
