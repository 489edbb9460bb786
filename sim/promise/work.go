package promise

import (
	"cmp"
	"slices"
)

// work is what waits to be sent, and when: the demand of the world, whatever the pipeline did.
type work struct{ due, done tally }

// tally is a list of times in order, each with what it adds; sums are those of all before.
type tally struct {
	times []instant
	sums  []instant
}

// newWork takes every reminder that was waiting at some time.
func newWork(w *world) work {
	type load struct{ at, cost instant }
	var due, done []load
	for _, h := range w.holds {
		for v := h.windows; v != nil; v = v.next {
			if !v.stood {
				continue
			}
			from, to := max(v.end-w.lead, v.began, w.start), v.end-w.cutoff
			for r := v.reminders; r != nil; r = r.next {
				until := min(to, r.final)
				if r.claims == nil || r.claims.at > v.left { // what had begun by then goes on
					until = min(until, v.left)
				}
				if from < until {
					c := w.cost(r.channel)
					due, done = append(due, load{from, c}), append(done, load{until, c})
				}
			}
		}
	}
	tallied := func(loads []load) tally {
		slices.SortFunc(loads, func(a, b load) int { return cmp.Compare(a.at, b.at) })
		out := tally{make([]instant, len(loads)), make([]instant, len(loads)+1)}
		for i, l := range loads {
			out.times[i], out.sums[i+1] = l.at, out.sums[i]+l.cost
		}
		return out
	}
	return work{tallied(due), tallied(done)}
}

// before gives the cost and the number of what is before s.
func (t *tally) before(s instant) (cost, n instant) {
	i, _ := slices.BinarySearch(t.times, s)
	return t.sums[i], instant(i)
}

// waiting gives the cost and the number of what waits at s, or joins it before s + soon.
func (k *work) waiting(s, soon instant) (cost, n instant) {
	came, i := k.due.before(s + soon)
	went, j := k.done.before(s + 1)
	return came - went, i - j
}
