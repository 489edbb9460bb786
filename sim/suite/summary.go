package suite

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/report"
)

// namedMax is how many scenarios a summary names.
const namedMax = 8

// Summary is the end of a suite: numbers, and of several scenarios those that failed and where to begin.
func (r Runner) Summary(w io.Writer, outcomes []Outcome, took time.Duration) {
	results := make([]report.Result, len(outcomes))
	var failed []string
	var first Outcome
	for i, o := range outcomes {
		results[i] = o.Result
		if o.OK() {
			continue
		}
		if len(failed) == 0 {
			first = o
		}
		failed = append(failed, fmt.Sprintf("%s (%s)", o.Result.Scenario, o.Broken()))
	}
	fmt.Fprintln(w, report.Summary(results, took))
	if len(failed) == 0 || len(outcomes) == 1 {
		return
	}
	if more := len(failed) - namedMax; more > 0 {
		failed = append(failed[:namedMax], fmt.Sprintf("… %d more", more))
	}
	fmt.Fprintf(w, "failed: %s\n", strings.Join(failed, " "))
	command := cmp.Or(r.Program, "holdsim") + " run "
	if r.Flags != "" {
		command += r.Flags + " "
	}
	fmt.Fprintf(w, "begin with: %s%s\n", command, first.Scenario.File)
}

// Broken names the promises that were broken, or, where none was, what failed.
func (o Outcome) Broken() string {
	var promises, kinds []string
	for _, f := range o.Failures {
		if f.Promise != "" {
			promises = append(promises, f.Promise)
		}
		kinds = append(kinds, string(f.Kind))
	}
	all := promises
	if len(all) == 0 {
		all = kinds
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}
