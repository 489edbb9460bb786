// Package tell is what a search found, for people and for machines: each finding shrunk to a file
// ready to save, with the commands that run it again.
package tell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/shrink"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/report"
)

// Finding is one way in which a promise was broken, and the smallest scenario that does it.
type Finding struct {
	*explore.Finding
	// Shrunk is nil if the case couldn't be shrunk; Note then says why, and else what keeps File from
	// passing as it is, if anything does.
	Shrunk *shrink.Result
	File   []byte
	Note   string
	// Saved is where File was written to, if it was.
	Saved string
	// program is how the command was called, and run what runs File.
	program, run string
	// ofDefect says that a wrong pipeline was searched: File is none of the suite's.
	ofDefect bool
}

// Subject is what is searched, as the commands name it.
type Subject struct {
	trial.Subject
	// Program is how the command was called. Run is what runs a file on the subject, such as matrix
	// -defect NAME, and Flags are those of a search; empty is the reference on memory.
	Program, Run, Flags string
	// Defect says that it is a wrong pipeline.
	Defect bool
}

// Shrink makes every finding small, with at most so many runs each, or until ctx ends.
func Shrink(ctx context.Context, u Subject, r *explore.Report, attempts int) []Finding {
	var all []Finding
	if u.Run == "" {
		u.Run = "run"
	}
	for _, f := range r.Findings {
		if f.Case.Again != "" && u.Flags != "" {
			f.Case.Again += " " + u.Flags
		}
		all = append(all, shrunk(ctx, u, f, attempts))
	}
	return all
}

func shrunk(ctx context.Context, u Subject, f *explore.Finding, attempts int) Finding {
	out := Finding{Finding: f, program: u.Program, run: u.Program + " " + u.Run, ofDefect: u.Defect}
	s, err := f.Case.Alone(ctx, u.Subject, f.Broken)
	if err == nil && f.Broken.Promise != "P9" {
		out.Shrunk, err = shrink.Shrink(ctx, u.Subject, s, f.Broken, attempts)
	}
	switch {
	case err != nil:
		out.Note = err.Error()
	case out.Shrunk != nil:
		out.File, out.Note = out.Shrunk.File(u.Subject, f.Case.Command("holdsim")) // a file is not of one machine
	default:
		out.File = shrink.Compact(s)
	}
	return out
}

// Name is the name of a file to save the finding as.
func (f Finding) Name() string {
	words := strings.FieldsFunc(strings.ToLower(f.Broken.String()), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return "found-" + strings.Join(words, "-") + ".txt"
}

// Save writes the findings' files into a folder. A file that is there and says something else stays.
func Save(findings []Finding, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range findings {
		f := &findings[i]
		if len(f.File) == 0 {
			continue // no scenario shows it
		}
		path, err := save(filepath.Join(dir, f.Name()), f.File)
		if err != nil {
			return err
		}
		f.Saved = path
	}
	return nil
}

// namesMax is how many files there may be of one way of breaking a promise.
const namesMax = 100

// save writes a file under that name, or under one with a number, and gives its path.
func save(path string, text []byte) (string, error) {
	stem := strings.TrimSuffix(path, ".txt")
	for n := 2; n <= namesMax; n++ {
		there, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, os.WriteFile(path, text, 0o644)
		case err != nil:
			return "", err
		case bytes.Equal(there, text):
			return path, nil
		}
		path = fmt.Sprintf("%s-%d.txt", stem, n)
	}
	return "", fmt.Errorf("there are %d files such as %s.txt, and none of them says this", namesMax, stem)
}

// Text tells a finding as a person reads it.
func (f Finding) Text(w io.Writer) {
	fmt.Fprintf(w, "%s, in %s; the first:\n  %s\n  %s\n", f.Broken, report.Plural(f.Cases, "case"), f.Case.Name, f.Sentence)
	if again := f.Case.Command(f.program); again != "" {
		fmt.Fprintf(w, "  %s\n", again)
	}
	if f.Shrunk != nil {
		word := ""
		if !f.Shrunk.Ended {
			word = ", and more runs could take off more"
		}
		fmt.Fprintf(w, "shrunk from %s to %d in %s%s; %s:\n", report.Plural(f.Shrunk.Before, "directive"), f.Shrunk.After, report.Plural(f.Shrunk.Attempts, "run"), word, f.kept())
	}
	if f.Note != "" {
		fmt.Fprintf(w, "note: %s\n", f.Note)
	}
	if len(f.File) == 0 {
		fmt.Fprintln(w)
		return
	}
	if f.Shrunk == nil {
		fmt.Fprintf(w, "%s:\n", f.kept())
	}
	next := "next"
	if f.Saved == "" {
		next = "next, once it is saved"
	}
	fmt.Fprintf(w, "\n%s\n%s:\n  %s %s\n", f.File, next, f.run, f.path())
	if f.Note == "" && !f.ofDefect {
		fmt.Fprintln(w, "it passes as long as the promise is broken: when that is mended, take out the expect broken lines, and say what is to be")
	}
	fmt.Fprintln(w)
}

// kept says where the file is, or where it belongs.
func (f Finding) kept() string {
	if f.Saved != "" {
		return "saved as " + f.Saved
	}
	return "save it as " + f.path()
}

// path is the file's, or what it should be.
func (f Finding) path() string {
	switch {
	case f.Saved != "":
		return f.Saved
	case f.ofDefect:
		return f.Name()
	}
	return "scenarios/" + f.Name()
}
