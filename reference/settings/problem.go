package settings

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seathold/seathold/reference"
)

// The exit codes of every program.
const (
	ExitDone   = 0
	ExitFailed = 1 // what was asked could not be done, or not wholly
	ExitUsage  = 2 // the settings or the command line can't be
)

// Problem is why a program can't do what it was told.
type Problem struct {
	// What is one line: what is wrong, and where.
	What string
	// Hint says how it may be mended.
	Hint string
	Exit int
}

// Error implements error. It leaves out the hint.
func (p *Problem) Error() string { return p.What }

// refuse makes a Problem with settings.
func refuse(hint, format string, args ...any) *Problem {
	return &Problem{What: fmt.Sprintf(format, args...), Hint: hint, Exit: ExitUsage}
}

// Complain writes err for whoever started the program: a line that begins with its name, and a
// line for the hint. It gives the exit code.
func Complain(to io.Writer, program string, err error) int {
	var p *Problem
	if !errors.As(err, &p) {
		p = &Problem{What: err.Error(), Exit: ExitFailed}
	}
	fmt.Fprintf(to, "%s: %s\n", program, oneLine(p.What))
	if p.Hint != "" {
		fmt.Fprintf(to, "hint: %s\n", oneLine(p.Hint))
	}
	return p.Exit
}

// oneLine joins the lines of joined errors.
func oneLine(s string) string {
	return strings.Join(strings.Split(strings.TrimSpace(s), "\n"), "; ")
}

// Plain is the text of err without the sentinel that says only that the input can't be.
func Plain(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+reference.ErrInvalid.Error())
}
