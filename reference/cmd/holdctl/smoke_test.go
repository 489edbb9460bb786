package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

// quick is a policy by which a hold of seconds goes all the way.
var quick = []string{
	"SEATHOLD_LEAD=6s", "SEATHOLD_CUTOFF=1s", "SEATHOLD_SWEEP_PERIOD=500ms", "SEATHOLD_RENOMINATE=500ms", "SEATHOLD_SEND_TIMEOUT=500ms",
	"SEATHOLD_LEASE=1s", "SEATHOLD_VISIBILITY=4s", "SEATHOLD_LONG_POLL=1s",
}

func quickPolicy(t *testing.T) reference.Policy {
	t.Helper()
	p := settings.Named("holdworker")
	if _, err := p.Read(nil, quick, nil); err != nil {
		t.Fatal(err)
	}
	return p.Into.(*settings.Worker).Policy.Reference()
}

// provider accepts reminders, and keeps a log.
type provider struct {
	*httptest.Server
	log string
	mu  sync.Mutex
	// answer may answer instead; then nothing is accepted.
	answer func(http.ResponseWriter) bool
}

func newProvider(t *testing.T, answer func(http.ResponseWriter) bool) *provider {
	p := &provider{log: filepath.Join(t.TempDir(), "provider.jsonl"), answer: answer}
	file, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.answer != nil && p.answer(w) {
			return
		}
		n++
		accepted := map[string]any{"reminder_key": r.Header.Get("Webhook-Id"), "accepted_at": time.Now(), "ref": fmt.Sprint("ref-", n)}
		if err := json.NewEncoder(file).Encode(accepted); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"id":"ref-%d"}`, n)
	}))
	t.Cleanup(func() { p.Close(); file.Close() })
	return p
}

// live runs a sweep and a worker on the database until the test ends. A store may stand between.
func live(t *testing.T, d *programtest.Database, p *provider, refField string, between func(reference.WorkerStore) reference.WorkerStore) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	clk, policy := clock.New(), quickPolicy(t)
	waiter := process.ClockWaiter{Clock: clk}
	sender, err := webhook.New(webhook.Config{URL: p.URL, Secrets: []once.Secret{"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}, RefField: refField, Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	queue := postgres.NewQueue(d.DB, postgres.QueueConfig{Visibility: policy.Visibility, MaxReceives: 3, PollInterval: 20 * time.Millisecond, Waiter: waiter})
	sweeper := &reference.Sweeper{Store: d.Store, Queue: queue, Clock: clk, Tokens: process.RandomTokens{}, Policy: policy}
	var store reference.WorkerStore = d.Store
	if between != nil {
		store = between(store)
	}
	worker := &reference.Worker{
		Store: store, Queue: queue, Clock: clk, Waiter: waiter, Tokens: process.RandomTokens{}, Policy: policy,
		Routes: []reference.Route{{Channel: reference.Email, Sender: sender}, {Channel: reference.SMS, Sender: sender}},
	}
	var running sync.WaitGroup
	running.Go(func() { _ = worker.Run(ctx, ctx) }) // it returns when ctx ends
	running.Go(func() {
		for ctx.Err() == nil {
			if _, err := sweeper.Run(ctx); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			_ = waiter.Wait(ctx, 200*time.Millisecond)
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
}

func TestSmoke(t *testing.T) {
	d, p := programtest.Migrated(t), newProvider(t, nil)
	live(t, d, p, "id", nil)
	code, stdout, stderr := ctl(d, quick, "smoke", "--json", "--provider-log", p.log, "--learner=l")
	if code != settings.ExitDone || stderr != "" {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var saw smoked
	if err := json.Unmarshal([]byte(stdout), &saw); err != nil {
		t.Fatal(err)
	}
	refs := ""
	for _, r := range saw.Reminders {
		refs += string(r.Channel) + "=" + r.Outcome + " " + r.ProviderRef + " "
	}
	if refs != "email=sent ref-1 sms=sent ref-2 " || saw.State != reference.Expired || saw.Replayed != 2 || !saw.Removed ||
		saw.Accepted["email"] != 1 || saw.Accepted["sms"] != 1 || saw.SentAfter >= saw.ExpiredAfter {
		t.Errorf("it saw %s", stdout)
	}
	if got := d.Value(t, `select (select count(*) from seat_holds) || ' ' || (select count(*) from reminders) || ' ' || (select count(*) from queue_dead_letters)`); got != "0 0 0" {
		t.Errorf("holds, reminders and dead letters left: %s, want none", got)
	}
}

// TestSmokeFails shows what is said when the live path is broken somewhere.
func TestSmokeFails(t *testing.T) {
	for name, c := range map[string]struct {
		broken     func(*testing.T, *programtest.Database)
		args       []string
		want, hint string
	}{
		"no-sweep": {nil, nil, "0 of 2 reminders have an outcome", "no sweep was made meanwhile: is holdsweep running"},
		"no-reference": {func(t *testing.T, d *programtest.Database) { live(t, d, newProvider(t, nil), "", nil) }, nil,
			"smoke: email is sent, without the provider's reference", "set SEATHOLD_EMAIL_REF_FIELD to where"},
		"rejected": {func(t *testing.T, d *programtest.Database) {
			live(t, d, newProvider(t, func(w http.ResponseWriter) bool { w.WriteHeader(http.StatusGone); return true }), "id", nil)
		}, nil, "smoke: email is dropped(rejected)", "holdctl explain smoke-"},
		"other-log": {func(t *testing.T, d *programtest.Database) { live(t, d, newProvider(t, nil), "id", nil) }, []string{"--provider-log=/dev/null"},
			"smoke: email was accepted 0 times by the provider's log", "is it the log of the provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := programtest.Migrated(t)
			if c.broken != nil {
				c.broken(t, d)
			}
			code, stdout, stderr := ctl(d, quick, append([]string{"smoke"}, c.args...)...)
			lines := strings.Split(stderr, "\n")
			if code != settings.ExitFailed || stdout != "" || len(lines) != 3 || !strings.HasPrefix(lines[0], "holdctl: ") ||
				!strings.Contains(lines[0], c.want) || !strings.HasPrefix(lines[1], "hint: ") || !strings.Contains(lines[1], c.hint) {
				t.Errorf("exit code %d, want %d, %q and %q:\n%s%s", code, settings.ExitFailed, c.want, c.hint, stdout, stderr)
			}
			if got := d.Value(t, `select string_agg(state, ' ') from seat_holds where hold_id like 'smoke-%'`); got == "held" {
				t.Error("the hold is left held")
			}
		})
	}
}

// TestSmokeSeesAChange has a worker that sends what is settled, and says so.
func TestSmokeSeesAChange(t *testing.T) {
	d := programtest.Migrated(t)
	live(t, d, newProvider(t, nil), "id", func(s reference.WorkerStore) reference.WorkerStore { return &resettles{WorkerStore: s, d: d} })
	code, _, stderr := ctl(d, quick, "smoke")
	const want = "holdctl: smoke: the replayed messages have changed the hold or its reminders\nhint: P8 is broken: holdctl explain smoke-"
	if code != settings.ExitFailed || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit code %d and %q, want %d and %q", code, stderr, settings.ExitFailed, want)
	}
}

// resettles notes another message for what is settled: not even that may happen.
type resettles struct {
	reference.WorkerStore
	d *programtest.Database
}

func (r *resettles) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	claim, err := r.WorkerStore.Claim(ctx, q)
	if err == nil && claim.Answer == reference.Settled {
		_, err = r.d.DB.ExecContext(ctx, `update reminders set message_id = $2 where hold_id = $1`, q.Reminder.Hold, q.MessageID)
	}
	return claim, err
}
