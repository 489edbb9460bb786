package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/process"
)

// worker measures reminders: by the workers of this process with a provider that answers at once, and
// by holdworker as it is run, with one that does so over HTTP.
func (b *bench) worker(ctx context.Context) error {
	var inside, program, raw, commits []float64
	source := ""
	for range b.rounds {
		d, err := b.filled(ctx)
		if err != nil {
			return err
		}
		defer d.close()
		claims, from, err := d.claimRaw(ctx)
		if err != nil {
			return err
		}
		rate, each, err := b.workInside(ctx, d)
		if err != nil {
			return err
		}
		raw, inside, commits, source = append(raw, claims), append(inside, rate), append(commits, each), from
		served, err := b.workProgram(ctx)
		if err != nil {
			return err
		}
		program = append(program, served)
	}
	b.table.print(line{what: fmt.Sprintf("workers of %d slots, instant provider", b.slots), unit: "reminders/s", ours: inside, raw: raw, aim: 0.25,
		more: fmt.Sprintf("%s commits a reminder; raw is one claim a commit, by %s", number(median(commits)), source)})
	b.table.print(line{what: fmt.Sprintf("holdworker, %d slots, provider by HTTP", b.slots), unit: "reminders/s", ours: program, raw: raw})
	return nil
}

// filled is a database in which a sweep has just published everything.
func (b *bench) filled(ctx context.Context) (*database, error) {
	d, err := b.migrated(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.fill(ctx, b.work, 0); err != nil {
		return nil, err
	}
	if _, err := d.sweeper().Run(ctx); err != nil {
		return nil, err
	}
	return d, d.exec(ctx, `vacuum analyze`)
}

// instant is a provider that has accepted before it is asked.
type instant struct{}

func (instant) Send(context.Context, reference.Notice) (reference.Receipt, error) {
	return reference.Receipt{Ref: "accepted"}, nil
}

func (instant) KeyHorizon() time.Duration { return 0 }

// acks counts acknowledgements, and ends the workers with the last.
type acks struct {
	left atomic.Int64
	over context.CancelFunc
}

func (a *acks) Observe(o reference.Observation) {
	if o.Point == "worker.ack" && o.Err == nil && a.left.Add(-1) == 0 {
		a.over()
	}
}

// workInside gives reminders a second, and commits that wrote anything for each.
func (b *bench) workInside(ctx context.Context, d *database) (rate, commits float64, err error) {
	before, err := d.writes(ctx)
	if err != nil {
		return 0, 0, err
	}
	accept, over := context.WithCancel(ctx)
	defer over()
	count := &acks{over: over}
	count.left.Store(int64(b.work))
	store, queue, clk := postgres.NewStore(d.db), d.queue(), clock.New()
	var all sync.WaitGroup
	began := time.Now()
	for range b.slots {
		w := &reference.Worker{
			Store: store, Queue: queue, Clock: clk, Waiter: process.ClockWaiter{Clock: clk}, Tokens: process.RandomTokens{}, Policy: policy(),
			Routes: []reference.Route{{Channel: reference.Email, Sender: instant{}}, {Channel: reference.SMS, Sender: instant{}}}, Observer: count,
		}
		all.Go(func() { _ = w.Run(ctx, accept) })
	}
	all.Wait()
	took, reminders := time.Since(began), float64(2*b.work)
	after, err := d.writes(ctx)
	if err != nil {
		return 0, 0, err
	}
	return reminders / took.Seconds(), float64(after-before-1) / reminders, d.sent(ctx, 2*(b.work+finished))
}

// sent is an error unless so many reminders are on record as sent.
func (d *database) sent(ctx context.Context, want int) error {
	var got int
	if err := d.db.QueryRowContext(ctx, `select count(*) from reminders where outcome = 'sent'`).Scan(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%d reminders sent, want %d", got, want)
	}
	return nil
}

// workProgram gives what holdworker does a second from its first call of the provider to its last.
func (b *bench) workProgram(ctx context.Context) (float64, error) {
	d, err := b.filled(ctx)
	if err != nil {
		return 0, err
	}
	defer d.close()
	var calls, first atomic.Int64
	last, want := make(chan time.Time, 1), int64(2*b.work)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusAccepted)
		switch calls.Add(1) {
		case 1:
			first.Store(time.Now().UnixNano())
		case want:
			last <- time.Now()
		}
	}))
	defer provider.Close()
	c := exec.CommandContext(ctx, filepath.Join(b.bin, "holdworker"))
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	c.Env = append(os.Environ(), "SEATHOLD_DATABASE_URL="+d.url, "SEATHOLD_LEAD=1h", fmt.Sprint("SEATHOLD_SLOTS=", b.slots), "SEATHOLD_METRICS_LISTEN=off",
		"SEATHOLD_EMAIL_URL="+provider.URL, "SEATHOLD_EMAIL_SECRET="+secret, "SEATHOLD_SMS_URL="+provider.URL, "SEATHOLD_SMS_SECRET="+secret)
	if err := c.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case at := <-last:
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			return 0, err
		}
		if err := <-ended; err != nil {
			return 0, fmt.Errorf("holdworker: %w", err)
		}
		return float64(want) / at.Sub(time.Unix(0, first.Load())).Seconds(), d.sent(ctx, int(want)+2*finished)
	case err := <-ended:
		return 0, errors.Join(fmt.Errorf("holdworker ended after %d of %d calls", calls.Load(), want), err)
	}
}
