package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/throwaway"
	"github.com/seathold/seathold/reference/e2e/witness"
)

// did is what was done to the pipeline.
type did struct {
	mu     sync.Mutex
	counts map[string]int
	outage time.Duration
}

func (d *did) count(what string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts[what] += n
}

const (
	killMin, killMax   = time.Second, 3 * time.Second
	stallMin, stallMax = 300 * time.Millisecond, 3 * time.Second
	cutMin, cutMax     = 500 * time.Millisecond, 2500 * time.Millisecond
	// databaseEvery is how often the database is crashed or cut off, in turns.
	databaseEvery = 6 * time.Second
	againMin      = 500 * time.Millisecond
	againMax      = 2 * time.Second
	phaseMin      = 1500 * time.Millisecond
	phaseMax      = 4 * time.Second
	callerMax     = 700 * time.Millisecond
)

// trouble lets people come, and breaks what it can, for as long as was asked for.
func (w *world) trouble(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.duration)
	defer cancel()
	failed := make(chan error, 1)
	var all sync.WaitGroup
	all.Go(func() { w.come(ctx) })
	for _, of := range []func(context.Context){w.kill, w.stall, w.redeliver, w.misbehave, w.tellProgress} {
		all.Go(func() { of(ctx) })
	}
	all.Go(func() {
		if err := w.breakDatabase(ctx); err != nil {
			failed <- err
			cancel()
		}
	})
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return ctx.Err()
}

// kill kills one program after the other by SIGKILL.
func (w *world) kill(ctx context.Context) {
	chance := w.chance(2)
	for pause(ctx, between(chance, killMin, killMax)) {
		for _, i := range chance.Perm(len(w.processes)) { // one that is there
			if p := w.processes[i]; p.signal(syscall.SIGKILL) {
				w.did.count("killed "+p.kind(), 1)
				break
			}
		}
	}
}

// stall stops one program after the other for a while.
func (w *world) stall(ctx context.Context) {
	chance := w.chance(6)
	for pause(ctx, between(chance, stallMin, 2*stallMax)) {
		p := w.processes[chance.IntN(len(w.processes))]
		if p.signal(syscall.SIGSTOP) {
			w.did.count("stalled "+p.kind(), 1)
			pause(ctx, between(chance, stallMin, stallMax))
			p.signal(syscall.SIGCONT)
		}
	}
}

// breakDatabase crashes the server and cuts it off, in turns.
func (w *world) breakDatabase(ctx context.Context) error {
	chance := w.chance(3)
	for n := 0; pause(ctx, databaseEvery); n++ {
		began := time.Now()
		if n%2 == 0 && !w.shared {
			if err := throwaway.Crash(context.WithoutCancel(ctx), w.admin); err != nil {
				return err
			}
			w.did.count("database crashed", 1)
		} else {
			w.proxy.Cut()
			if err := throwaway.EndSessions(context.WithoutCancel(ctx), w.admin); err != nil {
				return err
			}
			pause(ctx, between(chance, cutMin, cutMax))
			if err := w.proxy.Restore(); err != nil {
				return err
			}
			w.did.count("database cut off", 1)
		}
		w.did.mu.Lock()
		w.did.outage += time.Since(began)
		w.did.mu.Unlock()
	}
	return nil
}

// redeliver delivers again what was acknowledged.
func (w *world) redeliver(ctx context.Context) {
	chance := w.chance(4)
	for pause(ctx, between(chance, againMin, againMax)) {
		// The database may be away: then another time.
		n, _ := witness.Redeliver(ctx, w.admin, 1+chance.IntN(60))
		w.did.count("messages delivered again", n)
	}
}

// always is what providers do all the time, and troubles what they do for a while.
var (
	always = []stub.Rule{
		{Name: "accepted, and lost its answer", Share: 0.02, Lose: true},
		{Name: "accepted, and failed", Share: 0.01, Status: 502},
		{Name: "accepted, and answered too late", Share: 0.01, Then: stub.Duration(time.Second)},
		{Name: "hung up", Share: 0.01, Refuse: true, Lose: true},
		{Name: "failed", Share: 0.01, Refuse: true, Status: 500},
		{Name: "rejected", Share: 0.01, Refuse: true, Status: 422},
		{Name: "was slow", Share: 0.05, Wait: stub.Duration(100 * time.Millisecond), Then: stub.Duration(200 * time.Millisecond)},
	}
	troubles = []stub.Rule{
		{Name: "throttled for a second", Share: 0.5, Refuse: true, Status: http.StatusTooManyRequests, RetryAfter: "1"},
		{Name: "throttled past the cut-off", Times: 1, Refuse: true, Status: http.StatusTooManyRequests, RetryAfter: "7"},
		{Name: "throttled without saying how long", Times: 2, Refuse: true, Status: http.StatusTooManyRequests},
		{Name: "was slow", Share: 0.5, Then: stub.Duration(300 * time.Millisecond)},
		{Name: "accepted, and lost its answer", Share: 0.3, Lose: true},
	}
)

// misbehave has one provider after the other in trouble for a while.
func (w *world) misbehave(ctx context.Context) {
	chance := w.chance(5)
	for _, p := range w.providers {
		p.Follow(always...)
	}
	for pause(ctx, between(chance, phaseMin, phaseMax)) {
		p := w.providers[chance.IntN(len(w.providers))]
		if n := chance.IntN(len(troubles) + 1); n < len(troubles) {
			p.Follow(append([]stub.Rule{troubles[n]}, always...)...)
			pause(ctx, between(chance, phaseMin/3, phaseMax/3))
			p.Follow(always...)
			continue
		}
		p.Down()
		w.did.count("provider not there", 1)
		pause(ctx, between(chance, 100*time.Millisecond, time.Second))
		if err := p.Up(); err != nil {
			w.say("%s: %v", p.channel, err)
			w.did.count("provider that can't come back", 1)
		}
	}
}

// callHook is a hosted cron with little patience.
func (w *world) callHook(ctx context.Context, url string) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
		asking, cancel := context.WithTimeout(ctx, callerMax)
		r, err := http.NewRequestWithContext(asking, http.MethodPost, url, nil)
		if err != nil {
			panic(fmt.Sprintf("soak: %s: %v", url, err))
		}
		what := "hook: no answer"
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
			what = fmt.Sprint("hook: ", answer.StatusCode)
		}
		cancel()
		w.did.count(what, 1)
	}
}

func (w *world) tellProgress(ctx context.Context) {
	for pause(ctx, 10*time.Second) {
		accepted := 0
		for _, p := range w.providers {
			accepted += len(p.Accepted())
		}
		w.crowd.mu.Lock()
		holds := w.crowd.holds
		w.crowd.mu.Unlock()
		w.say("%d holds, %d reminders accepted", holds, accepted)
	}
}
