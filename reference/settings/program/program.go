// Package program is what holdsweep and holdworker have in common between their settings and their
// work: a database and a queue, logs and metrics, health, and signals.
//
// # Start and end
//
// A program that can't reach its database at start, or finds a schema older than itself, says so in
// a line and exits with 1: whoever supervises it starts it again, and a wrong address shows at once.
// holdsweep serve alone goes on: it answers 503, on /readyz and to its callers, until the database is
// there, for an endpoint that can't be connected to tells a hosted cron less than one that says it
// isn't ready. Once a program runs, it outlasts any outage of the database: it asks again, and is
// not ready meanwhile.
//
// The first SIGTERM or SIGINT is heeded by taking no more work and finishing what is in hand, for a
// grace; then that is cancelled, which loses nothing. A second signal ends the process at once.
package program

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/connect"
	"github.com/seathold/seathold/reference/watch"
)

// Config is what a program is opened with.
type Config struct {
	Name        string
	Read        *settings.Read
	LogLevel    string
	Database    settings.Database
	Connections int
	// LockTimeout is how long to wait for a row that somebody else has; zero is the default.
	LockTimeout time.Duration
	Queue       settings.Queue
	Watch       settings.Watch
	Policy      reference.Policy
	// Channels is how many channels there are to send on.
	Channels int
	Stderr   io.Writer
}

// Program is a program with its connections.
type Program struct {
	Config
	Log      *slog.Logger
	DB       *sql.DB
	Store    *postgres.Store
	Queue    connect.Queue
	Ledger   connect.Ledger
	Registry *prometheus.Registry
	Ready    *watch.Ready
	Clock    clock.Clock
	Waiter   reference.Waiter

	// running are the goroutines that Close waits for, and stop ends them.
	running sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
	// schema says that the database's schema was found new enough, which it stays.
	schema bool
}

// Open makes a program. Nothing connects yet.
func Open(c Config) (*Program, error) {
	db, err := connect.Database(c.Database, c.Name, c.Connections, c.LockTimeout)
	if err != nil {
		return nil, err
	}
	clk := clock.New()
	waiter := process.ClockWaiter{Clock: clk}
	log := watch.NewLogger(c.Stderr, c.Name, c.LogLevel, c.Read.Secrets)
	queue, err := connect.NewQueue(c.Queue, c.Policy, db, clk, waiter, log)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	store := postgres.NewStore(db)
	p := &Program{
		Config: c, Log: log, DB: db, Store: store, Queue: queue, Ledger: connect.Ledger{Store: store, DB: db},
		Registry: watch.NewRegistry(c.Name, settings.Version()), Ready: &watch.Ready{}, Clock: clk, Waiter: waiter,
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p, nil
}

// Close ends what Start began, and closes the connections.
func (p *Program) Close() {
	p.stop()
	p.running.Wait()
	if err := p.DB.Close(); err != nil {
		p.Log.Warn("program.close", "error", err)
	}
}

// Check says why the program can't work, if it can't.
func (p *Program) Check(ctx context.Context) error {
	if !p.schema {
		if err := connect.CheckDatabase(ctx, p.DB); err != nil {
			return err
		}
		p.schema = true
	}
	return connect.CheckWritable(ctx, p.DB)
}

// Start says that the program runs, begins to look after itself, and serves its metrics.
func (p *Program) Start() error {
	poll := &watch.Poll{
		Check: p.Check, Ready: p.Ready, Depth: p.Queue.Depth, Stopped: p.Queue.Stopped, Ledger: p.Ledger, Log: p.Log, Every: p.Watch.PollEvery,
	}
	poll.Register(p.Registry, p.Policy, p.Channels)
	var told []any
	for _, s := range p.Read.Settings {
		if s.Source != "default" {
			told = append(told, slog.String(s.Name, s.Value+" from "+s.Source))
		}
	}
	p.Log.Info("program.start", "version", settings.Version(), slog.Group("settings", told...))
	if !p.Watch.Off() {
		if _, err := p.Serve("metrics-listen", p.Watch.MetricsListen, watch.Pages(p.Ready, p.Registry), 30*time.Second); err != nil {
			return err
		}
	}
	p.running.Go(func() { poll.Run(p.ctx) })
	return nil
}

// Serve serves h on an address until the program is closed, or the server shut down.
func (p *Program) Serve(name, address string, h http.Handler, answer time.Duration) (*http.Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &settings.Problem{
			What: fmt.Sprintf("%s: %v", name, err), Exit: settings.ExitFailed,
			Hint: "is another program there already? Each needs an address of its own",
		}
	}
	server := watch.Server(h, answer, p.Log)
	p.Log.Info("program.listen", "setting", name, "address", listener.Addr().String())
	p.running.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			p.Log.Error("program.serve", "setting", name, "error", err)
		}
	})
	context.AfterFunc(p.ctx, func() { server.Close() })
	return server, nil
}
