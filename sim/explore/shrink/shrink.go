// Package shrink makes a failing scenario small: it takes away and simplifies as long as the run
// still breaks the same promise in the same way, and prints what is left as a file ready to save.
//
// Every candidate is printed, parsed and run as a person would run the file, so that what is found
// needs neither the search nor its seed.
package shrink

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/promise"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/script/format"
	"github.com/seathold/seathold/sim/script/lines"
)

// AttemptsMax is how many runs shrinking may take where nothing else is said.
const AttemptsMax = 4000

// Result is what is left.
type Result struct {
	Scenario  *script.Scenario
	Violation promise.Violation
	// Attempts is how many runs it took; Ended says that they were enough, and nobody ended it.
	Attempts int
	Ended    bool
	// Before and After count directives.
	Before, After int
}

// Shrink makes s small, or smaller, if ctx ends before. It is an error if s doesn't break the promise in
// that way by itself.
func Shrink(ctx context.Context, u trial.Subject, s *script.Scenario, b trial.Broken, attemptsMax int) (*Result, error) {
	if attemptsMax <= 0 {
		attemptsMax = AttemptsMax
	}
	k := &shrinker{ctx: ctx, subject: u, broken: b, left: attemptsMax, s: bare(s)}
	before := Directives(s)
	if !k.fails(k.s) {
		return nil, fmt.Errorf("%s doesn't break %s when it is run by itself", s.Name, b)
	}
	for again := true; again && k.more(); {
		again = false
		for _, pass := range passes {
			again = pass(k) || again
		}
	}
	k.lastRun()
	return &Result{
		Scenario: k.s, Violation: k.violation, Attempts: attemptsMax - k.left, Ended: k.more(),
		Before: before, After: Directives(k.s),
	}, nil
}

// shrinker holds the smallest scenario so far that fails.
type shrinker struct {
	ctx       context.Context
	subject   trial.Subject
	broken    trial.Broken
	s         *script.Scenario
	violation promise.Violation
	left      int
}

// more says that there may be more runs.
func (k *shrinker) more() bool { return k.left > 0 && k.ctx.Err() == nil }

// passes are tried in turn until none of them helps: what takes away the most comes first.
var passes = []func(*shrinker) bool{
	(*shrinker).otherHolds, (*shrinker).steps, (*shrinker).rows, (*shrinker).runs, (*shrinker).policy, (*shrinker).world,
	(*shrinker).nodes, (*shrinker).holdValues, (*shrinker).faultWords, (*shrinker).times, (*shrinker).names,
}

// shownMax is how long after the start a file still runs by itself to what it shows.
const shownMax = 30 * time.Minute

// lastRun has the file run until what it shows has happened, up to the next whole minute. What was
// noticed long after is left to how every run comes to rest.
func (k *shrinker) lastRun() {
	until := k.violation.At.Add(time.Minute - 1).Truncate(time.Minute)
	last := -1
	for i, step := range k.s.Steps {
		if step.Run != nil {
			last = i
		}
	}
	if last < 0 || !until.After(k.s.Steps[last].Run.Until) || until.Sub(k.s.Start) > shownMax {
		return
	}
	k.try(func(s *script.Scenario) { s.Steps[last].Run.Until = until })
}

// try makes a candidate, and takes it if it fails in the same way.
func (k *shrinker) try(change func(*script.Scenario)) bool {
	if !k.more() {
		return false
	}
	s := clone(k.s)
	change(s)
	return k.fails(s)
}

// fails runs a candidate, and keeps it if it breaks the promise in the same way.
func (k *shrinker) fails(s *script.Scenario) bool {
	parsed, ok := reparse(s)
	if !ok {
		return false
	}
	k.left--
	t, err := k.subject.Run(parsed)
	if err != nil {
		return false
	}
	v, broke := t.Broke(k.broken)
	if !broke {
		return false
	}
	k.s, k.violation = parsed, v
	return true
}

// reparse prints and parses a scenario. One that is too long for a file is taken as it is.
func reparse(s *script.Scenario) (*script.Scenario, bool) {
	if tooLong(s) {
		return s, true
	}
	parsed, err := script.Parse(s.File, format.Text(s))
	return parsed, err == nil
}

func tooLong(s *script.Scenario) bool {
	return len(s.Holds)+len(s.Rows)+len(s.Steps) > lines.LinesMax-20
}

// bare leaves out what judges and tells this very run.
func bare(s *script.Scenario) *script.Scenario {
	c := clone(s)
	kept := c.Steps[:0]
	for _, step := range c.Steps {
		if step.Expect == nil && step.Golden == nil && step.Show == nil {
			step.Stanza = 1
			kept = append(kept, step)
		}
	}
	c.Steps = kept
	return c
}

// Directives counts the lines of a scenario that say something, in as few words as it can be said:
// steps, settings that aren't the default, and a table as one.
func Directives(s *script.Scenario) int {
	if _, ok := reparse(s); !ok || tooLong(s) {
		return len(s.Steps) + 7 // all settings, and the table of holds
	}
	n := 0
	for line := range strings.Lines(string(Compact(s))) {
		if line != "\n" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "#") {
			n++
		}
	}
	return n
}
