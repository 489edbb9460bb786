package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// judgeExpectations gives the expect lines that do not hold where they stand.
func judgeExpectations(s *script.Scenario, r *sim.Result) []report.Failure {
	var failures []report.Failure
	for i, step := range s.Steps {
		x := step.Expect
		if x == nil || x.Subject == "broken" {
			continue
		}
		at := r.Stands[i]
		if x.Subject == "hold" {
			failures = append(failures, judgeHolds(step, at)...)
			continue
		}
		if want, got := expected(r, x, at); want != got {
			failures = append(failures, report.Unmet(step, want, got))
		}
	}
	return failures
}

// expected gives what a line wants and what there was, both in words.
func expected(r *sim.Result, x *script.Expect, at *sim.Stand) (want, got string) {
	count := func(n int) (string, string) { return fmt.Sprint(x.N), fmt.Sprint(n) }
	switch x.Subject {
	case "accepted":
		return count(accepted(x, at))
	case "refused":
		return "refused", refused(r, x)
	case "transitions":
		return count(transitions(r, x.Holds[0], at))
	case "sweep":
		report, ran := r.Reports[x.Sweep]
		if !ran {
			return fmt.Sprint(x.N), "no such sweep"
		}
		return count(reported(report, x.Field))
	case "queue-empty":
		if at.Queued {
			return "empty", fmt.Sprintf("%v in it", at.Left)
		}
		return "", ""
	case "dead-letters":
		want, got = count(len(at.Dead))
		if want != got {
			got += setAside(r, at)
		}
		return want, got
	case "fires":
		return count(fires(r, x))
	}
	panic(fmt.Sprintf("expect %q: the parser let it through, and nobody judges it", x.Subject))
}

// lettersMax is how many dead letters a failure names.
const lettersMax = 5

// setAside names the dead letters there are, and what they ask for.
func setAside(r *sim.Result, at *sim.Stand) string {
	var names []string
	for i, d := range at.Dead {
		if i == lettersMax {
			names = append(names, fmt.Sprintf("and %d more", len(at.Dead)-i))
			break
		}
		about := slices.IndexFunc(r.Trace.Events, func(e trace.Event) bool { return e.Message == d.Message && e.Hold != "" })
		if about >= 0 {
			e := r.Trace.Events[about]
			d.Message += fmt.Sprintf(" (%s %s)", e.Kind, e.Hold)
		}
		names = append(names, d.Message)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}

// judgeHolds judges what a line says of holds, each by itself.
func judgeHolds(step script.Step, at *sim.Stand) []report.Failure {
	holds := make(map[reference.HoldID]reference.Hold, len(at.Holds))
	for _, h := range at.Holds {
		holds[h.ID] = h
	}
	outcomes := make(map[reference.Reminder]string, len(at.Rows))
	for _, row := range at.Rows {
		outcomes[utc(row.Reminder)] = row.Outcome.String()
	}
	x := step.Expect
	var failures []report.Failure
	for _, id := range x.Holds {
		h, there := holds[id]
		if !there {
			failures = append(failures, report.Unmet(step, string(id), "no such hold"))
			continue
		}
		window := h.Window()
		if !x.Window.IsZero() {
			window.ExpiresAt = x.Window
		}
		outcome := func(c reference.Channel) string {
			if o, there := outcomes[utc(reference.Reminder{Window: window, Channel: c})]; there {
				return o
			}
			return "none"
		}
		for _, say := range []struct{ what, want, got string }{
			{"email", x.Email, outcome(reference.Email)}, {"sms", x.SMS, outcome(reference.SMS)}, {"state", x.State, string(h.State)},
		} {
			if say.want != "" && say.want != say.got {
				f := report.Unmet(step, fmt.Sprintf("%s %s=%s", id, say.what, say.want), say.what+"="+say.got)
				f.Hold, f.Window = id, window.ExpiresAt
				failures = append(failures, f)
			}
		}
	}
	return failures
}

// utc makes reminders of one instant the same map key.
func utc(r reference.Reminder) reference.Reminder {
	r.ExpiresAt = r.ExpiresAt.UTC()
	return r
}

func accepted(x *script.Expect, at *sim.Stand) int {
	n := 0
	for _, a := range at.Accepted {
		if r := a.Reminder; r.Hold == x.Holds[0] && r.Channel == x.Channel && (x.Window.IsZero() || r.ExpiresAt.Equal(x.Window)) {
			n += a.Times
		}
	}
	return n
}

func refused(r *sim.Result, x *script.Expect) string {
	got := "no such attempt"
	for _, d := range r.Deeds {
		if !speaksOf(x, d) {
			continue
		}
		switch {
		case d.Refused:
			return "refused"
		case d.Err != nil:
			got = d.Err.Error()
		default:
			got = "done"
		}
	}
	return got
}

// speaksOf says whether an expect refused line is about an at line.
func speaksOf(x *script.Expect, d sim.Deed) bool {
	do := d.Step.Do
	id := do.Hold
	if do.Verb == "create" {
		id = do.New.ID
	}
	return x.Subject == "refused" && do.Verb == x.Verb && id == x.Holds[0]
}

var becomes = map[trace.What]reference.State{
	trace.What(faults.HoldConfirm): reference.Confirmed, trace.What(faults.HoldCancel): reference.Cancelled,
	trace.What(faults.WorkerExpire): reference.Expired, trace.What(faults.SweepBackstop): reference.Expired,
}

// transitions counts how often the hold changed its state, by what calls truly did.
func transitions(r *sim.Result, id reference.HoldID, at *sim.Stand) int {
	state, n := reference.Held, 0
	for _, h := range r.Trace.Setup.Holds {
		if h.ID == id {
			state = h.State
		}
	}
	for _, e := range r.Trace.Events[:at.Events] {
		next, ok := becomes[e.What]
		if !ok || e.Hold != id || e.NoEffect || next == state {
			continue
		}
		if e.Answer == "done" && e.What != trace.What(faults.WorkerExpire) || e.Answer == string(reference.ExpiredNow) {
			state = next
			n++
		}
	}
	return n
}

func reported(r reference.Report, field string) int {
	switch field {
	case "found":
		return r.Found.Total()
	case "published":
		return r.Published.Total()
	case "pages":
		return r.Pages
	}
	return r.Backstop
}

func fires(r *sim.Result, x *script.Expect) int {
	n := 0
	for _, e := range r.Trace.Events {
		if e.What == trace.SweepStart && !e.At.Before(x.From) && !e.At.After(x.Until) {
			n++
		}
	}
	return n
}

// judgeDeeds gives the lines that came to nothing: no scenario may pass by that.
func judgeDeeds(s *script.Scenario, r *sim.Result) []report.Failure {
	var failures []report.Failure
	for _, u := range r.Unfired {
		if u.Step.Fault.Maybe {
			continue
		}
		failures = append(failures, report.NeverFired(u.Step, nearest(u)))
	}
	for _, d := range r.Deeds {
		if d.Changed || d.Refused && expectedRefusal(s, d) {
			continue
		}
		why := ""
		if d.Err != nil {
			why = d.Err.Error()
		}
		failures = append(failures, report.ChangedNothing(d.Step, why))
	}
	return failures
}

func expectedRefusal(s *script.Scenario, d sim.Deed) bool {
	for _, step := range s.Steps {
		if step.Expect != nil && speaksOf(step.Expect, d) {
			return true
		}
	}
	return false
}

// nearest words what came nearest to a fault that never struck.
func nearest(u sim.Unfired) string {
	if u.Unmet == "" {
		return ""
	}
	m, about := u.Near, string(u.Near.Hold)
	if m.Channel != "" {
		about += "/" + string(m.Channel)
	}
	if about != "" {
		about = " on " + about
	}
	return fmt.Sprintf("%s=%s by %s%s at %s, which doesn't match its %s", m.Phase, m.Point.Short(), m.Node, about, m.At.Format("15:04:05.999999"), u.Unmet)
}
