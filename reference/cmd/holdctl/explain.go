package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/explain"
)

type explainCommand struct {
	ID  string   `arg:"" name:"hold" help:"The hold's id."`
	Log []string `sep:"none" placeholder:"FILE" help:"A log of holdsweep or holdworker, as JSON lines; - is stdin. May be given several times."`
}

func (e *explainCommand) run(ctx context.Context, c *control) error {
	rules, err := c.rules()
	if err != nil {
		return err
	}
	id := reference.HoldID(e.ID)
	var logged []explain.Event
	skipped := 0
	for _, path := range e.Log {
		events, other, err := readLog(path, id)
		if err != nil {
			return err
		}
		logged, skipped = append(logged, events...), skipped+other
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	record, err := t.Record(ctx, id, rules.Policy.Lead, rules.Bound())
	if err != nil {
		return err
	}
	story := explain.Tell(id, record, logged, rules)
	if !story.Known() {
		return fmt.Errorf("explain %s: %w, and no message or log line is about one", id, reference.ErrNoHold)
	}
	if skipped > 0 {
		fmt.Fprintf(c.stderr, "%s: passed over %s of the log, which are none of ours\n", name, count(skipped, "line"))
	}
	return c.print(story, func(w io.Writer) { writeStory(w, story) })
}

func readLog(path string, id reference.HoldID) ([]explain.Event, int, error) {
	from, closed, err := open("log", path)
	if err != nil {
		return nil, 0, err
	}
	defer closed()
	events, skipped, err := explain.ReadLog(from, id)
	if err != nil {
		return nil, 0, failed("it must be a file that this user can read", "log %s: %v", path, err)
	}
	return events, skipped, nil
}

// open opens a file to be read, - being stdin.
func open(what, path string) (io.Reader, func(), error) {
	if path == "-" {
		return os.Stdin, func() {}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, usage("it must be a file that this user can read", "%s: %v", what, err)
	}
	// It was read only.
	return f, func() { _ = f.Close() }, nil
}

func writeStory(w io.Writer, s *explain.Story) {
	if len(s.Now) == 0 {
		fmt.Fprintf(w, "there is no hold %s now\n", s.Hold)
	}
	for _, line := range s.Now {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	ahead := false
	for _, e := range s.Events {
		if e.At.After(s.At) && !ahead {
			ahead = true
			fmt.Fprintf(w, "%s\tnow\t\n", millisecond(s.At))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", millisecond(e.At), e.Source, e.Text)
	}
	if !ahead {
		fmt.Fprintf(w, "%s\tnow\t\n", millisecond(s.At))
	}
	for _, f := range s.Broken {
		fmt.Fprintf(w, "\n%s is broken (%s): %s\n", f.Promise, f.Class, f.Sentence)
	}
}

// millisecond is t in UTC, to the millisecond, all of one length.
func millisecond(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000Z") }
