// Command bench measures the pipeline on Postgres: how long a sweep takes, how much it publishes a
// second and in how much memory, and how many reminders a second workers send, with how many commits.
// Each figure stands beside what raw Postgres does in the same round, for a machine's speed and its
// load are in both, and beside River, a job queue on the same server.
//
//	go run .                 everything, three rounds of each
//	go run . -only worker    one part: latency, publish, split, worker, river
//
// The server is one to throw away, as SEATHOLD_POSTGRES says: see package pgserver. One that pgserver
// starts doesn't sync; name a running server by its URL to measure one that does. README.md has
// figures, and says what they mean.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"

	"github.com/seathold/seathold/reference/postgres/pgserver"
)

const module = "github.com/seathold/seathold"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what every measurement needs.
type bench struct {
	server *pgserver.Server
	// bin is where the programs were built.
	bin string
	// due is how many holds a large sweep finds; work how many messages workers handle.
	due, work, rounds int
	// slots is how many do something at once, ours and raw.
	slots int
	table *table
}

// parts are the measurements, in order.
var parts = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"latency", (*bench).latency}, {"publish", (*bench).publish}, {"split", (*bench).split}, {"worker", (*bench).worker}, {"river", (*bench).river},
}

func run(ctx context.Context) (err error) {
	b := &bench{table: &table{out: os.Stdout}}
	flag.IntVar(&b.due, "due", 100_000, "how many holds a large sweep finds")
	flag.IntVar(&b.work, "messages", 10_000, "how many messages workers handle, of two reminders each")
	flag.IntVar(&b.rounds, "rounds", 3, "how often each measurement is made; the median is shown")
	flag.IntVar(&b.slots, "slots", 16, "how many slots workers have, and clients raw Postgres")
	only := flag.String("only", "", "the parts to run, with commas between; all if empty")
	profile := flag.String("cpuprofile", "", "a file for a profile of this process")
	flag.Parse()
	if *profile != "" {
		stop, err := profileTo(*profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	b.server, err = pgserver.Start(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closed := b.server.Close(); err == nil {
			err = closed
		}
	}()
	if err := b.describe(ctx); err != nil {
		return err
	}
	stop, err := b.build(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for _, p := range parts {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), p.name) {
			continue
		}
		if err := p.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func profileTo(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, nil
}

// build builds the programs that are measured as they are run, in their own module.
func (b *bench) build(ctx context.Context) (remove func(), err error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("find the programs: %w; run bench in its own folder", err)
	}
	b.bin, err = os.MkdirTemp("", "seathold-bench")
	if err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(b.bin) }
	for _, program := range []string{"holdsweep", "holdworker"} {
		c := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(b.bin, program), "./reference/cmd/"+program)
		c.Dir = strings.TrimSpace(string(root))
		if out, err := c.CombinedOutput(); err != nil {
			remove()
			return nil, fmt.Errorf("build %s: %w\n%s", program, err, out)
		}
	}
	return remove, nil
}
