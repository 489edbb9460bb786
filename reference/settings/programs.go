package settings

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/seathold/seathold/reference"
)

// Sweep is the command line of holdsweep.
type Sweep struct {
	Common   `group:"Program"`
	Database `group:"Database"`
	Queue    `group:"Queue"`
	Policy   `group:"Policy"`
	Watch    `group:"Watching"`

	Serve ServeCommand `cmd:"" help:"Answer POST /hooks/sweep-seat-holds with the report of a sweep, for a hosted cron."`
	Once  OnceCommand  `cmd:"" help:"Make one sweep, print its report, and exit: 0 if everything found was published, else 1. For crontab or a CronJob."`
	Every EveryCommand `cmd:"" help:"Sweep every so often, beginning now."`
	Cron  CronCommand  `cmd:"" help:"Sweep on a schedule."`
}

// ServeCommand is holdsweep serve.
type ServeCommand struct {
	Hook `group:"Endpoint"`
}

// OnceCommand is holdsweep once.
type OnceCommand struct{}

// EveryCommand is holdsweep every.
type EveryCommand struct {
	Period   time.Duration `arg:"" help:"How often, such as 1m."`
	Schedule `group:"Schedule"`
}

// CronCommand is holdsweep cron.
type CronCommand struct {
	Spec     string `arg:"" help:"Five fields as in crontab, quoted, such as '* * * * *'; or @hourly and the like."`
	Zone     string `arg:"" optional:"" default:"UTC" help:"The time zone of it. A time in the gap of spring is left out, and one in the repeated hour of autumn comes twice."`
	Schedule `group:"Schedule"`
}

// Check refuses settings that can't be together. The period is what a program with its own
// schedule knows of it, and else negative.
func (s *Sweep) Check(period time.Duration) error {
	if period >= 0 {
		s.SweepPeriod = period
	}
	for _, err := range []error{
		// Which channels the workers send on isn't known here: all of them, at most.
		s.Database.Check(), s.Policy.Check(len(reference.Channels)), s.Queue.Check(), s.Watch.Check(),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Worker is the command line of holdworker.
type Worker struct {
	Common   `group:"Program"`
	Database `group:"Database"`
	Queue    `group:"Queue"`
	Channels `group:"Channels"`
	Slots    `group:"Work"`
	Policy   `group:"Policy"`
	Watch    `group:"Watching"`
}

// Check refuses settings that can't be together.
func (w *Worker) Check() error {
	for _, err := range []error{
		w.Database.Check(), w.Slots.Check(), w.Channels.Check(w.Policy), w.Policy.Check(len(w.Chosen())),
		w.Queue.Check(), w.Watch.Check(),
	} {
		if err != nil {
			return err
		}
	}
	if need := w.Slots.Slots + workerConnections; w.DatabaseConnections > 0 && w.DatabaseConnections < need {
		return refuse("set "+envOf("database-connections")+" to 0, or lower "+envOf("slots"),
			"database-connections is %d, and %d slots + %d for watching need %d", w.DatabaseConnections, w.Slots.Slots, workerConnections, need)
	}
	return nil
}

// workerConnections are what a worker needs besides one connection for each slot.
const workerConnections = 2

// Connections is how many connections a worker may open.
func (w *Worker) Connections() int { return w.Slots.Slots + workerConnections }

// Check refuses a database that isn't named.
func (d Database) Check() error {
	switch {
	case d.DatabaseURL == "":
		return refuse(setBy("database-url")+", such as postgres://seathold@localhost/seathold", "database-url is not set")
	case d.DatabaseConnections < 0:
		return refuse("0 is as many as it can use", "database-connections is %d and must not be negative", d.DatabaseConnections)
	}
	return nil
}

const (
	tokenBytesMin = 16
	whsec         = "whsec_"
)

// Check refuses an endpoint that anybody could call, and secrets that could be guessed.
func (h Hook) Check() error {
	if err := checkAddress("listen", h.Listen); err != nil {
		return err
	}
	tokens, secrets := h.HookToken.Lines(), h.HookSecret.Lines()
	switch {
	case !Loopback(h.Listen) && len(tokens) == 0 && len(secrets) == 0:
		return refuse(setBy("hook-token")+" or hook-secret; or listen on 127.0.0.1",
			"listen is %s, where anybody may call, and neither hook-token nor hook-secret is set", h.Listen)
	case slices.ContainsFunc(tokens, func(t string) bool { return len(t) < tokenBytesMin }):
		return refuse("make one: head -c 32 /dev/urandom | base64", "hook-token has fewer than %d bytes and could be guessed", tokenBytesMin)
	case slices.ContainsFunc(tokens, func(t string) bool { return strings.ContainsAny(t, " \t") }):
		return refuse("several tokens stand one a line", "hook-token has a space in it")
	case h.Grace < 0:
		return refuse("0 is no grace at all", "grace is %s and must not be negative", h.Grace)
	}
	for _, s := range secrets {
		if key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, whsec)); err != nil || len(key) < tokenBytesMin {
			return refuse("whsec_ and the base64 of 24 to 64 bytes: echo whsec_$(head -c 32 /dev/urandom | base64)",
				"hook-secret is not the base64 of %d bytes or more", tokenBytesMin)
		}
	}
	return nil
}

// Check refuses a schedule that can't be.
func (s Schedule) Check() error {
	if s.Jitter < 0 || s.Grace < 0 {
		return refuse("0 is none", "jitter %s and grace %s must not be negative", s.Jitter, s.Grace)
	}
	return nil
}

// Named gives one of Programs. A name that is none is our mistake.
func Named(name string) Program {
	for _, p := range Programs() {
		if p.Name == name {
			return p
		}
	}
	panic("no program " + name)
}

// Programs are the programs whose settings are documented here, with a command line to be read
// into for each.
func Programs() []Program {
	return []Program{
		{
			Name: "holdsweep", Into: &Sweep{}, Vars: kong.Vars{"metrics_listen": "127.0.0.1:9464"},
			Purpose: "holdsweep finds seat holds that are due for a reminder or have run out, and puts a message about each in the queue. Any number may run at once.",
		},
		{
			Name: "holdworker", Into: &Worker{}, Vars: kong.Vars{"metrics_listen": "127.0.0.1:9465"},
			Purpose: "holdworker takes messages from the queue, sends what is still to be sent, expires what has run out, and acknowledges last. Any number may run at once.",
		},
	}
}
