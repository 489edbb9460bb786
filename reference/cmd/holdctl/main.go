// Command holdctl is the operator's: it migrates, looks, explains, audits, redrives and prunes. See
// holdctl --help.
//
// Results go to stdout, as text or with --json as one JSON value a command; everything else goes to
// stderr. Exit codes: 0 done, and nothing is wrong; 1 it could not be done, or what was asked for is
// not so (pending migrations, a promise broken); 2 the command line or the settings can't be.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // holds are created in zones, and the machine may have none

	"github.com/alecthomas/kong"

	"github.com/seathold/seathold/reference/settings"
)

const name = "holdctl"

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }

// commandLine is what holdctl may be told.
type commandLine struct {
	Version           kong.VersionFlag `help:"Print the version and exit."`
	JSON              bool             `name:"json" help:"Print results as JSON."`
	settings.Database `group:"Database"`
	settings.Queue    `group:"Queue"`
	settings.Policy   `group:"Policy"`

	Migrate struct {
		Up     migrateUp     `cmd:"" help:"Bring the schema up to date. Any number may do it at once: they take turns."`
		Status migrateStatus `cmd:"" help:"List the steps of the schema. Exit code 1 while one is pending."`
	} `cmd:"" help:"The schema of the database."`
	Hold struct {
		Create  holdCreate  `cmd:"" help:"Begin a hold."`
		Confirm holdConfirm `cmd:"" help:"Make the seat the learner's for good. Refused from expires_at on."`
		Cancel  holdCancel  `cmd:"" help:"Give the seat back now."`
		Extend  holdExtend  `cmd:"" help:"Move a hold to a later end, which begins a new window with reminders of its own."`
		Show    holdShow    `cmd:"" help:"Show a hold and its reminders."`
		List    holdList    `cmd:"" help:"List holds by the time at which they expire."`
	} `cmd:"" help:"What learners and admins do."`
	Queues struct {
		Stats queueStats `cmd:"" help:"Count messages."`
		Peek  queuePeek  `cmd:"" help:"Look at the next messages, without taking them."`
	} `cmd:"" name:"queue" help:"The queue."`
	Dead struct {
		List    deadList    `cmd:"" help:"List messages that were set aside."`
		Show    deadShow    `cmd:"" help:"Show one, and what would come of redriving it."`
		Redrive deadRedrive `cmd:"" help:"Put messages back into the queue. It says first what will come of it."`
	} `cmd:"" help:"Dead letters."`
	Explain explainCommand `cmd:"" help:"Tell all that the tables, and the logs, know about a hold, in order of time."`
	Audit   auditCommand   `cmd:"" help:"Hold the promises P1 to P5 against the tables and a provider's log. Exit code 1 if one is broken."`
	Smoke   smokeCommand   `cmd:"" help:"Send a short hold through the live pipeline, replay its messages, and remove it. It sends real reminders."`
	Prune   pruneCommand   `cmd:"" help:"Remove finished holds with their reminders, dead letters, and reports of sweeps."`
	Config  configCommand  `cmd:"" help:"Show the settings in effect, where each comes from, and what is wrong with them. Secrets are masked."`

	chosen command
}

// command is one of the commands above.
type command interface {
	run(ctx context.Context, c *control) error
}

// AfterApply keeps which command was chosen, for kong to call.
func (c *commandLine) AfterApply(ctx *kong.Context) error {
	if n := ctx.Selected(); n != nil {
		c.chosen, _ = n.Target.Addr().Interface().(command)
	}
	return nil
}

func program(into *commandLine) settings.Program {
	return settings.Program{
		Name: name, Into: into,
		Purpose: "holdctl is for operators of the seat hold pipeline: schema, holds, queue, dead letters, and whether the promises were kept.",
	}
}

func run(args, environment []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var line commandLine
	read, err := program(&line).Read(args, environment, stdout)
	if errors.Is(err, settings.ErrHelped) {
		return settings.ExitDone
	}
	var secrets []string
	if err == nil {
		secrets = read.Secrets
		c := &control{commandLine: &line, read: read, environment: environment, stdout: stdout, stderr: stderr}
		err = line.chosen.run(ctx, c)
	}
	if err == nil {
		return settings.ExitDone
	}
	var complaint strings.Builder
	code := settings.Complain(&complaint, name, explained(err))
	// Whether or not it can be written, the exit code says it.
	_, _ = io.WriteString(stderr, withoutSecrets(complaint.String(), secrets))
	return code
}

// secretBytesMin is the length below which cutting out a secret would cut out anything.
const secretBytesMin = 4

func withoutSecrets(text string, secrets []string) string {
	for _, s := range secrets {
		if len(s) >= secretBytesMin {
			text = strings.ReplaceAll(text, s, "[secret]")
		}
	}
	return text
}
