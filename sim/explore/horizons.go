package explore

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// edge is a time at which something is forgotten, or begins to count otherwise.
type edge struct {
	kind string
	at   time.Time
}

// step is the least that times can differ by.
const step = time.Microsecond

// Horizons gives the cases in which something is done one step before an edge, at it, and one step
// after: by people and operators, by a cron that ticks then, by what was held up until then; and in
// which two things are done at the first two edges of every two kinds.
func Horizons(b *Base) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		edges := b.edges()
		for _, e := range edges {
			for _, t := range []time.Time{e.at.Add(-step), e.at, e.at.Add(step)} {
				for _, p := range b.probes(t) {
					if !yield(b.probed(e.kind, p)) {
						return
					}
				}
			}
		}
		for i, e := range edges {
			for _, f := range edges[i+1:] {
				if e.kind != f.kind && b.firstOf(edges, e) && b.firstOf(edges, f) && !b.pairAt(e, f, yield) {
					return
				}
			}
		}
	}
}

// firstOf says that e is the first of its kind.
func (b *Base) firstOf(edges []edge, e edge) bool {
	return edges[slices.IndexFunc(edges, func(f edge) bool { return f.kind == e.kind })] == e
}

// pairAt does two things, one at each edge or just beside it.
func (b *Base) pairAt(e, f edge, yield func(Case) bool) bool {
	for _, de := range []time.Duration{-step, 0, step} {
		for _, df := range []time.Duration{-step, 0, step} {
			for _, p := range b.brief(e.at.Add(de)) {
				for _, q := range b.brief(f.at.Add(df)) {
					if !yield(b.probed(e.kind+", "+f.kind, p, q)) {
						return false
					}
				}
			}
		}
	}
	return true
}

// edges are those of a base's run, in the order of time, each once.
func (b *Base) edges() []edge {
	var all []edge
	add := func(kind string, at time.Time) {
		if at.After(b.Start.Add(step)) && at.Before(b.End()) {
			all = append(all, edge{kind, at})
		}
	}
	for _, h := range b.Holds {
		b.edgesOf(h.ExpiresAt, add)
	}
	for i := range b.Events {
		e := &b.Events[i]
		if e.What == trace.Ended {
			break
		}
		b.edgesAfter(e, add)
	}
	slices.SortFunc(all, func(a, b edge) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.kind, b.kind)) })
	return slices.CompactFunc(all, func(a, b edge) bool { return a.kind == b.kind && a.at.Equal(b.at) })
}

// edgesOf are those of a window.
func (b *Base) edgesOf(end time.Time, add func(string, time.Time)) {
	p := b.Policy
	due := end.Add(-p.Lead)
	add("lead", due)
	add("cut-off", end.Add(-p.Cutoff))
	add("end", end)
	add("backstop", end.Add(p.Backstop))
	for age := time.Duration(0); age < p.Lead; {
		age = reference.NextKeyAge(age, p.Renominate, p.Backstop)
		add("renominate", due.Add(age))
	}
}

// edgesAfter are those that begin with an event.
func (b *Base) edgesAfter(e *trace.Event, add func(string, time.Time)) {
	p := b.Policy
	switch {
	case e.NoEffect:
	case e.What == trace.SweepStart:
		add("cron gap", e.At)
	case e.What == trace.What(faults.SweepPublish) && e.Answer == "accepted":
		add("dedup", e.At.Add(b.Queue.Dedup))
		add("retention", e.At.Add(b.Queue.Retention))
	case e.What == trace.What(faults.WorkerReceive):
		add("visibility", e.At.Add(p.Visibility))
	case e.What == trace.What(faults.WorkerNack), e.What == trace.What(faults.WorkerRelease):
		if !e.Until.IsZero() {
			add("not before", e.Until)
		}
	case e.What == trace.What(faults.WorkerClaim) && e.Answer == string(reference.Granted):
		add("lease", e.Until)
		for _, v := range b.Providers {
			if v.Channel == e.Channel && v.Keys > 0 {
				add("key", e.At.Add(v.Keys))
				add("retake", e.At.Add(v.Keys-p.Lease-p.SendTimeout))
			}
		}
	}
}

// probe is one thing more that is done: a fault line, or something that somebody does.
type probe struct {
	line string
	do   *script.Do
}

func (p probe) words(b *Base) string {
	if p.do == nil {
		return "fault " + p.line
	}
	return fmt.Sprintf("at %s %s", b.offset(p.do.At), strings.TrimSpace(p.do.Verb+" "+string(p.do.Hold)))
}

// probes are all that can be done at one time.
func (b *Base) probes(t time.Time) []probe {
	all := b.brief(t)
	for _, verb := range []string{"cancel", "extend", "purge"} {
		for _, do := range b.doings(verb, t) {
			all = append(all, probe{do: &do})
		}
	}
	return append(all, b.heldUp(t)...)
}

// brief are those that matter most.
func (b *Base) brief(t time.Time) []probe {
	all := []probe{{do: &script.Do{At: t, Verb: "redrive"}}, {do: &script.Do{At: t, Verb: "sweep"}}}
	for _, do := range b.doings("confirm", t) {
		all = append(all, probe{do: &do})
	}
	return all
}

// heldUp has every call that the base makes before t go on at t: its node stalls, or comes back from
// a crash, its message is delayed, or a cron paused.
func (b *Base) heldUp(t time.Time) []probe {
	var all []probe
	seen := map[string]int{}
	for i := range b.Moments {
		m := &b.Moments[i]
		key := string(m.Phase) + "=" + m.Point.Short()
		if m.Role != "worker" {
			key = m.Role + " " + key
		}
		seen[key]++
		gap := t.Sub(m.At)
		if gap <= 0 || gap > b.Policy.Backstop || m.Hold == "" {
			continue
		}
		by, nth := faults.FormatDuration(gap), seen[key]
		switch {
		case m.Role == "worker" && m.Phase == faults.Before:
			all = append(all, probe{line: fmt.Sprintf("stall worker %s nth=%d by=%s", key, nth, by)})
		case m.Role == "worker" && m.Phase == faults.In:
			all = append(all, probe{line: fmt.Sprintf("crash worker %s nth=%d restart=%s", key, nth, by)})
		case m.Point == faults.SweepPublish && m.Phase == faults.In:
			all = append(all, probe{line: fmt.Sprintf("delay in=publish nth=%d by=%s", nth, by)})
		}
	}
	if from := t.Add(-2 * time.Minute); from.After(b.Start) {
		all = append(all, probe{line: "pause cron " + b.span(from, 2*time.Minute)})
	}
	return all
}

// probed is the base with what is done more.
func (b *Base) probed(kinds string, all ...probe) Case {
	var words []string
	for _, p := range all {
		words = append(words, p.words(b))
	}
	return Case{Name: fmt.Sprintf("%s, around %s: %s", b.Name, kinds, strings.Join(words, ", ")), Again: "-horizons " + b.Ref, make: func() (*script.Scenario, error) {
		s := b.Scenario
		for _, p := range all {
			on := &Base{Scenario: s}
			if p.do != nil {
				s = on.doing(*p.do)
				continue
			}
			var err error
			if s, _, err = on.with(p.line); err != nil {
				return nil, err
			}
		}
		return s, nil
	}}
}
