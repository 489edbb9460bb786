package shrink

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/script/format"
	"github.com/seathold/seathold/sim/suite"
)

// same says that two scenarios mean the same.
func same(a, b *script.Scenario) bool { return bytes.Equal(format.Text(a), format.Text(b)) }

// Compact prints a scenario without what it would be without saying so.
func Compact(s *script.Scenario) []byte {
	whole := format.Text(s)
	text := strings.Split(string(whole), "\n")
	for i := 0; i < len(text); i++ {
		text = shorter(text, i, string(whole), s.File)
	}
	text = slices.DeleteFunc(text, func(line string) bool { return line == gone })
	return []byte(strings.Join(columns(text), "\n"))
}

// gone stands for a line that is not needed; it can be none of a scenario's.
const gone = "\x00"

// shorter leaves out a line, or words of it, where the rest says the same.
func shorter(text []string, i int, whole, file string) []string {
	if text[i] == "" || text[i][0] == '#' || text[i][0] == ' ' {
		return text
	}
	line := text[i]
	if text[i] = gone; means(text, whole, file) {
		return text
	}
	text[i] = line
	words := strings.Split(line, " ")
	for w := len(words) - 1; w > 0; w-- {
		fewer := slices.Delete(slices.Clone(words), w, w+1)
		before := text[i]
		if text[i] = strings.Join(fewer, " "); means(text, whole, file) {
			words = fewer
		} else {
			text[i] = before
		}
	}
	return text
}

func means(text []string, whole, file string) bool {
	kept := slices.DeleteFunc(slices.Clone(text), func(line string) bool { return line == gone })
	s, err := script.Parse(file, []byte(strings.Join(kept, "\n")))
	return err == nil && string(format.Text(s)) == whole
}

// columns leaves out columns of tables that say nothing but the default.
func columns(text []string) []string {
	for i := 0; i < len(text); i++ {
		if !strings.HasPrefix(text[i], "  ") {
			continue
		}
		end := i
		for end < len(text) && strings.HasPrefix(text[end], "  ") {
			end++
		}
		text = slices.Concat(text[:i], narrow(text, i, end), text[end:])
		i = end
	}
	return text
}

// narrow is the table between two lines with as few columns as mean the same.
func narrow(text []string, from, to int) []string {
	whole, err := script.Parse("table.txt", []byte(strings.Join(text, "\n")))
	if err != nil {
		return text[from:to]
	}
	meant := string(format.Text(whole))
	var rows [][]string
	for _, line := range text[from:to] {
		rows = append(rows, strings.Fields(line))
	}
	for c := len(rows[0]) - 1; c > 0; c-- {
		fewer := make([][]string, len(rows))
		for i, row := range rows {
			fewer[i] = slices.Delete(slices.Clone(row), c, c+1)
		}
		if means(slices.Concat(text[:from], table(fewer), text[to:]), meant, "table.txt") {
			rows = fewer
		}
	}
	return table(rows)
}

// table prints rows in columns of equal width.
func table(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var out []string
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("  %-*s", widths[i], cell)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// File prints the scenario as a file to keep: with a header that says what is broken, and what it
// must expect to pass as it is. Again is how it was found. Note says what keeps it from passing,
// if anything does.
func (r *Result) File(u trial.Subject, again string) (text []byte, note string) {
	s := clone(r.Scenario)
	t, err := u.Run(s)
	if err != nil {
		return Compact(s), err.Error()
	}
	promises := brokenIn(t)
	source := "Source: found by search"
	if again != "" {
		source += ", " + again
	}
	s.Header = []string{
		fmt.Sprintf("%s is broken: %s.", r.Violation.Promise, r.Violation.Class),
		"", source,
		"At stake: " + strings.Join(promises, ", ") + ". " + sentence(r.Violation.Sentence) + ".",
	}
	body := string(Compact(s))
	body = strings.TrimRight(body, "\n") + "\n\n"
	for _, d := range t.Run.Deeds {
		if !d.Changed && d.Err != nil {
			body += fmt.Sprintf("expect refused %s %s\n", d.Step.Do.Verb, d.Step.Do.Hold)
		}
	}
	for _, p := range promises {
		body += "expect broken " + p + "\n"
	}
	return []byte(body), r.judged(u, s.File, []byte(body))
}

// sentence is at most a line long.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, ";")
	return text
}

func brokenIn(t *trial.Trial) []string {
	var promises []string
	for _, v := range t.Violations {
		if !slices.Contains(promises, v.Promise) {
			promises = append(promises, v.Promise)
		}
	}
	slices.Sort(promises)
	return promises
}

// judged says what a run of the file would still complain of.
func (r *Result) judged(u trial.Subject, file string, text []byte) string {
	s, err := script.Parse(file, text)
	if err != nil {
		return err.Error()
	}
	run, err := sim.RunWith(s, u.Backend, u.Options)
	if err != nil {
		return err.Error()
	}
	for _, f := range suite.Judge(s, run) {
		return f.Sentence
	}
	return ""
}
