package explore

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
)

// pairKinds are the kinds that are tried one after another, in one variant each.
var pairKinds = []struct {
	kind faults.Kind
	rest string
}{
	{faults.Crash, ""}, {faults.Ambiguous, ""}, {faults.Duplicate, ""}, {faults.Lose, ""}, {faults.Stall, "by=25s"},
}

// Pairs gives the cases that are a base with two faults more, one after the other: the second at
// every moment that there is once the first has struck.
func Pairs(b *Base) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for _, k := range pairKinds {
			for _, c := range cells(k.kind) {
				role := roleOf(k.kind, c, k.rest)
				for i := 1; i <= b.count(c.phase, c.point, role); i++ {
					line := strings.TrimSpace(fmt.Sprintf("%s %s=%s nth=%d %s", k.kind, c.phase, c.point.Short(), i, k.rest))
					if !yield(b.first(line, c, role, i)) {
						return
					}
				}
			}
		}
	}
}

// roleOf is whose calls a line strikes which names nobody.
func roleOf(k faults.Kind, c cell, rest string) string {
	f, err := faults.ParseLine(fmt.Sprintf("%s %s=%s %s", k, c.phase, c.point.Short(), rest))
	if err != nil {
		panic(err) // cells has just parsed it
	}
	return f.Who
}

// first is the base with the first fault, and what follows from it.
func (b *Base) first(line string, at cell, role string, nth int) Case {
	c := b.fault(line)
	c.Again = "-pairs " + b.Ref
	c.then = func(t *trial.Trial, moments []faults.Moment) []Case {
		struck := strikesAt(moments, at, role, nth)
		return b.seconds(line, moments, struck)
	}
	return c
}

// strikesAt is the index of the moment that is struck.
func strikesAt(moments []faults.Moment, at cell, role string, nth int) int {
	for i := range moments {
		if at.has(&moments[i], role) {
			if nth--; nth == 0 {
				return i
			}
		}
	}
	return len(moments)
}

func (c cell) has(m *faults.Moment, role string) bool {
	return m.Phase == c.phase && m.Point == c.point && (role == "" || m.Role == role)
}

// settled is how long after the last thing that had to do with a hold a second fault is still tried:
// what a sweep that finds nothing meets is met by the first faults.
const settled = time.Minute

// seconds are the cases with a second fault at every moment after the first one's.
func (b *Base) seconds(first string, moments []faults.Moment, struck int) []Case {
	var all []Case
	last := b.Start
	for i := range moments {
		if moments[i].Hold != "" {
			last = moments[i].At
		}
	}
	last = last.Add(settled)
	for _, k := range pairKinds {
		for _, c := range cells(k.kind) {
			role, n := roleOf(k.kind, c, k.rest), 0
			for i := range moments {
				if !c.has(&moments[i], role) {
					continue
				}
				if n++; i <= struck || moments[i].At.After(last) {
					continue
				}
				all = append(all, b.second(first, strings.TrimSpace(fmt.Sprintf("%s %s=%s nth=%d %s", k.kind, c.phase, c.point.Short(), n, k.rest))))
			}
		}
	}
	return all
}

func (b *Base) second(first, line string) Case {
	return Case{Name: fmt.Sprintf("%s, fault %s, fault %s", b.Name, first, line), Again: "-pairs " + b.Ref, make: func() (*script.Scenario, error) {
		one, _, err := b.with(first)
		if err != nil {
			return nil, err
		}
		two, _, err := (&Base{Scenario: one}).with(line)
		return two, err
	}}
}
