package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/throwaway"
	"github.com/seathold/seathold/reference/e2e/wire"
	"github.com/seathold/seathold/reference/e2e/witness"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/pgserver"
)

const (
	commands = "github.com/seathold/seathold/reference/cmd/"
	secret   = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	// slack is how long a process may not be run on a busy machine.
	slack = time.Second
)

// world is everything that a run has.
type world struct {
	options
	stderr io.Writer
	began  time.Time
	dir    string
	server *pgserver.Server
	// shared says that others use the server, too: it is cut off, and never crashed.
	shared bool
	made   *pgserver.Database
	// admin is a pool on the server itself; the programs and the people come through the proxy.
	admin, people *sql.DB
	store         *postgres.Store
	proxy         *wire.Proxy
	providers     []*provider
	export        *os.File
	processes     []*process

	running sync.WaitGroup // of the processes' keepers
	ctx     context.Context
	stop    context.CancelFunc

	did    did
	crowd  people
	healed time.Time
	found  *witness.Verdict
	broken []string
}

// provider is one of a channel.
type provider struct {
	channel reference.Channel
	*stub.Stub
	*stub.Server
}

// policy is one by which a hold of seconds goes all the way.
func policy() reference.Policy {
	p := reference.DefaultPolicy()
	p.Lead, p.Cutoff = 6*time.Second, time.Second
	p.SweepPeriod, p.SweepBudget, p.Renominate = time.Second, 5*time.Second, time.Second
	p.SendTimeout, p.StoreTimeout, p.Lease, p.Visibility = 600*time.Millisecond, 2*time.Second, 1500*time.Millisecond, 4*time.Second
	p.LongPoll, p.Backstop, p.Page = time.Second, 8*time.Second, 50
	return p
}

// build makes everything, and starts the programs. What was made is given also with an error.
func build(ctx context.Context, o options, stderr io.Writer) (*world, error) {
	w := &world{options: o, stderr: stderr, began: time.Now(), shared: strings.Contains(os.Getenv("SEATHOLD_POSTGRES"), "://")}
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.did.counts = map[string]int{}
	w.crowd.told, w.crowd.done = map[reference.HoldID]reference.State{}, map[string]int{}
	for _, step := range []func(context.Context) error{w.compile, w.database, w.provide, w.start} {
		if err := step(ctx); err != nil {
			return w, err
		}
	}
	w.say("%d programs on %s", len(w.processes), w.server.Origin())
	return w, nil
}

// say tells of progress.
func (w *world) say(format string, args ...any) {
	fmt.Fprintf(w.stderr, "soak %6.1fs: %s\n", time.Since(w.began).Seconds(), fmt.Sprintf(format, args...))
}

// chance is what choices of one kind go by.
func (w *world) chance(of uint64) *rand.Rand { return rand.New(rand.NewPCG(w.seed, of)) }

func (w *world) compile(ctx context.Context) (err error) {
	if w.dir, err = os.MkdirTemp("", "soak-"); err != nil {
		return err
	}
	for _, program := range []string{"holdsweep", "holdworker", "holdctl"} {
		out, err := exec.CommandContext(ctx, "go", "build", "-o", w.dir+string(filepath.Separator), commands+program).CombinedOutput()
		if err != nil {
			return fmt.Errorf("build %s: %w: %s", program, err, out)
		}
	}
	return nil
}

func (w *world) database(ctx context.Context) (err error) {
	if w.server, err = pgserver.Start(ctx); err != nil {
		return err
	}
	made, err := w.server.CreateDatabase(ctx)
	if err != nil {
		return err
	}
	w.made = made
	if w.admin, err = postgres.Open(made.URL(), postgres.Options{ConnectionsMax: 4}); err != nil {
		return err
	}
	if err := errors.Join(throwaway.KeepCommits(ctx, w.admin, made.Name()), postgres.Migrate(ctx, w.admin), witness.Install(ctx, w.admin)); err != nil {
		return err
	}
	if w.proxy, err = wire.Start(made.URL()); err != nil {
		return err
	}
	w.people, err = postgres.Open(w.proxy.URL(), postgres.Options{ConnectionsMax: 16})
	w.store = postgres.NewStore(w.people)
	return err
}

func (w *world) provide(context.Context) (err error) {
	if w.export, err = os.Create(filepath.Join(w.dir, "accepted.jsonl")); err != nil {
		return err
	}
	for i, channel := range reference.Channels {
		s, err := stub.New(stub.Config{Secret: secret, Log: w.export, Seed: w.seed + uint64(i)})
		if err != nil {
			return err
		}
		server, err := stub.Serve(s, "127.0.0.1:0")
		if err != nil {
			return err
		}
		w.providers = append(w.providers, &provider{channel, s, server})
	}
	return nil
}

// env is what the programs are told.
func (w *world) env(dsn string, more ...string) []string {
	p := policy()
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "SEATHOLD_DATABASE_URL=" + dsn,
		"SEATHOLD_LEAD=" + p.Lead.String(), "SEATHOLD_CUTOFF=" + p.Cutoff.String(), "SEATHOLD_SWEEP_PERIOD=" + p.SweepPeriod.String(),
		"SEATHOLD_SWEEP_BUDGET=" + p.SweepBudget.String(), "SEATHOLD_RENOMINATE=" + p.Renominate.String(),
		"SEATHOLD_SEND_TIMEOUT=" + p.SendTimeout.String(), "SEATHOLD_STORE_TIMEOUT=" + p.StoreTimeout.String(),
		"SEATHOLD_LEASE=" + p.Lease.String(), "SEATHOLD_VISIBILITY=" + p.Visibility.String(), "SEATHOLD_LONG_POLL=" + p.LongPoll.String(),
		"SEATHOLD_BACKSTOP=" + p.Backstop.String(), fmt.Sprint("SEATHOLD_PAGE=", p.Page),
	}, more...)
}

func (w *world) start(context.Context) error {
	env := w.env(w.proxy.URL(), "SEATHOLD_METRICS_LISTEN=off", "SEATHOLD_QUEUE_POLL=50ms")
	hook, err := freeAddress()
	if err != nil {
		return err
	}
	w.add("holdsweep-1", append(env, "SEATHOLD_LISTEN="+hook), "holdsweep", "serve")
	w.add("holdsweep-2", env, "holdsweep", "every", policy().SweepPeriod.String(), "--jitter=200ms")
	for _, p := range w.providers {
		of := "SEATHOLD_" + strings.ToUpper(string(p.channel))
		env = append(env, of+"_URL="+p.URL()+"/"+string(p.channel), of+"_SECRET="+secret, of+"_REF_FIELD=id")
	}
	for i := range 4 {
		w.add(fmt.Sprintf("holdworker-%d", i+1), append(env, "SEATHOLD_SLOTS=4"), "holdworker")
	}
	for i, p := range w.processes {
		w.running.Go(func() { p.keep(w.ctx, w.chance(uint64(100+i))) })
	}
	w.running.Go(func() { w.callHook(w.ctx, "http://"+hook+"/hooks/sweep-seat-holds") })
	return nil
}

func (w *world) add(name string, env []string, program string, args ...string) {
	w.processes = append(w.processes, &process{
		name: name, path: filepath.Join(w.dir, program), args: args, env: append([]string{}, env...), log: filepath.Join(w.dir, name+".log"),
	})
}

// close ends everything.
func (w *world) close() error {
	w.stop()
	w.running.Wait()
	w.crowd.here.Wait()
	var errs []error
	for _, p := range w.providers {
		p.Down()
	}
	for _, db := range []*sql.DB{w.people, w.admin} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if w.proxy != nil {
		w.proxy.Close()
	}
	if w.server != nil {
		errs = append(errs, w.drop(), w.server.Close())
	}
	if w.export != nil {
		errs = append(errs, w.export.Close())
	}
	if w.keep || len(w.broken) > 0 {
		w.say("the programs' logs and the providers' are in %s", w.dir)
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir))...)
}

// drop drops the database. A crash took the server's own session away, which it may notice only now.
func (w *world) drop() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for tries := 0; w.made != nil && tries < 3; tries++ {
		if err = w.made.Drop(ctx); err == nil {
			return nil
		}
	}
	return err
}
