//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/wire"
	"github.com/seathold/seathold/reference/e2e/witness"
	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	os.Exit(programtest.Main(m, "holdsweep", "holdworker"))
}

const (
	secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	bothOn = "email=sent sms=sent"
	// slack is how long a process may not be run on a busy machine.
	slack = time.Second
)

// seconds is a policy by which a hold of seconds goes all the way.
func seconds() reference.Policy {
	p := reference.DefaultPolicy()
	p.Lead, p.Cutoff = 9*time.Second, time.Second
	p.SweepPeriod, p.SweepBudget, p.Renominate = time.Second, 10*time.Second, time.Second
	p.SendTimeout, p.StoreTimeout, p.Lease, p.Visibility = time.Second, 2*time.Second, 1600*time.Millisecond, 4500*time.Millisecond
	p.LongPoll, p.Backstop, p.Page = time.Second, 8*time.Second, 50
	return p
}

// world is everything that one test has.
type world struct {
	*programtest.Database
	t        *testing.T
	policy   reference.Policy
	provider *stub.Server
	stub     *stub.Stub
	proxy    *wire.Proxy
	healed   time.Time
	keys     time.Duration
}

func newWorld(t *testing.T, edit ...func(*world)) *world {
	t.Helper()
	w := &world{t: t, policy: seconds()}
	for _, e := range edit {
		e(w)
	}
	if err := w.policy.Check(len(reference.Channels)); err != nil {
		t.Fatal(err)
	}
	if w.Database == nil {
		w.Database = programtest.Migrated(t)
	}
	if err := witness.Install(t.Context(), w.DB); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.stub, err = stub.New(stub.Config{Secret: secret, KeyHorizon: w.keys, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	if w.provider, err = stub.Serve(w.stub, "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.provider.Down)
	if w.proxy, err = wire.Start(w.DSN); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.proxy.Close)
	return w
}

// env is what programs are told, with a database.
func (w *world) env(dsn string, more ...string) []string {
	p := w.policy
	return append([]string{
		"SEATHOLD_DATABASE_URL=" + dsn, "SEATHOLD_METRICS_LISTEN=off", "SEATHOLD_QUEUE_POLL=20ms",
		"SEATHOLD_LEAD=" + p.Lead.String(), "SEATHOLD_CUTOFF=" + p.Cutoff.String(), "SEATHOLD_SWEEP_PERIOD=" + p.SweepPeriod.String(),
		"SEATHOLD_SWEEP_BUDGET=" + p.SweepBudget.String(), "SEATHOLD_RENOMINATE=" + p.Renominate.String(),
		"SEATHOLD_SEND_TIMEOUT=" + p.SendTimeout.String(), "SEATHOLD_STORE_TIMEOUT=" + p.StoreTimeout.String(),
		"SEATHOLD_LEASE=" + p.Lease.String(), "SEATHOLD_VISIBILITY=" + p.Visibility.String(), "SEATHOLD_LONG_POLL=" + p.LongPoll.String(),
		"SEATHOLD_BACKSTOP=" + p.Backstop.String(), fmt.Sprint("SEATHOLD_PAGE=", p.Page), "SEATHOLD_ORDER=" + string(p.Order),
	}, more...)
}

// sweeping starts a sweep every period, on a database.
func (w *world) sweeping(dsn string) *programtest.Process {
	w.t.Helper()
	period := w.policy.SweepPeriod.String()
	return programtest.Start(w.t, "holdsweep", w.env(dsn), "every", period, "--jitter=0s")
}

// sweep makes one sweep.
func (w *world) sweep() {
	w.t.Helper()
	p := programtest.Start(w.t, "holdsweep", w.env(w.DSN), "once")
	if code, stdout := p.Wait(); code != 0 {
		w.t.Fatalf("holdsweep once: exit code %d\n%s", code, stdout)
	}
}

// working starts a worker on a database, and waits until it is ready.
func (w *world) working(dsn string, more ...string) *programtest.Process {
	w.t.Helper()
	env := w.env(dsn, "SEATHOLD_SLOTS=1", "SEATHOLD_EMAIL_REF_FIELD=id", "SEATHOLD_SMS_REF_FIELD=id",
		"SEATHOLD_EMAIL_URL="+w.provider.URL()+"/email", "SEATHOLD_EMAIL_SECRET="+secret,
		"SEATHOLD_SMS_URL="+w.provider.URL()+"/sms", "SEATHOLD_SMS_SECRET="+secret,
		"SEATHOLD_EMAIL_KEY_HORIZON="+w.keys.String(), "SEATHOLD_SMS_KEY_HORIZON="+w.keys.String())
	p := programtest.Start(w.t, "holdworker", append(env, more...))
	p.Await(1, programtest.Line{"msg": "program.ready", "ready": true})
	return p
}

// ends waits until the holds of these windows have expired, and nothing is left to do.
func (w *world) ends(windows ...reference.Window) {
	w.t.Helper()
	programtest.Eventually(w.t, func() error {
		for _, of := range windows {
			h, err := w.Store.Get(w.t.Context(), of.Hold)
			if err != nil || h.State == reference.Held {
				return fmt.Errorf("%s is %s: %v", of, h.State, err)
			}
		}
		left, err := witness.Unfinished(w.t.Context(), w.DB)
		if err != nil || len(left) > 0 {
			return errors.Join(err, errors.New(strings.Join(left, "\n")))
		}
		return nil
	})
}

// want compares the outcomes of a window.
func (w *world) want(of reference.Window, outcomes ...string) {
	w.t.Helper()
	if got := w.Outcomes(w.t, of); !slices.Contains(outcomes, got) {
		w.t.Errorf("%s has the outcomes %q, want %q", of, got, strings.Join(outcomes, " or "))
	}
}

// accepted gives what the provider accepted, as hold/channel, in order.
func (w *world) accepted() string {
	var all []string
	for _, a := range w.stub.Accepted() {
		all = append(all, a.HoldID+"/"+a.Channel)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// judge holds everything that happened against the promises, delivers every message once more, and
// sees that nothing comes of it. A worker must be running.
func (w *world) judge() *witness.Verdict {
	w.t.Helper()
	v, err := witness.Judge(w.t.Context(), w.DB, w.stub.Accepted(), witness.Rules{Policy: w.policy, Healed: w.healed, Slack: slack})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, line := range v.Broken {
		w.t.Error(line)
	}
	if n := w.stub.Counts()[stub.Malformed]; n > 0 {
		w.t.Errorf("%d requests broke the contract of package webhook", n)
	}
	before, accepted := w.everything(), w.accepted()
	n, err := witness.Redeliver(w.t.Context(), w.DB, 1_000_000)
	if err != nil || n == 0 {
		w.t.Fatalf("%d messages were delivered again: %v", n, err)
	}
	programtest.Eventually(w.t, func() error {
		if left := w.Value(w.t, `select count(*) from queue_messages`); left != "0" {
			return errors.New(left + " messages are left of those delivered again")
		}
		return nil
	})
	if d := cmp.Diff(before, w.everything()); d != "" {
		w.t.Errorf("delivering everything again changed (-before +after):\n%s", d)
	}
	if got := w.accepted(); got != accepted {
		w.t.Errorf("delivering everything again: accepted %s, and before %s", got, accepted)
	}
	return v
}

type everything struct {
	Holds []reference.Hold
	Rows  []reference.Row
}

func (w *world) everything() everything {
	w.t.Helper()
	holds, rows, err := w.Store.Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return everything{holds, rows}
}

// await waits for a moment that is held open.
func (w *world) await(reached <-chan struct{}) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	select {
	case <-reached:
	case <-ctx.Done():
		w.t.Fatal("the moment has not come in 30s")
	}
}
