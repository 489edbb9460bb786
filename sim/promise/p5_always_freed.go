package promise

import "time"

// freeSlack is what P5 allows beside the sweep period.
const freeSlack = instant(30 * time.Second / time.Microsecond)

// judgeFreed keeps P5: every hold still held at its expires_at is expired or cancelled in time,
// whatever became of its reminder, its message or the broker. Heal is the end of the last trouble
// that the hold lived through: a piece of trouble which begins only after the bound of all before
// it doesn't move it.
func judgeFreed(t *trial) {
	if t.sweep <= 0 {
		return
	}
	for _, h := range t.holds {
		for v := h.windows; v != nil; v = v.next {
			if v.stood && v.left >= v.end && v.end < t.swept {
				t.judgeFree(v)
			}
		}
	}
}

func (t *trial) judgeFree(v *window) {
	from := max(v.end, v.began, t.start)
	soon := from + t.sweep + freeSlack
	if min(v.left, t.swept) <= soon {
		return
	}
	x := t.healthOf()
	if !x.troubled(from, soon) && !x.overloaded(from, soon, false) {
		t.notFreed(v, soon, "nothing was down, so sweep period %s + %s was enough", t.sweep, freeSlack)
		return
	}
	length := t.backstop + t.sweep + freeSlack
	heal := x.heal(from, length)
	if heal == never {
		return
	}
	bound := heal + length
	if min(v.left, t.swept) > bound {
		t.notFreed(v, bound, "backstop %s + sweep period %s + %s after heal, at %s, was enough", t.backstop, t.sweep, freeSlack, t.clock(heal))
		return
	}
	t.apartFreed(v, from, soon)
}

func (t *trial) notFreed(v *window, bound instant, why string, args ...any) {
	args = append([]any{t.name(v), t.clock(v.end)}, args...)
	if v.left == never {
		args = append(args, t.clock(t.swept), t.clock(bound))
		t.about(neverFreed, v, "", 0, t.swept, "%s was over at %s; "+why+", and at %s it is still held; it was to be freed by %s", args...)
		return
	}
	args = append(args, t.clock(v.left), t.clock(bound))
	t.about(freedLate, v, "", v.leftSeq, v.left, "%s was over at %s; "+why+", and it was freed at %s; it was to be freed by %s", args...)
}
