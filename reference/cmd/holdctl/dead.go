package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/seathold/seathold/reference/postgres/admin"
	"github.com/seathold/seathold/reference/redrive"
)

// chosenDead is how dead letters are chosen.
type chosenDead struct {
	Reason    string        `placeholder:"TEXT" help:"Those whose reason has this in it."`
	OlderThan time.Duration `placeholder:"DURATION" help:"Those set aside longer ago."`
	NewerThan time.Duration `placeholder:"DURATION" help:"Those set aside since then."`
}

func (d chosenDead) check() error {
	if d.OlderThan < 0 || d.NewerThan < 0 {
		return usage("such as 2h", "older-than %s and newer-than %s must not be negative", d.OlderThan, d.NewerThan)
	}
	return nil
}

func (d chosenDead) filter(now time.Time) admin.DeadFilter {
	f := admin.DeadFilter{Reason: d.Reason}
	if d.OlderThan > 0 {
		f.To = now.Add(-d.OlderThan)
	}
	if d.NewerThan > 0 {
		f.From = now.Add(-d.NewerThan)
	}
	return f
}

func shownDead(l admin.DeadLetter) shownMessage {
	kind, w := about(l.Payload)
	return shownMessage{
		ID: l.MessageID, Kind: kind, Hold: w.Hold, Window: w.ExpiresAt, PublishedAt: l.PublishedAt,
		Receives: l.Receives, DeadAt: l.At, Reason: l.Reason,
	}
}

type deadList struct {
	chosenDead
	Limit int `default:"50" help:"How many at most."`
}

const reasonShown = 60

func (d *deadList) run(ctx context.Context, c *control) error {
	if err := checkLimit(d.Limit); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	t, closed, err := c.deadLetters(ctx, "dead list")
	if err != nil {
		return err
	}
	defer closed()
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	letters, total, err := t.DeadLetters(ctx, d.filter(now), d.Limit)
	if err != nil {
		return err
	}
	list := []shownMessage{}
	for _, l := range letters {
		list = append(list, shownDead(l))
	}
	return c.print(map[string]any{"dead_letters": list, "total": total}, func(w io.Writer) {
		fmt.Fprintln(w, "MESSAGE\tSET ASIDE\tKIND\tABOUT\tDELIVERED\tREASON")
		for _, m := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", m.ID, second(m.DeadAt), m.Kind, m.subject(), m.Receives, printable(m.Reason, reasonShown))
		}
		if total > len(list) {
			fmt.Fprintf(w, "…\t%d in all\n", total)
		}
	})
}

func (c *control) deadLetters(ctx context.Context, what string) (*tables, func(), error) {
	if err := c.tableQueue(what); err != nil {
		return nil, nil, err
	}
	return c.connect(ctx)
}

type deadShow struct {
	ID string `arg:"" name:"message" help:"The message's id."`
}

const payloadShown = 4000

func (d *deadShow) run(ctx context.Context, c *control) error {
	t, closed, err := c.deadLetters(ctx, "dead show")
	if err != nil {
		return err
	}
	defer closed()
	letters, _, err := t.DeadLetters(ctx, admin.DeadFilter{IDs: []string{d.ID}}, 1)
	if err != nil {
		return err
	}
	if len(letters) == 0 {
		return failed("holdctl dead list shows what there is", "there is no dead letter %q", d.ID)
	}
	planner, err := c.planner()
	if err != nil {
		return err
	}
	plan, err := planner.Plan(ctx, t.Tables, letters)
	if err != nil {
		return err
	}
	m, payload := shownDead(letters[0]), string(letters[0].Payload)
	both := struct {
		shownMessage
		Payload string         `json:"payload"`
		Plan    []redrive.Fate `json:"redriven"`
	}{m, payload, plan}
	return c.print(both, func(w io.Writer) {
		fmt.Fprintf(w, "message\t%s\nkind\t%s\nabout\t%s\npublished\t%s\nset aside\t%s\ndelivered\t%d\nreason\t%s\npayload\t%s\nredriven\t%s\n",
			m.ID, m.Kind, m.subject(), second(m.PublishedAt), second(m.DeadAt), m.Receives,
			printable(m.Reason, payloadShown), printable(payload, payloadShown), plan[0].Meaning)
	})
}
