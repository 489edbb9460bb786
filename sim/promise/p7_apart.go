package promise

import (
	"fmt"

	"github.com/seathold/seathold/reference"
)

// watchApart keeps the first half of P7: trouble repeats nothing that is done. A send that is
// started after the reminder was recorded as sent repeats it, unless it was granted before, for
// that is a race of two claims, which P3 allows.
func watchApart(t *trial, m *moment) {
	r := m.reminder
	if r == nil || !m.started() || r.outcome.Verdict != reference.Sent {
		return
	}
	if c := r.claim(m.Token); c != nil && c.seq < r.finalSeq {
		return
	}
	t.breach(sentAgain, m, "%s was sent again at %s, and had been recorded as sent at %s; no trouble of another channel or hold repeats what is done",
		t.named(r), t.clock(m.startedAt()), t.clock(r.final))
}

// apartOutcome keeps the second half for a reminder whose excuse is trouble: without that of
// others it must have had one as well.
func (t *trial) apartOutcome(r *reminder) (Class, string) {
	s, ok := t.healthOf().stretchApart(r)
	if !ok {
		return Class{}, ""
	}
	return delayed, fmt.Sprintf("nothing was wrong with it from %s to %s (%s); there was trouble of others, and %s would have been enough beside it",
		t.clock(s.from), t.clock(s.to), s.to-s.from, t.need())
}

// apartFreed keeps it for a hold that was freed later than it would have been without trouble.
func (t *trial) apartFreed(v *window, from, until instant) {
	if t.healthOf().troubledApart(v, from, until) {
		return
	}
	t.about(delayed, v, "", v.leftSeq, min(v.left, t.end),
		"%s was over at %s and not freed by %s, and nothing was wrong with it; there was trouble of others, which mustn't delay it beyond sweep period %s + %s",
		t.name(v), t.clock(from), t.clock(until), t.sweep, freeSlack)
}
