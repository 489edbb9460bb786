package promise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// startsMax bounds how many starts of a stretch are tried for one reminder. Beyond it the slots
// count as overloaded.
const startsMax = 1000

// bound is B: how long a healthy stretch must be for a reminder to be sent in it.
func (r *rules) bound() instant { return r.sweep + r.visibility + r.channels*r.send }

// need gives B with its arithmetic.
func (r *rules) need() string {
	return fmt.Sprintf("B = sweep period %s + visibility %s + %d channels × send timeout %s = %s", r.sweep, r.visibility, r.channels, r.send, r.bound())
}

// stretch finds the first healthy stretch of length B in which r could have been sent: then it has
// no excuse.
func (x *health) stretch(r *reminder) (spell, bool) {
	return x.healthy(x.calm, r.facts.waits, r, func(s instant) bool {
		cost, _ := x.work.waiting(s, x.joining())
		return cost <= x.room()
	})
}

// stretchApart is stretch without the trouble of others.
func (x *health) stretchApart(r *reminder) (spell, bool) {
	if !x.particular {
		return spell{}, false
	}
	own := append(x.named(r.window.hold, r), r.facts.waits...)
	slices.SortFunc(own, func(a, b spell) int { return cmp.Compare(a.from, b.from) })
	return x.healthy(x.calmFor(r.channel), own, r, func(s instant) bool {
		cost, waiting := x.work.waiting(s, x.joining())
		return cost+x.foreign(s, s+x.bound(), r.channel, waiting) <= x.room()
	})
}

// joining is how long after a stretch's start work can still get ahead of a reminder: until then,
// its own message was published anew or became visible again.
func (r *rules) joining() instant { return max(r.sweep, r.visibility) }

// room is how much work the slots can do in the rest of a stretch.
func (r *rules) room() instant { return r.slots * (r.bound() - r.joining()) }

// healthy finds the first stretch of length B in the calm times, and without any spell of its own,
// both in order, in which r's window stood, r was due, and the work that was there fits.
func (x *health) healthy(calm, own []spell, r *reminder, fits func(instant) bool) (spell, bool) {
	v := r.window
	if !v.stood || x.sweep <= 0 {
		return spell{}, false
	}
	from, to := max(v.began, v.end-x.lead, x.start), min(v.end-x.cutoff, v.left)
	for _, c := range calm[firstFrom(calm, from):] {
		if c.from >= to {
			break
		}
		if s, ok := x.piece(spell{max(from, c.from), min(to, c.to)}, own, fits); ok {
			return s, true
		}
	}
	return spell{}, false
}

// piece looks for a stretch in a piece of time without general trouble.
func (x *health) piece(p spell, own []spell, fits func(instant) bool) (spell, bool) {
	for _, o := range own {
		if o.to < p.from {
			continue
		}
		if s, ok := x.startIn(spell{p.from, min(p.to, o.from)}, fits); ok {
			return s, true
		}
		if o.to >= p.to {
			return spell{}, false
		}
		p.from = max(p.from, o.to)
	}
	return x.startIn(p, fits)
}

// startIn finds where in a healthy piece a stretch may start. What waits grows less only when some
// of it ends, so that those times are all that need be tried beside the beginning.
func (x *health) startIn(p spell, fits func(instant) bool) (spell, bool) {
	last := p.to - x.bound()
	if p.from > last {
		return spell{}, false
	}
	if fits(p.from) {
		return p, true
	}
	ends := x.work.done.times
	i, _ := slices.BinarySearch(ends, p.from+1)
	for tried := 0; i < len(ends) && ends[i] <= last && tried < startsMax; i++ {
		if i > 0 && ends[i] == ends[i-1] {
			continue
		}
		tried++
		if fits(ends[i]) {
			return spell{ends[i], p.to}, true
		}
	}
	return spell{}, false
}

// lastTrouble is when the last trouble ended: never, if one didn't, and always, if there was none.
// What the broker set aside doesn't count: a pipeline could burn its receives for ever, and so put
// off for ever what must happen in the end.
func (w *world) lastTrouble() instant {
	last := always
	for i := range w.troubles {
		if t := &w.troubles[i]; !strings.HasPrefix(t.fault, "set aside ") {
			last = max(last, t.to)
		}
	}
	return last
}

// healed says that the world ran on after the last trouble for as long as it should.
func (w *world) healed() bool { return w.lastTrouble() <= w.swept-w.backstop-2*w.sweep }

// firstClaim is when r was first granted.
func (r *reminder) firstClaim() instant {
	first := always
	for c := r.claims; c != nil; c = c.next {
		first = c.at
	}
	return first
}

// excusesUnknown says whether something can have kept the word of one of r's claims from coming: one
// of its calls was struck, or its node was, before it lapsed.
func (r *reminder) excusesUnknown() bool {
	for c := r.claims; c != nil; c = c.next {
		until := min(c.lease, r.final)
		if c.struck || slices.ContainsFunc(c.node.hits, func(hit instant) bool { return c.at <= hit && hit <= until }) {
			return true
		}
	}
	return false
}
