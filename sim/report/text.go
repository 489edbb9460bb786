package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

const (
	screenLines   = 50
	otherFailures = 5  // told as one line each, the rest as a number
	mainDiff      = 30 // lines of the main failure's difference
	otherDiff     = 12 // lines of a golden difference that isn't the main failure
	picturesMin   = 8  // rows below which a picture is left out
)

// Options are what a failure's text says about the run it happened in.
type Options struct {
	// Scenario and Run may be zero: then there are no positions and no pictures to give.
	Scenario *script.Scenario
	Run      trace.Run
	// Store, Pass and Seed tell which run it was, as in "memory, pass 2, seed 1"; left out if empty.
	In string
	// File is the scenario as the person named it; by default the Scenario's.
	File string
	// Program is how the next commands begin; by default holdsim. Flags are those that make this
	// run again, such as -store postgres.
	Program, Flags string
	// Typed is the command that was just typed, which is no news.
	Typed string
}

// promiseTitles name the promises and say each in a sentence.
var promiseTitles = map[string]struct{ title, text string }{
	"P1": {"once", "the provider accepts at most one send per reminder"},
	"P2": {"accounted", "every window that ran out has exactly one final outcome per channel, with a reason that was true"},
	"P3": {"in time", "every send starts under a grant, before the cut-off, within its lease"},
	"P4": {"never early", "no hold is expired before its expires_at; confirmed and cancelled absorb"},
	"P5": {"always freed", "every hold still held at its expires_at is soon expired, whatever became of its reminder"},
	"P6": {"ack last", "a message is acked only when nothing more is to be done for it, and is never lost by us"},
	"P7": {"apart", "one channel's or one hold's trouble neither repeats another's effects nor holds it up"},
	"P8": {"twice is once", "delivering every message again gets nothing accepted and changes no row"},
	"P9": {"same in, same out", "the same scenario and seed give the same trace, on any machine and store"},
}

// severity orders failures: the first is told in full.
var severity = []Kind{KindDiverged, KindPromise, KindReplay, KindExpect, KindFault, KindAt, KindGolden}

// Text tells the failures of one run as one screen: the worst in full, the others as a line each,
// and what to type next.
func Text(failures []Failure, o Options) string {
	if len(failures) == 0 {
		return ""
	}
	sorted := slices.Clone(failures)
	slices.SortStableFunc(sorted, func(a, b Failure) int {
		return slices.Index(severity, a.Kind) - slices.Index(severity, b.Kind)
	})
	main, others := sorted[0], sorted[1:]
	head := main.head(o)
	if main.Promise == "P8" && len(main.Diff) == 0 {
		tables, _ := Replayed(o.Run)
		main.Diff, main.DiffOf = tables.Diff, tables.DiffOf
	}
	differs := main.titledDiff(o, mainDiff)
	if i := slices.IndexFunc(others, func(f Failure) bool { return f.Kind == KindGolden }); i >= 0 && main.Kind != KindGolden {
		differs = append(differs, others[i].titledDiff(o, otherDiff)...)
		others = slices.Delete(others, i, i+1)
	}
	tail := slices.Concat(differs, otherLines(others, o), main.next(o))
	var lanes []string
	// A blank line goes before the lanes.
	if rows := min(screenLines-len(head)-len(tail)-1, pictureRows); rows >= picturesMin && main.Kind != KindDiverged {
		lanes = Lanes(o.Run, Focus{Hold: main.Hold, Channel: main.Channel, Seq: main.Seq, Rows: rows})
	}
	if len(lanes) > 0 {
		lanes = append([]string{""}, lanes...)
	}
	return strings.Join(slices.Concat(head, lanes, tail), "\n") + "\n"
}

// head is where, the sentence, the promise, and the event that broke it.
func (f Failure) head(o Options) []string {
	lines := []string{f.Line(o)}
	if o.In != "" {
		lines = append(lines, "  in "+o.In)
	}
	if p := promiseTitles[f.Promise]; p.text != "" {
		lines = append(lines, "", fmt.Sprintf("%s %s: %s", f.Promise, p.title, p.text))
	}
	if e, line := o.event(f.Seq); e.Seq > 0 && f.Kind == KindPromise {
		lines = append(lines, fmt.Sprintf("broken by event %d: %s", f.Seq, line))
	}
	if f.Note != "" {
		lines = append(lines, f.Note)
	}
	if f.Hint != "" {
		lines = append(lines, "hint: "+f.Hint)
	}
	return lines
}

// event gives the run's event of that number, and its line.
func (o Options) event(seq int) (trace.Event, string) {
	n := words.NewNarrator(o.Run.Setup.Start)
	for _, e := range o.Run.Events {
		if e.Seq == seq {
			return e, n.Line(e)
		}
		n.Note(e)
	}
	return trace.Event{}, ""
}

func (f Failure) titledDiff(o Options, most int) []string {
	if len(f.Diff) == 0 {
		return nil
	}
	title := f.DiffOf
	if f.Pos.Line > 0 {
		title = fmt.Sprintf("%s at line %d", title, f.Pos.Line)
	}
	lines := []string{"", title + " (-want +got):"}
	if f.Kind == KindDiverged {
		lines[1] = fmt.Sprintf("%s (-first +second):", title)
	}
	if left := len(f.Diff) - most; left > 0 {
		return append(append(lines, f.Diff[:most]...), fmt.Sprintf("  … %d lines more", left))
	}
	return append(lines, f.Diff...)
}

func otherLines(others []Failure, o Options) []string {
	if len(others) == 0 {
		return nil
	}
	lines := []string{"", "also:"}
	for i, f := range others {
		if i == otherFailures {
			return append(lines, fmt.Sprintf("  and %s more", Plural(len(others)-i, "failure")))
		}
		lines = append(lines, "  "+f.Line(o))
	}
	return lines
}

// next are the commands to type next.
func (f Failure) next(o Options) []string {
	file, program := o.file(), o.Program
	if file == "" {
		return nil
	}
	if program == "" {
		program = "holdsim"
	}
	flags := ""
	if o.Flags != "" {
		flags = o.Flags + " "
	}
	lines := []string{"", "next:"}
	add := func(format string, args ...any) {
		if command := program + " " + fmt.Sprintf(format, args...); command != o.Typed {
			lines = append(lines, "  "+command)
		}
	}
	add("run %s%s", flags, file)
	if f.Seq > 0 {
		add("run %s-stop-at %d %s", flags, f.Seq, file)
	}
	if f.Hold != "" {
		add("trace %s%s -hold %s", flags, file, f.Hold)
	} else {
		add("trace %s%s", flags, file)
	}
	if f.Kind == KindGolden {
		add("run %s-rewrite %s", flags, file)
	}
	return lines
}

func (o Options) file() string {
	if o.File == "" && o.Scenario != nil {
		return o.Scenario.File
	}
	return o.File
}

// where gives file:line:col. What has no place of its own happened under the run line that let
// that time pass.
func (o Options) where(f Failure) string {
	pos := f.Pos
	if pos.Line == 0 {
		pos = o.runLine(f.At)
	}
	if pos.File == "" {
		pos.File = o.file()
	}
	if pos.Line == 0 {
		return pos.File
	}
	return pos.String()
}

func (o Options) runLine(at time.Time) script.Pos {
	var pos script.Pos
	if o.Scenario == nil {
		return pos
	}
	for _, s := range o.Scenario.Steps {
		if s.Run == nil {
			continue
		}
		pos = s.Pos
		if !at.IsZero() && !at.After(s.Run.Until) {
			break
		}
	}
	return pos
}
