package lines

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pos is a place in a file; lines and columns count from 1, columns in bytes.
type Pos struct {
	File      string
	Line, Col int
}

// String gives file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Plus is the place that many bytes further on.
func (p Pos) Plus(bytes int) Pos {
	p.Col += bytes
	return p
}

// Error is one mistake in a file.
type Error struct {
	Pos Pos
	Msg string
	// Line is the line of the file, empty if there is nothing to show.
	Line string
	// Hint is what to do about it; it may be empty.
	Hint string
}

// Error gives file:line:col and the message, the line with a caret, and the hint, a line each.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Pos, e.Msg)
	if e.Line != "" {
		line, caret := e.picture()
		fmt.Fprintf(&b, "\n  %s\n  %s", line, caret)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  %s", e.Hint)
	}
	return b.String()
}

const (
	shownMax  = 120 // characters of a line that are shown
	errorsMax = 10  // errors that are shown
)

// picture gives the part of the line around the column, and a caret under it.
func (e *Error) picture() (line, caret string) {
	col := min(max(e.Pos.Col-1, 0), len(e.Line))
	before, after := []rune(printable(e.Line[:col])), []rune(printable(e.Line[col:]))
	if len(before) > shownMax {
		before = append([]rune("…"), before[len(before)-shownMax/2:]...)
	}
	blank := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	if room := max(shownMax-len(before), shownMax/2); len(after) > room {
		after = append(after[:room], '…')
	}
	return string(before) + string(after), blank + "^"
}

// printable replaces what a terminal might obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// Errors are the mistakes of one file, in the order of its lines; never empty.
type Errors []*Error

// Error gives the first ten, and how many more there are.
func (e Errors) Error() string {
	var lines []string
	for i, one := range e {
		if i == errorsMax {
			lines = append(lines, fmt.Sprintf("%s: and %d more", one.Pos.File, len(e)-i))
			break
		}
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives each of them to errors.As.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, one := range e {
		all[i] = one
	}
	return all
}

// Result gives the errors in order, as an error; nil if there are none.
func (e Errors) Result() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return e
}

// DidYouMean is the hint that names the near word, if there is one.
func DidYouMean(near string) string {
	if near == "" {
		return ""
	}
	return "did you mean " + near + "?"
}
