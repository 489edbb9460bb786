package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/admin"
	"github.com/seathold/seathold/reference/redrive"
	"github.com/seathold/seathold/reference/settings"
)

type deadRedrive struct {
	IDs []string `arg:"" optional:"" name:"message" help:"The messages' ids."`
	chosenDead
	All       bool `help:"All of them."`
	Most      int  `default:"1000" help:"How many at most, the oldest first."`
	PerSecond int  `default:"10" help:"How many a second at most."`
	DryRun    bool `help:"Say what would come of it, and leave it."`
}

type redriven struct {
	Matching int            `json:"matching"`
	Chosen   int            `json:"chosen"`
	Plan     []redrive.Fate `json:"plan"`
	DryRun   bool           `json:"dry_run"`
	Redriven int            `json:"redriven"`
}

func (d *deadRedrive) check() error {
	switch {
	case len(d.IDs) == 0 && d.Reason == "" && d.OlderThan == 0 && d.NewerThan == 0 && !d.All:
		return usage("name messages, or say --reason, --older-than, --newer-than or --all", "dead redrive: nothing says which")
	case len(d.IDs) > 0 && d.All:
		return usage("leave out one of them", "dead redrive: messages are named, and --all is said")
	case d.PerSecond < 1 || d.PerSecond > limitMax:
		return usage("10 is the default", "per-second is %d and must be from 1 to %d", d.PerSecond, limitMax)
	case d.Most < 1 || d.Most > limitMax:
		return usage("1000 is the default", "most is %d and must be from 1 to %d", d.Most, limitMax)
	}
	return d.chosenDead.check()
}

func (d *deadRedrive) run(ctx context.Context, c *control) error {
	if err := d.check(); err != nil {
		return err
	}
	planner, err := c.planner()
	if err != nil {
		return err
	}
	t, closed, err := c.deadLetters(ctx, "dead redrive")
	if err != nil {
		return err
	}
	defer closed()
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	filter := d.filter(now)
	filter.IDs = d.IDs
	letters, total, err := t.DeadLetters(ctx, filter, d.Most)
	if err != nil {
		return err
	}
	if len(d.IDs) > 0 && total == 0 {
		return failed("holdctl dead list shows what there is", "none of the messages named is a dead letter")
	}
	plan, err := planner.Plan(ctx, t.Tables, letters)
	if err != nil {
		return err
	}
	result := redriven{Matching: total, Chosen: len(letters), Plan: plan, DryRun: d.DryRun}
	if !c.JSON {
		// Before it is done.
		if err := c.print(nil, result.writePlan); err != nil {
			return err
		}
	}
	var stopped error
	if !d.DryRun {
		result.Redriven, stopped = d.redrive(ctx, c, t, letters)
	}
	err = c.print(result, func(w io.Writer) {
		if d.DryRun {
			fmt.Fprintln(w, "dry run: nothing was redriven")
		} else {
			fmt.Fprintf(w, "%d redriven\n", result.Redriven)
		}
	})
	if stopped != nil {
		return failed("run it again: what was redriven is no dead letter any more", "dead redrive: %d of %d redriven: %v", result.Redriven, result.Chosen, stopped)
	}
	return err
}

func (r redriven) writePlan(w io.Writer) {
	if r.Chosen < r.Matching {
		fmt.Fprintf(w, "%s chosen of %d that match\n", count(r.Chosen, "dead letter"), r.Matching)
	} else {
		fmt.Fprintf(w, "%s chosen\n", count(r.Chosen, "dead letter"))
	}
	for _, f := range r.Plan {
		text := f.Meaning
		if f.Sends > 0 {
			text += fmt.Sprintf(" (%d)", f.Sends)
		}
		fmt.Fprintf(w, "  %d\t%s\n", f.Messages, text)
	}
}

// redrive puts back so many a second, and gives how many there were; others may have been there first.
func (d *deadRedrive) redrive(ctx context.Context, c *control, t *tables, letters []admin.DeadLetter) (int, error) {
	queue, done := postgres.NewQueue(t.DB, postgres.QueueConfig{}), 0
	for begin := 0; begin < len(letters); begin += d.PerSecond {
		if begin > 0 {
			c.progress("%d of %d redriven", done, len(letters))
			if err := wait(ctx, time.Second); err != nil {
				return done, errors.New("interrupted")
			}
		}
		var ids []string
		for _, l := range letters[begin:min(begin+d.PerSecond, len(letters))] {
			ids = append(ids, l.MessageID)
		}
		n, err := queue.Redrive(ctx, ids)
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// planner takes the key horizons from what a worker would be told by this environment.
func (c *control) planner() (redrive.Planner, error) {
	policy, err := c.policy()
	if err != nil {
		return redrive.Planner{}, err
	}
	p := redrive.Planner{Policy: policy, Horizons: map[reference.Channel]time.Duration{}}
	commandLine := settings.Named("holdworker")
	if _, err := commandLine.Read(nil, c.environment, io.Discard); err != nil {
		return redrive.Planner{}, err
	}
	worker := commandLine.Into.(*settings.Worker)
	for _, channel := range reference.Channels {
		p.Horizons[channel] = worker.Channels.Of(channel).KeyHorizon
	}
	return p, nil
}
