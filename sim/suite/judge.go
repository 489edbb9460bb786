// Package suite runs scenarios as CI wants them run: twice, on one store or on both, and judged. The
// holdsim command and the test in scenarios share it.
package suite

import (
	"fmt"
	"slices"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/promise"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/script/lines"
)

// Judge gives all that is wrong with a run, by the promises, the scenario's expectations and its
// golden text.
func Judge(s *script.Scenario, r *sim.Result) []report.Failure {
	failures := slices.Concat(judgePromises(s, r), judgeExpectations(s, r), judgeDeeds(s, r))
	told := Tell(s, r)
	for i, step := range s.Steps {
		if step.Golden != nil && !slices.Equal(step.Golden.Lines, told[i]) {
			failures = append(failures, report.GoldenDiffers(step, told[i]))
		}
	}
	return failures
}

// judgePromises gives the promises that were broken though the scenario doesn't say so, and those
// that it says will be broken and were not.
func judgePromises(s *script.Scenario, r *sim.Result) []report.Failure {
	var failures []report.Failure
	excused := map[string]script.Step{}
	for _, step := range s.Steps {
		if step.Expect != nil && step.Expect.Subject == "broken" {
			excused[step.Expect.Promise] = step
		}
	}
	broken := map[string]bool{}
	for _, v := range promise.Check(r.Trace) {
		broken[v.Promise] = true
		if _, expected := excused[v.Promise]; !expected {
			failures = append(failures, report.FromViolation(v))
		}
	}
	for _, step := range s.Steps {
		if x := step.Expect; x != nil && x.Subject == "broken" && !broken[x.Promise] {
			f := report.Unmet(step, x.Promise+" broken", "kept")
			f.Hint = "if that was mended, take out the expect broken lines, and say what is to be"
			failures = append(failures, f)
		}
	}
	return failures
}

// Tell gives the golden text of every block, by the index of its step.
func Tell(s *script.Scenario, r *sim.Result) map[int][]string {
	told := map[int][]string{}
	narrator := report.NewNarrator(s.Start)
	done := 0
	for _, story := range r.Stories {
		narrator.Skip(r.Trace.Events[done:story.From])
		var shown []string
		for i, step := range s.Steps[:story.Step] {
			if step.Show != nil && step.Stanza == s.Steps[story.Step].Stanza {
				shown = append(shown, show(s, step.Show, r.Stands[i])...)
			}
		}
		text := narrator.Tell(r.Trace.Events[story.From:story.To], max(1, lines.GoldenMax-len(shown)))
		done = story.To
		told[story.Step] = append(text, shown...)
	}
	return told
}

// show words what a show line asks for.
func show(s *script.Scenario, what *script.Show, at *sim.Stand) []string {
	var out []string
	wanted := func(id reference.HoldID) bool { return what.Only == "" || what.Only == id }
	switch what.What {
	case "holds":
		for _, h := range at.Holds {
			if wanted(h.ID) {
				out = append(out, report.HoldLine(h, s.Start))
			}
		}
	case "reminders":
		for _, row := range at.Rows {
			if wanted(row.Hold) {
				out = append(out, report.RowLine(row, s.Start))
			}
		}
	case "queue":
		for _, m := range at.Left {
			out = append(out, "in the queue: "+m)
		}
	case "dead-letters":
		for _, d := range at.Dead {
			out = append(out, fmt.Sprintf("dead letter %s: %s", d.Message, d.Reason))
		}
	case "accepted":
		for _, a := range at.Accepted {
			if wanted(a.Reminder.Hold) {
				out = append(out, fmt.Sprintf("accepted %s/%s: %d", a.Reminder.Hold, a.Reminder.Channel, a.Times))
			}
		}
	}
	if len(out) == 0 {
		out = append(out, "no "+what.What)
	}
	return out
}
