package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seathold/seathold/sim/trace"
)

// listMax is how many holds are named one by one.
const listMax = 8

// quietSweep tells of a sweep that did nothing, where it starts.
func (t *teller) quietSweep(e trace.Event) {
	switch why := t.quiet[e.Who]; {
	case e.What != trace.SweepStart:
	case why == foundNothing:
		t.lines = append(t.lines, line{at: e.At, last: e.At, who: []string{e.Who}, sentence: why, shape: why, sweep: sweepNumber(e.Who)})
	default:
		t.addWords(e, func(voice) string { return why })
	}
}

// page tells what a sweep found together with what it published of it, if that was all at once.
func (t *teller) page(i int) {
	e := t.events[i]
	var publishes []int
	for j := i + 1; j < len(t.events) && len(publishes) < e.N; j++ {
		switch p := t.events[j]; {
		case p.Who != e.Who:
			continue
		case p.What == sweepPublish && p.Kind == e.Kind:
			publishes = append(publishes, j)
			t.Note(p)
			continue
		}
		break
	}
	if len(publishes) < e.N {
		t.addWords(e, func(v voice) string { return v.sentence(e) })
		return
	}
	first := t.events[publishes[0]]
	atOnce := slices.Equal(t.alike(publishes[0]), publishes) && first.Answer == accepted && Plain(first) && first.At.Equal(e.At)
	t.addWords(e, func(v voice) string {
		text := fmt.Sprintf("finds %s %s", e.Kind, v.holds(t.events, publishes))
		if atOnce {
			text += ", publishes " + v.messages(t.events, publishes)
		}
		return text
	})
	if atOnce {
		for _, j := range publishes {
			t.told[j] = true
		}
	}
}

// alike gives the publishes, or backstops, from i on that had the same fate at the same time. What
// workers and providers do in between at that instant doesn't part them.
func (t *teller) alike(i int) []int {
	e := t.events[i]
	var group []int
	for j := i; j < len(t.events) && t.events[j].At.Equal(e.At); j++ {
		switch n := t.events[j]; {
		case sameFate(n, e):
			group = append(group, j)
		case n.Who == e.Who || role(n) != "worker " && n.What != trace.Accepted && n.What != trace.Collapsed:
			return group
		}
	}
	return group
}

func sameFate(a, b trace.Event) bool {
	return a.Who == b.Who && a.What == b.What && a.Kind == b.Kind && (a.Hold == "") == (b.Hold == "") &&
		a.Answer == b.Answer && a.Err == b.Err && a.Fault == b.Fault && a.NoEffect == b.NoEffect
}

func (t *teller) take(group []int) {
	for _, j := range group {
		t.told[j] = true
		t.Note(t.events[j])
	}
}

func (t *teller) batch(i int) {
	e, group := t.events[i], t.alike(i)
	t.take(group)
	if len(group) == 1 {
		t.addWords(e, func(v voice) string { return v.sentence(e) })
		return
	}
	t.addWords(e, func(v voice) string {
		text := fmt.Sprintf("publishes %s %s", e.Kind, v.holds(t.events, group))
		answer := publishAnswer(v, e)
		switch {
		case e.NoEffect:
		case e.Answer == accepted:
			text += " as " + v.messages(t.events, group)
		case e.Answer == duplicate:
			answer = "duplicates of " + v.messages(t.events, group)
		}
		return fate(text, answer, e)
	})
}

func (t *teller) backstop(i int) {
	group := t.alike(i)
	t.take(group)
	t.addWords(t.events[i], func(v voice) string {
		return fate("expires "+v.holds(t.events, group)+" as backstop", "", t.events[i])
	})
}

func (v voice) holds(events []trace.Event, of []int) string {
	names := make([]string, 0, len(of))
	for _, i := range of {
		names = append(names, v.hold(events[i]))
	}
	return v.list(names)
}

func (v voice) messages(events []trace.Event, of []int) string {
	names := make([]string, 0, len(of))
	for _, i := range of {
		names = append(names, v.message(events[i]))
	}
	return strings.TrimSuffix(v.list(names), fmt.Sprintf(" (%d)", len(of)))
}

// list names up to eight, and of more the first two, the last and how many.
func (v voice) list(names []string) string {
	if v.detail == shape {
		return "S"
	}
	if n := len(names); n > listMax {
		return fmt.Sprintf("%s %s … %s (%d)", names[0], names[1], names[n-1], n)
	}
	return strings.Join(names, " ")
}

// quietSweeps says of the sweeps that came and went within these events and did nothing why: they
// found nothing, or one fault struck all their calls.
func quietSweeps(events []trace.Event) map[string]string {
	quiet := map[string]string{}
	runs := map[string]*sweepRun{}
	for _, e := range events {
		if !strings.HasPrefix(e.Who, "sweep#") {
			continue
		}
		r := runs[e.Who]
		if r == nil {
			r = &sweepRun{}
			runs[e.Who] = r
		}
		r.take(e)
		if e.What == trace.SweepEnd && e.N == 0 && r.started && !r.eventful {
			switch {
			case r.struck == "" && e.Answer == whole:
				quiet[e.Who] = foundNothing
			case r.struck != "" && !r.answered:
				quiet[e.Who] = r.struck
			}
		}
	}
	return quiet
}

const foundNothing = "finds nothing"

// sweepRun is what is known of a sweep so far.
type sweepRun struct {
	started, answered, eventful bool
	// struck tells of the one fault that struck its calls.
	struck string
}

func (r *sweepRun) take(e trace.Event) {
	call := e.What == sweepRecord || (e.What == sweepDue || e.What == sweepBackstop) && e.N == 0 && e.Hold == ""
	switch {
	case e.What == trace.SweepStart:
		r.started = Plain(e)
	case e.What == trace.SweepEnd && Plain(e):
	case call && Plain(e):
		r.answered = true
	case call && e.NoEffect:
		e.NoEffect = false
		struck := fate("gets nowhere", "", e)
		r.eventful = r.eventful || r.struck != "" && r.struck != struck
		r.struck = struck
	default:
		r.eventful = true
	}
}

func sweepNumber(who string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(who, "sweep#"))
	if err != nil {
		return 0
	}
	return n
}
