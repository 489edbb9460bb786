// Command holdsim runs scenarios of the reminder pipeline: see its help.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	_ "time/tzdata" // scenarios name zones, and the machine may have none

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/onpostgres"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/suite"
)

const help = `holdsim runs scenarios of the seat-hold reminder pipeline in virtual time.

  holdsim run [-store memory|postgres] [-passes 1|2] [-rewrite] [-json] [-stop-at N [-all]] FILES|DIR
        run and judge every scenario; twice, the second time in a fresh process; or stop at an event,
        and print those that led to it, and the tables then
  holdsim check FILES|DIR
        parse and check scenarios, and run nothing
  holdsim trace [-store memory|postgres] [-hold H] FILE
        print all settings in force and every event, or those of one hold
  holdsim matrix [-json] [-write FILE] [-jobs N] [-budget N] [FILES|DIR]
        put every defect of faults/defects to every scenario, and to a search that stops after
        -budget runs, and say who kills whom, by what and how soon; -write puts the tables into a file
  holdsim matrix -defect NAME FILES|DIR
        run scenarios with one defect, and tell each failure in full
  holdsim explore [-each KIND,…|all] [-pairs] [-orders] [-horizons] [-seeds A-B] [-for 60s] [FILES|BASES]
        search for scenarios that break a promise, and shrink each to a file ready to save: a base
        with one fault more at every moment of every call, with two, in all orders of simultaneous
        steps up to -preemptions N (default 2), with something done around every time after which
        something forgets; and whole scenarios made up from seeds. Bases are built in, if none is
        named; one that is named, and nothing else, means -each all.
        -profile standard|fifo|table, -defect NAME, -store: what is searched; -shard i/n, -cores N
        (default all): how; -shrink RUNS at most for each finding (default 4000), -save DIR, -json,
        -junit FILE: what is told; -require-marks fails a search that never came across something
        that it should
  holdsim broker [-listen 127.0.0.1:0] [-faults FILE]
        serve a simulated hosted queue over HTTP on loopback, in real time, with the queue
        and the faults of a scenario; prints its address; SIGINT or SIGTERM ends it

exit codes: 0 all held; 1 a promise, an expectation or a golden failed, a fault never fired,
a defect or a scenario is idle in the matrix, or what a search must meet was never met; 2 a bad
scenario or usage; 3 the harness is at fault

-store postgres gets a server as SEATHOLD_POSTGRES says: docker, local, or a URL.
`

// The exit codes.
const (
	exitHeld    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitHarness = 3
)

func main() { os.Exit(run(os.Args[0], os.Args[1:], os.Stdout, os.Stderr)) }

// usageError is a command line that can't be understood. Commands in its hint begin with holdsim,
// however it was called.
type usageError struct{ msg, hint string }

func (e usageError) Error() string { return e.msg }

// inputError is a scenario that can't be read, or is none; its text says where.
type inputError struct{ error }

// load parses and checks scenarios.
func load(files []string) ([]*script.Scenario, error) {
	scenarios, err := suite.Load(files)
	if err != nil {
		return nil, inputError{err}
	}
	return scenarios, nil
}

// run runs a command; program is what a person has to type to get at it.
func run(program string, args []string, stdout, stderr io.Writer) int {
	commands := map[string]func(*app, []string) (int, error){"run": runCommand, "check": checkCommand, "trace": traceCommand, "again": againCommand, "broker": brokerCommand, "matrix": matrixCommand, "explore": exploreCommand}
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" || args[0] == "-help" {
		fmt.Fprint(stdout, help)
		if len(args) == 0 {
			return exitUsage
		}
		return exitHeld
	}
	a := &app{program: program, stdout: stdout, stderr: stderr}
	defer a.close()
	command, ok := commands[args[0]]
	if !ok {
		return a.complain(usageError{fmt.Sprintf("unknown command %q", args[0]), "holdsim help lists the commands"})
	}
	code, err := command(a, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, helpOf(args[0]))
		return exitHeld
	}
	if err != nil {
		return a.complain(err)
	}
	return code
}

// helpOf is the part of the help that is about one command; all of it, if no part is.
func helpOf(command string) string {
	own, of := "", false
	for _, line := range strings.SplitAfter(help, "\n") {
		if strings.HasPrefix(line, "  holdsim ") || !strings.HasPrefix(line, "  ") {
			of = strings.HasPrefix(line, "  holdsim "+command+" ")
		}
		if of {
			own += line
		}
	}
	return cmp.Or(own, help)
}

// app is one run of the command.
type app struct {
	program        string // as it was called
	stdout, stderr io.Writer
	closers        []func() error
}

func (a *app) close() {
	for _, c := range a.closers {
		if err := c(); err != nil {
			fmt.Fprintf(a.stderr, "holdsim: %v\n", err)
		}
	}
}

// complain says what is wrong, and gives the exit code for it.
func (a *app) complain(err error) int {
	var usage usageError
	var bad inputError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "holdsim: %s\n", usage.msg)
		if usage.hint != "" {
			fmt.Fprintf(a.stderr, "hint: %s\n", strings.ReplaceAll(usage.hint, "holdsim ", a.program+" "))
		}
		return exitUsage
	case errors.As(err, &bad):
		fmt.Fprintln(a.stderr, bad.error)
		return exitUsage
	}
	fmt.Fprintf(a.stderr, "holdsim: %v\n", err)
	if !errors.Is(err, sim.ErrHarness) {
		fmt.Fprintln(a.stderr, "hint: this is no verdict on the pipeline; nothing was judged")
	}
	return exitHarness
}

// flags parses a command's flags, and wants files among them.
func flags(f *flag.FlagSet, args []string) ([]string, error) {
	files, err := parseFlags(f, args)
	if err == nil && len(files) == 0 {
		err = usageError{f.Name() + ": no files named", "name scenario files, or a folder of them: holdsim " + f.Name() + " scenarios"}
	}
	return files, err
}

// parseFlags parses a command's flags, wherever among the files they stand.
func parseFlags(f *flag.FlagSet, args []string) ([]string, error) {
	f.SetOutput(io.Discard)
	var files []string
	for len(args) > 0 {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		if err != nil {
			return nil, usageError{fmt.Sprintf("%s: %v", f.Name(), err), "holdsim help shows the flags of each command"}
		}
		args = f.Args()
		for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			files = append(files, args[0])
			args = args[1:]
		}
	}
	return files, nil
}

// backend opens a store by its name.
func (a *app) backend(store string) (sim.Backend, error) {
	switch store {
	case "memory":
		return sim.Memory{}, nil
	case "postgres":
		b, err := onpostgres.Start(context.Background())
		if err != nil {
			return nil, err
		}
		a.closers = append(a.closers, b.Close)
		return b, nil
	}
	return nil, usageError{fmt.Sprintf("-store %s is neither memory nor postgres", store), ""}
}
