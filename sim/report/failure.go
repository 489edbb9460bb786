package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/promise"
	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// Kind is what failed, as JSON names it.
type Kind string

// The kinds of failure.
const (
	KindPromise  Kind = "promise"     // a promise is broken
	KindExpect   Kind = "expectation" // an expect line doesn't hold
	KindGolden   Kind = "golden"      // a golden block tells something else
	KindFault    Kind = "fault"       // a fault never fired
	KindAt       Kind = "at"          // an at line changed nothing
	KindReplay   Kind = "replay"      // delivering everything again changed something
	KindDiverged Kind = "diverged"    // two runs that must be the same are not
)

// Failure is one thing that is wrong with a run.
type Failure struct {
	Kind Kind
	// Pos is where in the scenario; a promise's is filled in when it is printed.
	Pos script.Pos
	// Sentence says what is wrong, without a full stop; Note adds to it, and Hint says what might
	// help; both may be empty.
	Sentence, Note, Hint string
	// Promise (P1 … P9) and Class are those of a broken promise.
	Promise, Class string
	// Hold, Window, Channel and Seq are what it is about, as far as it is about something.
	Hold    reference.HoldID
	Window  time.Time
	Channel reference.Channel
	Seq     int
	At      time.Time
	// Diff are the lines that differ, under the title DiffOf: "-" wanted, "+" got.
	Diff   []string
	DiffOf string
}

// FromViolation is a broken promise.
func FromViolation(v promise.Violation) Failure {
	return Failure{
		Kind: KindPromise, Promise: v.Promise, Class: v.Class, Sentence: v.Sentence, Hint: v.Hint,
		Hold: v.Hold, Window: v.Window, Channel: v.Channel, Seq: v.Seq, At: v.At,
	}
}

// Unmet is an expectation that doesn't hold. What was wanted may begin with the hold that is meant.
func Unmet(step script.Step, wanted, got string) Failure {
	f := Failure{Kind: KindExpect, Pos: step.Pos, Sentence: fmt.Sprintf("%s: wanted %s, got %s", step.Text, wanted, got)}
	x := step.Expect
	if x == nil {
		return f
	}
	f.Window, f.Channel = x.Window, x.Channel
	// Of a line about many holds, wanted begins with the one that is meant.
	first, _, _ := strings.Cut(wanted, " ")
	switch {
	case slices.Contains(x.Holds, reference.HoldID(first)):
		f.Hold = reference.HoldID(first)
	case len(x.Holds) == 1:
		f.Hold = x.Holds[0]
	}
	said := wanted
	if !strings.Contains(said, "=") {
		said = step.Text
	}
	for _, c := range reference.Channels {
		if strings.Contains(said, string(c)+"=") && strings.Count(said, "=") == 1 {
			f.Channel = c
		}
	}
	return f
}

// GoldenDiffers is a golden block that tells something else than the run gave.
func GoldenDiffers(step script.Step, got []string) Failure {
	var want []string
	if step.Golden != nil {
		want = step.Golden.Lines
	}
	d := diff(want, got)
	return Failure{
		Kind: KindGolden, Pos: step.Pos, Sentence: fmt.Sprintf("the golden text differs in %s", Plural(changed(d), "line")),
		Diff: d, DiffOf: "golden",
	}
}

func changed(diff []string) int {
	n := 0
	for _, l := range diff {
		if l[0] != ' ' {
			n++
		}
	}
	return n
}

// NeverFired is a fault that struck nothing; nearest says what came nearest to it, and may be empty.
func NeverFired(step script.Step, nearest string) Failure {
	f := Failure{
		Kind: KindFault, Pos: step.Pos, Sentence: "the fault never fired: " + step.Text,
		Hint: "a fault that need not fire says so: fault maybe " + strings.TrimPrefix(step.Text, "fault "),
	}
	if nearest != "" {
		f.Note = "nearest: " + nearest
	}
	if step.Fault != nil {
		f.Hold, f.Channel = step.Fault.On, step.Fault.Channel
	}
	return f
}

// ChangedNothing is an at line that had no effect; why may be empty.
func ChangedNothing(step script.Step, why string) Failure {
	f := Failure{Kind: KindAt, Pos: step.Pos, Sentence: "this changed nothing: " + step.Text, Note: why}
	if step.Do == nil {
		return f
	}
	if f.Hold = step.Do.Hold; f.Hold != "" {
		f.Hint = fmt.Sprintf("if it should be refused, say so: expect refused %s %s", step.Do.Verb, f.Hold)
	}
	return f
}

// Replayed compares the tables before and after every message was delivered again; same is true if
// nothing changed.
func Replayed(run trace.Run) (f Failure, same bool) {
	start := run.Setup.Start
	var want, got []string
	for _, t := range []struct {
		lines *[]string
		holds []reference.Hold
		rows  []reference.Row
	}{{&want, run.Holds, run.Rows}, {&got, run.ReplayHolds, run.ReplayRows}} {
		for _, h := range t.holds {
			*t.lines = append(*t.lines, HoldLine(h, start))
		}
		for _, r := range t.rows {
			*t.lines = append(*t.lines, RowLine(r, start))
		}
	}
	d := diff(want, got)
	if len(d) == 0 {
		return Failure{}, true
	}
	return Failure{
		Kind: KindReplay, Promise: "P8", Diff: d, DiffOf: "tables before and after",
		Sentence: fmt.Sprintf("delivering every message again changed the tables in %s", Plural(changed(d), "line")),
	}, false
}

// Pass is one of two runs that must be the same, and its name: pass 1, or postgres.
type Pass struct {
	Name   string
	Start  time.Time
	Events []trace.Event
}

const sharedBefore = 3 // events shown that both runs share

// Diverged finds the first event in which two runs differ; same is true if there is none.
func Diverged(a, b Pass) (f Failure, same bool) {
	n := min(len(a.Events), len(b.Events))
	first := 0
	for first < n && sameEvent(a.Events[first], b.Events[first]) {
		first++
	}
	if first == len(a.Events) && first == len(b.Events) {
		return Failure{}, true
	}
	f = Failure{Kind: KindDiverged, Promise: "P9", DiffOf: a.Name + " and " + b.Name, Seq: first + 1}
	f.Sentence = fmt.Sprintf("%s and %s differ from event %d on", a.Name, b.Name, first+1)
	narrator := words.NewNarrator(a.Start)
	for i, e := range a.Events[:first] {
		if line := narrator.Line(e); i >= first-sharedBefore {
			f.Diff = append(f.Diff, "  "+line)
		}
	}
	left := []string{"(nothing more)", "(nothing more)"}
	for i, p := range []Pass{a, b} {
		if first < len(p.Events) {
			left[i] = narrator.Clone().Line(p.Events[first])
			f.At, f.Hold, f.Channel = p.Events[first].At, p.Events[first].Hold, p.Events[first].Channel
		}
	}
	f.Diff = append(f.Diff, "- "+left[0], "+ "+left[1])
	if left[0] == left[1] {
		f.Hint = "the two read the same; they differ in " + differingFields(a.Events[first], b.Events[first])
	}
	return f, false
}

// Text tells one failure, and its run, as one screen.
func (f Failure) Text(o Options) string { return Text([]Failure{f}, o) }

// Line tells the failure as one line.
func (f Failure) Line(o Options) string {
	return fmt.Sprintf("%s: %s", o.where(f), f.headline())
}

func (f Failure) headline() string {
	if f.Kind != KindPromise {
		return f.Sentence
	}
	name := f.Promise
	if title := promiseTitles[f.Promise].title; title != "" {
		name += " " + title
	}
	return fmt.Sprintf("%s is broken: %s", name, strings.TrimSuffix(f.Sentence, "."))
}

type jsonFailure struct {
	Kind     Kind   `json:"kind"`
	Where    string `json:"where,omitempty"`
	Sentence string `json:"sentence"`
	Promise  string `json:"promise,omitempty"`
	Class    string `json:"class,omitempty"`
	Hold     string `json:"hold,omitempty"`
	Window   string `json:"window,omitempty"`
	Channel  string `json:"channel,omitempty"`
	Seq      int    `json:"seq,omitempty"`
	At       string `json:"at,omitempty"`
	Note     string `json:"note,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

func (f Failure) json() jsonFailure {
	j := jsonFailure{
		Kind: f.Kind, Sentence: f.Sentence, Promise: f.Promise, Class: f.Class,
		Hold: string(f.Hold), Window: rfc3339(f.Window), Channel: string(f.Channel), Seq: f.Seq, At: rfc3339(f.At), Note: f.Note, Hint: f.Hint,
	}
	if f.Pos.Line > 0 {
		j.Where = f.Pos.String()
	}
	return j
}

func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
