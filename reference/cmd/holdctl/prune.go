package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/admin"
	"github.com/seathold/seathold/reference/settings"
)

type pruneCommand struct {
	OlderThan time.Duration `default:"2160h" help:"Remove what ended so long ago. It must be longer than a message can take to come back."`
	Batch     int           `default:"500" help:"How many rows a transaction."`
	Pause     time.Duration `default:"100ms" help:"How long to wait between transactions."`
	DryRun    bool          `help:"Count what would be removed, and leave it."`
}

// hostedRetention is how long a hosted queue may keep a message, by its contract.
const hostedRetention = 30 * 24 * time.Hour

// returnMax is how long after it was published a message can still come back: as long as it may be
// delayed and, at a hosted queue, kept. What lies longer in our own queue is seen there.
func returnMax(queue string) time.Duration {
	if queue == settings.QueueRest {
		return reference.DelayMax + hostedRetention
	}
	return reference.DelayMax
}

func (p *pruneCommand) check(queue string) error {
	switch least := returnMax(queue); {
	case p.OlderThan < least:
		return usage("a message that finds no reminder can't know that it was sent; 2160h is the default",
			"older-than is %s, and a message of queue %s can come back for %s: reminders must be kept longer", hours(p.OlderThan), queue, hours(least))
	case p.Batch < 1 || p.Batch > limitMax:
		return usage("500 is the default", "batch is %d and must be from 1 to %d", p.Batch, limitMax)
	case p.Pause < 0:
		return usage("0s is none", "pause is %s and must not be negative", p.Pause)
	}
	return nil
}

// hours is d without minutes and seconds that are zero.
func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return d.String()
}

func (p *pruneCommand) run(ctx context.Context, c *control) error {
	if err := p.check(c.Queue.Queue); err != nil {
		return err
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	before := now.Add(-p.OlderThan)
	var pruned admin.Pruned
	if p.DryRun {
		pruned, err = t.Prunable(ctx, before)
	} else {
		pruned, err = t.Prune(ctx, before, p.Batch, func(so admin.Pruned) error {
			c.progress("%d holds, %d dead letters and %d reports removed", so.Holds, so.DeadLetters, so.Sweeps)
			return wait(ctx, p.Pause)
		})
	}
	if err != nil {
		return failed("each batch is whole, and it may be run again", "%v; %s removed by then", err, count(pruned.Holds, "hold"))
	}
	result := struct {
		admin.Pruned
		Before time.Time `json:"before"`
		DryRun bool      `json:"dry_run"`
	}{pruned, before, p.DryRun}
	return c.print(result, func(w io.Writer) {
		done := "removed"
		if p.DryRun {
			done = "would be removed"
		}
		fmt.Fprintf(w, "%s what is older than %s:\n", done, second(before))
		fmt.Fprintf(w, "holds\t%d\nreminders\t%d\ndead letters\t%d\nreports of sweeps\t%d\n", pruned.Holds, pruned.Reminders, pruned.DeadLetters, pruned.Sweeps)
		if pruned.Kept > 0 {
			fmt.Fprintf(w, "kept\t%d\told holds that a message in the queue, or a dead letter, is still about\n", pruned.Kept)
		}
	})
}
