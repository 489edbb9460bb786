// Package lines cuts the text of a scenario into stanzas, directives and words, each with its
// place, and reports mistakes by their place. It knows the form of lines and not what they say.
package lines

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seathold/seathold/faults"
)

// The limits of a file.
const (
	BytesMax     = 1 << 20
	LinesMax     = 120
	LineBytesMax = 500
	GoldenMax    = 40
)

// GoldenMark is the line above golden text.
const GoldenMark = "----"

// File is a file cut into what the grammar names, without meaning yet.
type File struct {
	Name  string
	Lines []string
	// Header is the comment at the top, a line each, without the marks.
	Header  []string
	Stanzas []Stanza
	// Errs are the mistakes found so far, also by those who give the lines their meaning.
	Errs Errors
	// Elsewhere are keys that verbs take, for one that stands where it is unknown.
	Elsewhere []Keys
	// offsets are where the lines begin; one more is where the last line ends.
	offsets []int
}

// Stanza is directives and the golden text under them.
type Stanza struct {
	Directives []*Directive
	Golden     *Golden
}

// Golden is the text under a mark; From and To are its byte offsets in the file.
type Golden struct {
	Pos      Pos // the mark's
	From, To int
	Lines    []string
}

// Directive is one line that says something, and the indented lines that belong to it.
type Directive struct {
	Line  int    // from 1
	Text  string // without a comment behind it
	Verb  Word
	Words []Word
	Rows  []Row
}

// Row is an indented line, its Text without a comment behind it.
type Row struct {
	Text  string
	Cells []Word
}

// Word is KEY=VALUE, or a bare word, whose value is then all of it.
type Word struct {
	Pos        Pos
	Text       string
	Keyed      bool
	Key, Value string
	ValuePos   Pos
}

// Pos is where the first directive is, or the golden text if there is none.
func (s Stanza) Pos() Pos {
	if len(s.Directives) > 0 {
		return s.Directives[0].Verb.Pos
	}
	return s.Golden.Pos
}

// End is the place after the last word of a directive.
func (d *Directive) End() Pos {
	last := d.Verb
	if n := len(d.Words); n > 0 {
		last = d.Words[n-1]
	}
	return last.Pos.Plus(len(last.Text))
}

// Key is the directive's word with that key, or its verb if it has none.
func (d *Directive) Key(key string) Word {
	for _, w := range d.Words {
		if w.Keyed && w.Key == key {
			return w
		}
	}
	return d.Verb
}

// Bare is the place of a bare word of the directive, or of its verb if it has none.
func (d *Directive) Bare(text string) Pos {
	for _, w := range d.Words {
		if w.Text == text {
			return w.Pos
		}
	}
	return d.Verb.Pos
}

// at is the place of a line and a byte of it, both from 0.
func (f *File) at(line, col int) Pos { return Pos{f.Name, line + 1, col + 1} }

// Fail reports a mistake. The hint may be empty.
func (f *File) Fail(pos Pos, hint, format string, args ...any) {
	e := &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
	if pos.Line >= 1 && pos.Line <= len(f.Lines) {
		e.Line = f.Lines[pos.Line-1]
	}
	f.Errs = append(f.Errs, e)
}

// Cut cuts src. If it can't be a scenario at all, Errs says why and there are no stanzas.
func Cut(name string, src []byte) *File {
	f := &File{Name: name}
	if len(src) > BytesMax {
		f.Fail(f.at(0, 0), "", "the file has more than %d bytes; a scenario has at most %d lines", BytesMax, LinesMax)
		return f
	}
	f.split(string(src))
	f.checkText()
	if len(f.Errs) == 0 {
		f.readHeader()
		f.readStanzas()
	}
	if len(f.Errs) == 0 && len(f.Stanzas) == 0 {
		f.Fail(f.at(len(f.Lines)-1, 0), "world start=2026-03-02T12:00:00Z", "the file has a header and nothing else")
	}
	return f
}

func (f *File) split(text string) {
	f.offsets = []int{0}
	for rest := text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		f.Lines = append(f.Lines, line)
		f.offsets = append(f.offsets, len(text)-len(after))
		rest = after
	}
}

// checkText refuses what is no plain text of a scenario's size: one error is enough.
func (f *File) checkText() {
	for i, line := range f.Lines {
		if at, problem := BadText(line); problem != "" {
			f.Fail(f.at(i, at), "", "%s", problem)
			return
		}
		if len(line) > LineBytesMax {
			f.Fail(f.at(i, LineBytesMax), "", "the line has %d bytes, and %d is the most", len(line), LineBytesMax)
			return
		}
	}
	if len(f.Lines) > LinesMax {
		f.Fail(f.at(LinesMax, 0), "tell one incident a file, or fold holds into ranges: p1..p500",
			"the file has %d lines, and a scenario has at most %d", len(f.Lines), LinesMax)
	}
}

// BadText says what of a line is no plain text, and at which byte; nothing if it is.
func BadText(line string) (at int, problem string) {
	for i, r := range line {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(line[i:], "\uFFFD"):
			return i, fmt.Sprintf("byte 0x%02x is not UTF-8; a scenario is plain text", line[i])
		case r == '\r':
			return i, "carriage return; save the file with plain line ends"
		case r != '\t' && !unicode.IsGraphic(r):
			return i, fmt.Sprintf("character %U can't be printed; a scenario is plain text", r)
		}
	}
	return 0, ""
}

// readHeader takes the comment at the top and holds it to what every scenario must say.
func (f *File) readHeader() {
	for _, line := range f.Lines {
		text, found := strings.CutPrefix(line, "#")
		if !found {
			break
		}
		f.Header = append(f.Header, strings.TrimSpace(text))
	}
	const hint = "begin the file with # and a sentence, then # Source: … and # At stake: P1 …"
	if len(f.Header) == 0 || f.Header[0] == "" || strings.HasPrefix(f.Header[0], "Source:") || strings.HasPrefix(f.Header[0], "At stake:") {
		f.Fail(f.at(0, 0), hint, "the header has no first line that says what happens")
	}
	for _, mark := range []string{"Source:", "At stake:"} {
		if !f.heads(mark) {
			f.Fail(f.at(0, 0), hint, "the header has no line %q that says something", "# "+mark)
		}
	}
}

func (f *File) heads(mark string) bool {
	for _, line := range f.Header {
		if said, found := strings.CutPrefix(line, mark); found && strings.TrimSpace(said) != "" {
			return true
		}
	}
	return false
}

// readStanzas goes on after the header. A stanza ends at a blank line.
func (f *File) readStanzas() {
	var now Stanza
	flush := func() {
		if len(now.Directives) > 0 || now.Golden != nil {
			f.Stanzas = append(f.Stanzas, now)
		}
		now = Stanza{}
	}
	for i := len(f.Header); i < len(f.Lines); {
		line := f.Lines[i]
		switch {
		case strings.TrimSpace(line) == "":
			flush()
			i++
		case line == GoldenMark:
			i = f.readGolden(&now, i)
		default:
			f.readLine(&now, i)
			i++
		}
	}
	flush()
}

// readGolden takes the lines under the mark at line mark, and gives the line after them.
func (f *File) readGolden(s *Stanza, mark int) int {
	end := mark + 1
	for end < len(f.Lines) && f.Lines[end] != "" {
		if strings.TrimSpace(f.Lines[end]) == "" {
			f.Fail(f.at(end, 0), "a golden block ends at an empty line", "the line has nothing but blanks")
		}
		end++
	}
	s.Golden = &Golden{Pos: f.at(mark, 0), From: f.offsets[mark+1], To: f.offsets[end], Lines: f.Lines[mark+1 : end]}
	if n := len(s.Golden.Lines); n > GoldenMax {
		f.Fail(f.at(mark+1+GoldenMax, 0), "run to an earlier time, or show only=", "the golden block has %d lines, and %d is the most", n, GoldenMax)
	}
	return end
}

// readLine takes a directive, or an indented line of the directive above it.
func (f *File) readLine(s *Stanza, i int) {
	split, err := faults.Words(f.Lines[i])
	words := make([]Word, len(split))
	for j, w := range split {
		words[j] = newWord(f.at(i, w.Col), w.Text)
	}
	indented := f.Lines[i][0] == ' ' || f.Lines[i][0] == '\t'
	switch {
	case err != nil:
		f.Fail(words[len(words)-1].Pos, "", "%v", err)
	case len(words) == 0:
	case indented && len(s.Directives) == 0:
		f.Fail(words[0].Pos, "a directive begins at the margin", "the indented line belongs to nothing")
	case indented:
		d := s.Directives[len(s.Directives)-1]
		d.Rows = append(d.Rows, Row{said(f.Lines[i], split), words})
	default:
		d := &Directive{Line: i + 1, Text: said(f.Lines[i], split), Verb: words[0], Words: words[1:]}
		s.Directives = append(s.Directives, d)
	}
}

// said is a line from its first word to its last.
func said(line string, words []faults.Word) string {
	last := words[len(words)-1]
	return line[words[0].Col : last.Col+len(last.Text)]
}

func newWord(pos Pos, text string) Word {
	w := Word{Pos: pos, Text: text, Value: text, ValuePos: pos}
	key, value, found := strings.Cut(text, "=")
	if !found {
		return w
	}
	w.Keyed, w.Key, w.Value, w.ValuePos = true, key, value, pos.Plus(len(key)+1)
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		w.Value = value[1 : n-1]
	}
	return w
}
