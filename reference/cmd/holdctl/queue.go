package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
)

type queueStats struct{}

func (*queueStats) run(ctx context.Context, c *control) error {
	if err := c.tableQueue("queue stats"); err != nil {
		return err
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	s, err := postgres.NewQueue(t.DB, postgres.QueueConfig{}).Stats(ctx)
	if err != nil {
		return err
	}
	oldest := s.Oldest.Round(time.Millisecond)
	return c.print(map[string]any{
		"ready": s.Ready, "hidden": s.Hidden, "delayed": s.Delayed, "dead": s.Dead, "oldest_seconds": oldest.Seconds(),
	}, func(w io.Writer) {
		fmt.Fprintf(w, "ready\t%d\nhidden\t%d\tin a worker's hands, or given back for a while\ndelayed\t%d\ndead\t%d\noldest\t%s\tsince the oldest in the queue was published\n",
			s.Ready, s.Hidden, s.Delayed, s.Dead, oldest)
	})
}

type queuePeek struct {
	Limit int `default:"10" help:"How many at most."`
}

// shownMessage is a message as it is shown.
type shownMessage struct {
	ID          string           `json:"message_id"`
	Kind        string           `json:"kind"`
	Hold        reference.HoldID `json:"hold_id,omitempty"`
	Window      time.Time        `json:"window,omitzero"`
	PublishedAt time.Time        `json:"published_at"`
	VisibleAt   time.Time        `json:"visible_at,omitzero"`
	Receives    int              `json:"receives"`
	DeadAt      time.Time        `json:"dead_at,omitzero"`
	Reason      string           `json:"reason,omitempty"`
}

const notAMessage = "not-a-message"

// about gives the kind of a message, and the window that it is about.
func about(payload []byte) (kind string, w reference.Window) {
	m, err := reference.DecodeMessage(payload)
	if err != nil {
		return notAMessage, reference.Window{}
	}
	return string(m.Kind), m.Window
}

func (m shownMessage) subject() string {
	if m.Hold == "" {
		return "-"
	}
	return reference.Window{Hold: m.Hold, ExpiresAt: m.Window}.String()
}

func (q *queuePeek) run(ctx context.Context, c *control) error {
	if err := checkLimit(q.Limit); err != nil {
		return err
	}
	if err := c.tableQueue("queue peek"); err != nil {
		return err
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	messages, now, err := t.Peek(ctx, q.Limit)
	if err != nil {
		return err
	}
	list := []shownMessage{}
	for _, m := range messages {
		kind, w := about(m.Payload)
		list = append(list, shownMessage{ID: m.ID, Kind: kind, Hold: w.Hold, Window: w.ExpiresAt, PublishedAt: m.PublishedAt, VisibleAt: m.VisibleAt, Receives: m.Receives})
	}
	return c.print(map[string]any{"messages": list}, func(w io.Writer) {
		fmt.Fprintln(w, "MESSAGE\tKIND\tABOUT\tPUBLISHED\tDELIVERED\tVISIBLE")
		for _, m := range list {
			visible := "now"
			if m.VisibleAt.After(now) {
				visible = "in " + m.VisibleAt.Sub(now).Round(time.Second).String()
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", m.ID, m.Kind, m.subject(), second(m.PublishedAt), m.Receives, visible)
		}
	})
}
