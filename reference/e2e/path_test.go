//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/wire"
	"github.com/seathold/seathold/reference/settings/programtest"
)

// awaitOutcomes waits until a window has these outcomes.
func (w *world) awaitOutcomes(of reference.Window, want string) {
	w.t.Helper()
	programtest.Eventually(w.t, func() error {
		if got := w.Outcomes(w.t, of); got != want {
			return errors.New(of.String() + " has the outcomes " + got + ", want " + want)
		}
		return nil
	})
}

func TestNudgedAndExpiredAndConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.working(w.DSN)
	w.sweeping(w.DSN)
	lets, confirms := w.Hold(t, "lets-go", 10*time.Second), w.Hold(t, "confirms", 11*time.Second)
	w.awaitOutcomes(confirms, bothOn)
	if err := w.Store.Confirm(t.Context(), confirms.Hold); err != nil {
		t.Fatal(err)
	}
	w.ends(lets, confirms)
	w.want(lets, bothOn)
	w.want(confirms, bothOn)
	if got := w.Value(t, `select string_agg(hold_id || ' ' || state, ', ' order by hold_id) from seat_holds`); got != "confirms confirmed, lets-go expired" {
		t.Errorf("holds are %s", got)
	}
	if got, want := w.accepted(), "confirms/email confirms/sms lets-go/email lets-go/sms"; got != want {
		t.Errorf("accepted %s, want %s", got, want)
	}
	if v := w.judge(); v.Freed[0] > 5*time.Second {
		t.Errorf("the seat was freed %s late", v.Freed[0])
	}
}

// TestDrain tells a worker to end in the middle of a send, while another takes over.
func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gate := stub.NewGate()
	w.stub.Follow(stub.Rule{Hold: "h1", Channel: "email", Times: 1, After: gate})
	w.sweeping(w.DSN)
	p := w.working(w.DSN)
	h1 := w.Hold(t, "h1", 10*time.Second)
	w.await(gate.Reached())
	p.Signal(syscall.SIGTERM)
	p.Await(1, programtest.Line{"msg": "program.stop"})
	w.working(w.DSN)
	h2 := w.Hold(t, "h2", 10*time.Second)
	gate.Open()
	if code, _ := p.Wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	p.Await(1, programtest.Line{"msg": "worker.ack", "hold": "h1"})
	w.ends(h1, h2)
	w.want(h1, bothOn)
	w.want(h2, bothOn)
	w.judge()
}

// TestSweepsOverlap holds one sweep before it publishes, and lets another go by.
func TestSweepsOverlap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.policy.Renominate = 7 * time.Second }) // both sweeps find them at one age
	gate := wire.Before(publishing)
	w.proxy.Arm(gate)
	h1, h2 := w.Hold(t, "h1", 9*time.Second), w.Hold(t, "h2", 9*time.Second)
	slow := programtest.Start(t, "holdsweep", w.env(w.proxy.URL()), "once")
	w.await(gate.Reached())
	w.sweep()
	gate.Forward()
	if code, stdout := slow.Wait(); code != 0 || !strings.Contains(stdout, `"queued":2`) {
		t.Errorf("the sweep that was overtaken: exit code %d, want 0, and 2 queued: %s", code, stdout)
	}
	if got := w.Value(t, `select count(*) from queue_messages`); got != "2" {
		t.Errorf("%s messages of two sweeps for two holds, want 2", got)
	}
	w.sweeping(w.DSN)
	w.sweeping(w.DSN)
	w.working(w.DSN)
	w.ends(h1, h2)
	w.want(h1, bothOn)
	w.want(h2, bothOn)
	w.judge()
}

// TestCallerGivesUp lets the caller of the hook go in the middle of the sweep, which is made all the
// same.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gate := wire.Before(publishing)
	w.proxy.Arm(gate)
	p := programtest.Start(t, "holdsweep", w.env(w.proxy.URL(), "SEATHOLD_LISTEN=127.0.0.1:0"), "serve")
	p.Await(1, programtest.Line{"msg": "program.ready", "ready": true})
	url := "http://" + p.Address("listen") + "/hooks/sweep-seat-holds"
	h1 := w.Hold(t, "h1", 9*time.Second)
	ctx, giveUp := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { gone <- post(ctx, url) }()
	w.await(gate.Reached())
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller got %v, want %v", err, context.Canceled)
	}
	if err := post(t.Context(), url); err != nil {
		t.Errorf("another call during the sweep: %v", err)
	}
	gate.Forward()
	p.Await(1, programtest.Line{"msg": "sweep.end"})
	if got := w.Value(t, `select queued || ' queued, drained ' || drained from sweep_runs`); got != "1 queued, drained true" {
		t.Errorf("the sweep on record has %s", got)
	}
	w.working(w.DSN)
	w.awaitOutcomes(h1, bothOn)
	w.sweeping(w.DSN)
	w.ends(h1)
	w.judge()
}

func post(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(nil))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	return nil
}

// TestVersionsSideBySide has a worker of another version beside ours: with other limits, and with
// messages to which a later version added a field. One of a later format is set aside.
func TestVersionsSideBySide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.policy
	w.policy.SendTimeout, w.policy.Lease, w.policy.Visibility = 900*time.Millisecond, 1200*time.Millisecond, 4*time.Second
	older := w.working(w.DSN)
	w.policy = old
	newer := w.working(w.DSN)
	w.sweeping(w.DSN)
	var windows []reference.Window
	for _, id := range []string{"h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"} {
		windows = append(windows, w.Hold(t, id, 11*time.Second))
	}
	for i, v := range []string{`1,"later":{"x":1}`, "2"} {
		w.Exec(t, `insert into queue_messages (payload, published_at, visible_at, publish_token)
			select convert_to(format('{"v":`+v+`,"kind":"remind","hold_id":"h%s","learner_id":"learner-1","section_id":"section-1","expires_at":%s,"timezone":"UTC"}', n, extract(epoch from expires_at)::bigint), 'UTF8'),
				expires_at, clock_timestamp(), 'x' from seat_holds, generate_series(1, 8) n where hold_id = 'h' || n and n % 2 = $1`, i)
	}
	for _, of := range windows {
		w.awaitOutcomes(of, bothOn)
	}
	older.Signal(syscall.SIGTERM)
	if code, _ := older.Wait(); code != 0 {
		t.Errorf("the older one's exit code is %d, want 0", code)
	}
	w.ends(windows...)
	if got := w.Value(t, `select count(*) || ' of ' || min(reason) || ' to ' || max(reason) from queue_dead_letters`); got != "4 of not a message: version 2, and 1 is understood to not a message: version 2, and 1 is understood" {
		t.Errorf("dead letters: %s", got)
	}
	for _, p := range []*programtest.Process{older, newer} {
		if len(p.Log(programtest.Line{"msg": "worker.receive"})) == 0 {
			t.Error("one of the two received nothing")
		}
	}
	w.judge()
}
