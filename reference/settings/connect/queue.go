package connect

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/restqueue"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/watch"
	"github.com/seathold/seathold/reference/webhook/once"
)

// Queue is the queue that was chosen.
type Queue struct {
	reference.Publisher
	reference.Consumer
	// Depth is nil where the broker doesn't say.
	Depth func(context.Context) (watch.Depth, error)
	// Stopped is why the broker is not called any more, if it isn't; nil where it never stops.
	Stopped func() error
}

// NewQueue makes the queue that the settings name.
func NewQueue(s settings.Queue, p reference.Policy, db *sql.DB, clk clock.Clock, waiter reference.Waiter, log *slog.Logger) (Queue, error) {
	if s.Queue == settings.QueueRest {
		return restQueue(s, p, clk, waiter, log)
	}
	q := postgres.NewQueue(db, postgres.QueueConfig{
		Visibility: p.Visibility, MaxReceives: p.MaxReceives, PollInterval: s.QueuePoll, Waiter: waiter,
	})
	depth := func(ctx context.Context) (watch.Depth, error) {
		s, err := q.Stats(ctx)
		return watch.Depth{Ready: s.Ready, Hidden: s.Hidden, Delayed: s.Delayed, Dead: s.Dead, Oldest: s.Oldest}, err
	}
	return Queue{Publisher: q, Consumer: q, Depth: depth}, nil
}

func restQueue(s settings.Queue, p reference.Policy, clk clock.Clock, waiter reference.Waiter, log *slog.Logger) (Queue, error) {
	config := restqueue.Config{
		URL: string(s.QueueURL), Queue: s.QueueName, Token: once.Secret(s.QueueToken.Reveal()), PayloadAsText: s.QueueText,
		Timeout: s.QueueTimeout, Poll: s.QueuePoll, Visibility: p.Visibility, Probe: s.QueueProbe,
		Alarm: func(e *restqueue.StoppedError) { log.Error("queue.stopped", "error", e) },
		Clock: clk, Waiter: waiter,
	}
	paths, fields := &config.Paths, &config.Fields
	err := rename("queue-paths", s.QueuePaths, map[string]*string{
		"publish": &paths.Publish, "consume": &paths.Consume, "ack": &paths.Ack,
	})
	if err == nil {
		err = rename("queue-fields", s.QueueFields, map[string]*string{
			"queue": &fields.Queue, "payload": &fields.Payload, "delay": &fields.Delay, "max": &fields.Max,
			"message-id": &fields.MessageID, "visibility": &fields.Visibility, "ok": &fields.OK, "data": &fields.Data,
			"messages": &fields.Messages, "duplicate": &fields.Duplicate, "receives": &fields.Receives,
		})
	}
	if err != nil {
		return Queue{}, err
	}
	q, err := restqueue.New(config)
	if err != nil {
		return Queue{}, &settings.Problem{
			What: settings.Plain(err), Exit: settings.ExitUsage, Hint: "see the settings that begin with SEATHOLD_QUEUE_ in SETTINGS.md",
		}
	}
	return Queue{Publisher: q, Consumer: q, Stopped: func() error {
		if stopped, is := q.Stopped(); is {
			return stopped
		}
		return nil
	}}, nil
}

// rename sets what the setting gives other names to.
func rename(setting string, names map[string]string, known map[string]*string) error {
	for _, of := range slices.Sorted(maps.Keys(names)) {
		if known[of] == nil {
			return &settings.Problem{
				What: fmt.Sprintf("%s: %q is none", setting, of), Exit: settings.ExitUsage,
				Hint: "there are " + strings.Join(slices.Sorted(maps.Keys(known)), ", "),
			}
		}
		*known[of] = names[of]
	}
	return nil
}
