package promise

import (
	"fmt"
	"slices"

	"github.com/seathold/seathold/reference"
)

// watchAccounted keeps two parts of P2: an outcome is final, except that a late sent replaces
// unknown; and a receipt is recorded, whoever holds the row by then.
func watchAccounted(t *trial, m *moment) {
	r := m.reminder
	if r != nil && m.What == settled && !m.NoEffect && m.Outcome.Verdict == reference.Sent && m.Answer != "recorded" && m.Answer != "gone" && r.outcome.Verdict != reference.Sent {
		t.breach(receiptLost, m, "%s came with a receipt at %s, was answered %s, and stays %s; a receipt is recorded, and replaces unknown",
			t.named(r), t.clock(m.now), m.Answer, r.outcome)
	}
	if r == nil || !r.outcome.Final() || !m.has(settled, "recorded") && !m.has(claimed, "settled-here") {
		return
	}
	o := m.Outcome
	if m.What == settled {
		o = doubted(o, r.doubt)
	}
	late := r.outcome.Verdict == reference.Unknown && o.Verdict == reference.Sent
	if o != r.outcome && !late {
		t.breach(replaced, m, "%s was recorded as %s at %s, and had been recorded as %s at %s; an outcome is final, except that a late sent replaces unknown",
			t.named(r), o, t.clock(m.now), r.outcome, t.clock(r.final))
	}
}

// judgeAccounted keeps the rest of P2: every window in which the hold expired has an outcome on
// every channel, nothing stays open, what is recorded is true, and what needs an excuse has one.
// The table of the end is the record; the model says when it was written, and must agree with it.
func judgeAccounted(t *trial) {
	for _, h := range t.holds {
		t.judgeHold(h)
		for v := h.windows; v != nil; v = v.next {
			for r := v.reminders; r != nil; r = r.next {
				if !t.judgeRow(r) {
					t.judgeAgreement(r)
				}
			}
		}
	}
}

// keep finds what the tables hold in the end, and makes sure that there is a reminder for every
// channel of a window in which its hold was.
func (t *trial) keep() {
	for i := range t.run.Holds {
		t.hold(t.run.Holds[i].ID).kept = &t.run.Holds[i]
	}
	for i := range t.run.Rows {
		row := &t.run.Rows[i]
		t.window(t.hold(row.Hold), at(row.ExpiresAt)).reminder(t.world, row.Channel).kept = row
	}
	for _, h := range t.holds {
		for v := h.windows; v != nil; v = v.next {
			for _, c := range h.channels {
				if v.stood {
					v.reminder(t.world, c)
				}
			}
		}
	}
}

// judgeRow judges what the table holds of r, and says whether it found something.
func (t *trial) judgeRow(r *reminder) bool {
	v := r.window
	switch {
	case r.kept == nil && (v.leftBy == expired || v.leftBy == backstop) && slices.Contains(v.hold.channels, r.channel):
		t.about(noOutcome, v, r.channel, 0, t.end, "%s has no row in the end, and the hold expired in this window at %s; then every channel has one final outcome",
			t.named(r), t.clock(v.left))
		return true
	case r.kept == nil, r.before && r.kept.Outcome == r.outcome:
		return false
	case r.kept.Open():
		return t.judgeOpen(r)
	}
	class, why := falseReason, t.lie(r, r.kept.Outcome)
	if why == "" {
		class, why = t.unexcused(r, r.kept.Outcome)
	}
	if why == "" {
		return false
	}
	when := min(r.final, t.end)
	t.about(class, v, r.channel, r.finalSeq, when, "%s was recorded as %s at %s, and %s", t.named(r), r.kept.Outcome, t.clock(when), why)
	return true
}

// judgeOpen reports a row that is open in the end, if its window is over and there was time enough
// to settle it: since it could be taken, and since the last trouble.
func (t *trial) judgeOpen(r *reminder) bool {
	v := r.window
	// No lease that was granted before the cut-off has a reason to last longer than that.
	ready := max(min(at(r.kept.LeaseUntil), v.end+micros(t.run.Setup.Policy.Lease)), at(r.kept.NotBefore), t.start)
	if v.left != never {
		ready = max(ready, v.left)
	}
	if v.stands() || !t.healed() || ready > t.swept-t.bound() {
		return false
	}
	t.about(leftOpen, v, r.channel, 0, t.end, "%s is still %s at %s, without an outcome, and its window was over at %s; in the end nothing is open",
		t.named(r), holderOf(r.kept.Token), t.clock(t.end), t.clock(min(v.left, v.end)))
	return true
}

// lie says what makes an outcome untrue, or nothing.
func (t *trial) lie(r *reminder, o reference.Outcome) string {
	f := &r.facts
	switch has := f.accepted != always || f.repeated; {
	case o.Verdict == reference.Sent && !has:
		return "the provider never accepted it"
	case o.Verdict == reference.Dropped && f.accepted != always:
		return "the provider accepted it at " + t.clock(f.accepted)
	case o.Verdict == reference.Dropped && has:
		return "the provider had accepted it before the run"
	case o.Reason == reference.Timeout && !f.unsure:
		return "every attempt had its answer"
	case o.Reason == reference.Lapsed && !f.lapsed:
		return "no lease had ended without a word"
	case o.Reason == reference.Rejected && !f.rejected:
		return "the provider never rejected it"
	case o.Reason == reference.Throttled && !f.refused:
		return "the provider never asked to wait"
	case o.Reason == reference.Stalled && !f.late:
		return "no attempt came too late"
	case o.Reason == reference.Stalled && r.final < r.window.end-t.cutoff && !t.healthOf().troubled(r.firstClaim(), r.final):
		return "the cut-off was only at " + t.clock(r.window.end-t.cutoff)
	case o.Reason == reference.Missed && f.started != always:
		return "an attempt was started at " + t.clock(f.started)
	}
	return ""
}

// unexcused says why an outcome that needs an excuse has none, or nothing.
func (t *trial) unexcused(r *reminder, o reference.Outcome) (class Class, why string) {
	switch o.Reason {
	case reference.Timeout, reference.Lapsed:
		if !r.excusesUnknown() {
			return unknownNoExcuse, fmt.Sprintf("since it was first claimed, at %s, none of its calls was struck, and no node that had claimed it; only that excuses unknown", t.clock(r.firstClaim()))
		}
		t.stats.Excused++
		return Class{}, ""
	case reference.Missed:
		class = missedNoExcuse
	case reference.Throttled:
		class = throttledExcuse
	case reference.Stalled:
		class = stalledExcuse
	default:
		return Class{}, ""
	}
	if s, ok := t.healthOf().stretch(r); ok {
		return class, fmt.Sprintf("nothing was wrong from %s to %s (%s); %s would have been enough", t.clock(s.from), t.clock(s.to), s.to-s.from, t.need())
	}
	t.stats.Excused++
	return t.apartOutcome(r)
}

// judgeAgreement reports a row that isn't what the answers to the calls make of it.
func (t *trial) judgeAgreement(r *reminder) {
	switch {
	case !r.exists && r.kept == nil:
		return
	case r.exists && r.kept != nil && r.outcome == r.kept.Outcome && (!r.open() || r.token == r.kept.Token):
		return
	}
	model, table := "no row", "no row"
	if r.exists {
		model = r.outcome.String()
	}
	if r.kept != nil {
		table = r.kept.Outcome.String()
	}
	if r.open() && r.kept != nil && r.kept.Open() {
		model, table = holderOf(r.token), holderOf(r.kept.Token)
	}
	if model != table {
		t.about(tableDisagrees, r.window, r.channel, 0, t.end, "%s: by all answers it is %s in the end, and by the table %s; a table holds what was answered",
			t.named(r), model, table)
	}
}

// judgeHold reports a hold that isn't what the answers make of it.
func (t *trial) judgeHold(h *hold) {
	if h.kept == nil && !h.exists || h.kept != nil && h.exists && h.kept.State == h.state && at(h.kept.ExpiresAt) == h.current.end {
		return
	}
	model, table, v := "not there", "not there", h.current
	if h.exists {
		model = fmt.Sprintf("%s until %s", h.state, t.clock(h.current.end))
	} else {
		v = t.window(h, at(h.kept.ExpiresAt))
	}
	if h.kept != nil {
		table = fmt.Sprintf("%s until %s", h.kept.State, t.clock(at(h.kept.ExpiresAt)))
	}
	t.about(tableDisagrees, v, "", 0, t.end, "%s: by all answers it is %s in the end, and by the table %s; a table holds what was answered", h.id, model, table)
}
