package promise

import "github.com/seathold/seathold/reference"

// watchAcks keeps the first half of P6: a message is acknowledged only when nothing more is to be
// done for it, and a worker sets aside only what can't be read and what has no hold.
func watchAcks(t *trial, m *moment) {
	g := m.message
	switch {
	case g == nil || g.window == nil || m.NoEffect:
	case m.What == acked && m.Answer != "not-ours":
		t.watchAck(m, g)
	case m.What == deadLettered && m.Answer != "not-ours" && g.window.hold.exists && !g.poisoned && !g.homeless:
		t.breach(deadNoReason, m, "%s, to %s %s, was set aside by %s at %s, and can be read and has a hold; nothing else is set aside by a worker",
			g.name, g.kind, t.name(g.window), m.Who, t.clock(m.now))
	}
}

func (t *trial) watchAck(m *moment, g *message) {
	v := g.window
	switch {
	case !v.hold.exists:
	case g.kind == reference.Remind:
		for _, c := range v.hold.channels {
			if undone := t.undone(v, c, m.now); undone != "" {
				m.on = c
				t.breach(ackedSoon, m, "%s, to remind %s, was acknowledged by %s at %s, and %s %s; a message is acknowledged when nothing more is to be done for it",
					g.name, t.name(v), m.Who, t.clock(m.now), c, undone)
				return
			}
		}
	case g.kind == reference.Expire && v.hold.state == reference.Held && v.hold.current.end <= v.end:
		t.breach(ackedSoon, m, "%s, to expire %s, was acknowledged by %s at %s, and the hold was still held until %s; a message is acknowledged when nothing more is to be done for it",
			g.name, t.name(v), m.Who, t.clock(m.now), t.clock(v.hold.current.end))
	}
}

// undone says what is still to be done to remind on c, if anything is.
func (t *trial) undone(v *window, c reference.Channel, now instant) string {
	var r *reminder
	for r = v.reminders; r != nil && r.channel != c; r = r.next {
	}
	switch {
	case r != nil && r.open() && r.token == "":
		return "has a row without an outcome"
	case r != nil && r.open():
		return "was claimed until " + t.clock(r.lease) + " without an outcome"
	case r != nil && r.exists, now >= v.end-t.cutoff, v.hold.state != reference.Held, v.hold.current.end > v.end:
		return ""
	}
	return "had no row, before its cut-off"
}

// judgeMessages keeps the second half: in the end every message was acknowledged or set aside, or
// somebody else lost it. What had no time to be handled is not judged.
func judgeMessages(t *trial) {
	queued := make(map[string]bool, len(t.run.Left))
	for _, name := range t.run.Left {
		queued[name] = true
	}
	calm := max(t.start, t.lastTrouble())
	for _, g := range t.messages {
		switch {
		case g.fate != "" && !queued[g.name], !g.published && !queued[g.name]:
		case !queued[g.name]:
			t.unended(messageLost, g, "was put into the queue at %s, and is neither there in the end, nor acknowledged, nor set aside", t.clock(g.queued))
		case max(calm, g.queued) <= t.end-t.bound():
			t.unended(leftQueued, g, "has been in the queue since %s, and is still there at %s; nothing has been wrong since %s, and in the end a message is acknowledged or set aside",
				t.clock(g.queued), t.clock(t.end), t.clock(calm))
		}
	}
}

func (t *trial) unended(c Class, g *message, format string, args ...any) {
	v := g.window
	if v == nil {
		v = &window{hold: &hold{}, end: t.end}
	}
	t.about(c, v, "", 0, t.end, g.name+" "+format, args...)
}
