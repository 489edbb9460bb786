package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/trace"
)

// Coverage says in how many runs which kind of fault struck at which moment of which call. The zero
// value is none.
type Coverage struct{ runs map[strike]int }

type strike struct {
	kind faults.Kind
	cell
}

// inTime is the cell of what strikes no call: a clock, cron, or a node at an instant.
var inTime = cell{}

func (c cell) String() string {
	if c == inTime {
		return "at a time"
	}
	return fmt.Sprintf("%s=%s", c.phase, c.point.Short())
}

// reach are the cells that a kind can strike at all.
func reach(k faults.Kind) []cell {
	var all []cell
	switch k {
	case faults.Reject, faults.Throttle:
		return []cell{{faults.Before, faults.ProviderSend}}
	case faults.Outage:
		for _, p := range faults.Points() {
			all = append(all, cell{faults.Before, p})
		}
		return all
	case faults.Lock:
		for _, p := range faults.Points() {
			if p.LocksHold() {
				all = append(all, cell{faults.Before, p})
			}
		}
		return all
	case faults.Crash, faults.Stall:
		return append(cells(k), inTime)
	}
	if all = cells(k); len(all) == 0 {
		all = []cell{inTime}
	}
	return all
}

func (c *Coverage) add(t *trial.Trial) {
	for _, step := range t.Scenario.Steps {
		f := step.Fault
		if f == nil || !t.Fired(f) {
			continue
		}
		switch {
		case f.Kind == faults.Outage, f.Kind == faults.Lock:
			for _, at := range metBy(t.Run.Trace.Events, f.String()) {
				c.count(strike{f.Kind, at}, 1)
			}
		case f.Kind == faults.Reject, f.Kind == faults.Throttle:
			c.count(strike{f.Kind, reach(f.Kind)[0]}, 1)
		default:
			c.count(strike{f.Kind, cell{f.Phase, f.Point}}, 1)
		}
	}
}

// metBy are the calls that met the fault of that line, each once.
func metBy(events []trace.Event, line string) []cell {
	var all []cell
	for i := range events {
		e := &events[i]
		point := faults.Point(e.What)
		if e.Fault == "" || point.Short() == "" || !slices.Contains(strings.Split(e.Fault, " + "), line) {
			continue
		}
		if at := (cell{faults.Before, point}); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

func (c *Coverage) count(s strike, n int) {
	if c.runs == nil {
		c.runs = map[strike]int{}
	}
	c.runs[s] += n
}

func (c *Coverage) merge(other Coverage) {
	for s, n := range other.runs { // any order: sums
		c.count(s, n)
	}
}

// kinds are those that struck something.
func (c *Coverage) kinds() []faults.Kind {
	return slices.DeleteFunc(faults.Kinds(), func(k faults.Kind) bool {
		return !slices.ContainsFunc(reach(k), func(at cell) bool { return c.runs[strike{k, at}] > 0 })
	})
}

// Missing are the moments at which a kind of fault that was tried can strike, and never did, as in
// crash in=claim.
func (c *Coverage) Missing() []string {
	missing := []string{}
	for _, k := range c.kinds() {
		for _, at := range reach(k) {
			if c.runs[strike{k, at}] == 0 {
				missing = append(missing, fmt.Sprintf("%s %s", k, at))
			}
		}
	}
	return missing
}

// Table gives a line for every moment of a call, with a column for every kind that was tried: in how
// many runs it struck there; a dot where it can't.
func (c *Coverage) Table() []string {
	tried := c.kinds()
	if len(tried) == 0 {
		return []string{"no fault struck"}
	}
	head := fmt.Sprintf("%-20s", "struck")
	for _, k := range tried {
		head += fmt.Sprintf(" %*s", width(k), k)
	}
	lines := []string{head}
	for _, at := range rows() {
		line, reached := fmt.Sprintf("%-20s", at), false
		for _, k := range tried {
			word := "."
			if slices.Contains(reach(k), at) {
				word, reached = fmt.Sprint(c.runs[strike{k, at}]), true
			}
			line += fmt.Sprintf(" %*s", width(k), word)
		}
		if reached {
			lines = append(lines, line)
		}
	}
	return lines
}

func width(k faults.Kind) int { return max(len(k), 6) }

// rows are all moments of all calls, in the order of the pipeline, and then what strikes none.
func rows() []cell {
	var all []cell
	for _, p := range faults.Points() {
		for _, phase := range []faults.Phase{faults.Before, faults.In, faults.After} {
			all = append(all, cell{phase, p})
		}
	}
	return append(all, inTime)
}
