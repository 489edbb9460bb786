package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/admin"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/connect"
)

// connectionsMax is what a command can use.
const connectionsMax = 4

// control is what commands work with.
type control struct {
	*commandLine
	read           *settings.Read
	environment    []string
	stdout, stderr io.Writer
}

// tables are the database with all that commands read and write it by.
type tables struct {
	admin.Tables
	store *postgres.Store
	holds reference.Holds
}

// connect opens the database, and makes sure that it has the schema.
func (c *control) connect(ctx context.Context) (*tables, func(), error) {
	db, err := c.database()
	if err != nil {
		return nil, nil, err
	}
	// What was done is done, whatever closing says.
	closed := func() { _ = db.Close() }
	if err := connect.CheckDatabase(ctx, db); err != nil {
		closed()
		return nil, nil, err
	}
	store := postgres.NewStore(db)
	return &tables{admin.Tables{DB: db}, store, reference.Holds{Store: store}}, closed, nil
}

func (c *control) database() (*sql.DB, error) {
	if err := c.Database.Check(); err != nil {
		return nil, err
	}
	return connect.Database(c.Database, name, connectionsMax, 0)
}

// policy is the pipeline's, which has to work and to say how often a sweep is made.
func (c *control) policy() (reference.Policy, error) {
	if err := c.Policy.Check(len(reference.Channels)); err != nil {
		return reference.Policy{}, err
	}
	if c.SweepPeriod == 0 {
		return reference.Policy{}, usage("set SEATHOLD_SWEEP_PERIOD to what the hosted cron keeps to", "sweep-period is 0, and %s can judge nothing without it", name)
	}
	return c.Policy.Reference(), nil
}

func (c *control) rules() (audit.Rules, error) {
	p, err := c.policy()
	return audit.Rules{Policy: p}, err
}

// tableQueue refuses what only the queue in the database can do.
func (c *control) tableQueue(what string) error {
	if err := c.Queue.Check(); err != nil {
		return err
	}
	if c.Queue.Queue != settings.QueuePostgres {
		return &settings.Problem{
			What: fmt.Sprintf("%s: queue is %s, and a hosted queue doesn't show its messages", what, c.Queue.Queue), Exit: settings.ExitFailed,
			Hint: "use the service's own console; the sweep accounts for windows whose messages are lost or set aside",
		}
	}
	return nil
}

// publisher is the queue that the settings name.
func (c *control) publisher(db *sql.DB) (reference.Publisher, error) {
	if err := c.Queue.Check(); err != nil {
		return nil, err
	}
	clk := clock.New()
	q, err := connect.NewQueue(c.Queue, c.Policy.Reference(), db, clk, process.ClockWaiter{Clock: clk}, slog.New(slog.DiscardHandler))
	return q.Publisher, err
}

func wait(ctx context.Context, d time.Duration) error {
	return process.ClockWaiter{Clock: clock.New()}.Wait(ctx, d)
}

// print writes the result: v as JSON, or what text writes, tabs made columns.
func (c *control) print(v any, text func(w io.Writer)) error {
	if c.JSON {
		encoder := json.NewEncoder(c.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(v)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	text(w)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(c.stdout, b.String())
	return err
}

// progress tells whoever watches a terminal what is being done.
func (c *control) progress(format string, args ...any) {
	if f, is := c.stderr.(*os.File); is {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(f, name+": "+format+"\n", args...)
		}
	}
}

func usage(hint, format string, args ...any) error {
	return &settings.Problem{What: fmt.Sprintf(format, args...), Hint: hint, Exit: settings.ExitUsage}
}

func failed(hint, format string, args ...any) error {
	return &settings.Problem{What: fmt.Sprintf(format, args...), Hint: hint, Exit: settings.ExitFailed}
}

// hints are for errors that say what is wrong and not what to do.
var hints = []struct {
	of   error
	hint string
}{
	{reference.ErrNoHold, "holdctl hold list shows what there is"},
	{reference.ErrHoldExists, "holdctl hold show shows it; a hold's id is never used twice"},
	{reference.ErrNotHeld, "a hold leaves held once, and stays what it became; begin another"},
	{reference.ErrRunOut, "from expires_at on the seat is free for others, whether or not it was expired yet; begin another hold"},
	{reference.ErrOtherWindow, "somebody has extended it since: holdctl hold show, and name the window by --from"},
	{reference.ErrNotLater, "windows only move to later times: --to must be after the present expires_at"},
	{context.Canceled, "it was interrupted; it may be run again"},
	{context.DeadlineExceeded, "the database did not answer in time; is something locking its tables?"},
}

// explained gives err a hint, where it has none.
func explained(err error) error {
	var p *settings.Problem
	if errors.As(err, &p) {
		return err
	}
	p = &settings.Problem{What: settings.Plain(err), Exit: settings.ExitFailed}
	if errors.Is(err, reference.ErrInvalid) {
		p.Exit, p.Hint = settings.ExitUsage, "see "+name+" --help"
	}
	for _, h := range hints {
		if errors.Is(err, h.of) {
			p.Hint = h.hint
			return p
		}
	}
	return p
}

// second is t in UTC, to the second.
func second(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// printable is text that came from elsewhere, as it may go to a terminal, and not longer than most.
func printable(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '\ufffd'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// count is n with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
