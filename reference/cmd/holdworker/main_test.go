package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m, name, "holdsweep")) }

const (
	secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	// nowhere is a database that doesn't answer.
	nowhere = "postgres://u:hunter22@127.0.0.1:1/none?sslmode=disable"
)

// quick is a policy by which a hold of seconds goes all the way.
var quick = []string{
	"SEATHOLD_LEAD=20s", "SEATHOLD_CUTOFF=1s", "SEATHOLD_SWEEP_PERIOD=1s", "SEATHOLD_RENOMINATE=1s",
	"SEATHOLD_SEND_TIMEOUT=1s", "SEATHOLD_LEASE=2s", "SEATHOLD_VISIBILITY=5s", "SEATHOLD_BACKSTOP=1m",
}

func environment(d *programtest.Database, provider *provider, more ...string) []string {
	return append([]string{
		"SEATHOLD_DATABASE_URL=" + d.DSN, "SEATHOLD_METRICS_LISTEN=127.0.0.1:0", "SEATHOLD_POLL_EVERY=200ms",
		"SEATHOLD_QUEUE_POLL=20ms", "SEATHOLD_SLOTS=2",
		"SEATHOLD_EMAIL_URL=" + provider.URL + "/email", "SEATHOLD_EMAIL_SECRET=" + secret, "SEATHOLD_EMAIL_REF_FIELD=id",
		"SEATHOLD_SMS_URL=" + provider.URL + "/sms", "SEATHOLD_SMS_SECRET=" + secret, "SEATHOLD_SMS_REF_FIELD=id",
	}, more...)
}

// provider accepts what it is sent, and counts it.
type provider struct {
	*httptest.Server
	// before may hold a request open, or answer it; then it isn't accepted.
	before func(w http.ResponseWriter, r *http.Request) (answered bool)

	mu       sync.Mutex
	accepted []string
}

func newProvider(t *testing.T, before func(http.ResponseWriter, *http.Request) bool) *provider {
	p := &provider{before: before}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var nudge struct {
			Hold string `json:"hold_id"`
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &nudge)
		}
		if err != nil || r.Header.Get("Webhook-Signature") == "" {
			t.Errorf("a request without a body or a signature: %v", err)
		}
		p.mu.Lock()
		before := p.before
		p.mu.Unlock()
		if before != nil && before(w, r) {
			return
		}
		p.mu.Lock()
		p.accepted = append(p.accepted, nudge.Hold+r.URL.Path)
		n := len(p.accepted)
		p.mu.Unlock()
		fmt.Fprintf(w, `{"id":"ref-%d"}`, n)
	}))
	t.Cleanup(p.Server.Close)
	return p
}

func (p *provider) got() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.accepted, " ")
}

// sweep makes one sweep by the program for it.
func sweep(t *testing.T, d *programtest.Database, more ...string) {
	t.Helper()
	p := programtest.Start(t, "holdsweep", append([]string{"SEATHOLD_DATABASE_URL=" + d.DSN}, more...), "once")
	if code, stdout := p.Wait(); code != 0 {
		t.Fatalf("holdsweep once: exit code %d\n%s", code, stdout)
	}
}

// working starts a worker, and waits until it is ready.
func working(t *testing.T, environment []string) *programtest.Process {
	t.Helper()
	p := programtest.Start(t, name, environment)
	p.Await(1, programtest.Line{"msg": "program.ready", "ready": true})
	return p
}

func outcomes(t *testing.T, d *programtest.Database, w reference.Window, want string) {
	t.Helper()
	programtest.Eventually(t, func() error {
		if got := d.Outcomes(t, w); got != want {
			return fmt.Errorf("outcomes %q, want %q", got, want)
		}
		return nil
	})
}

func TestWholePath(t *testing.T) {
	d, provider := programtest.Migrated(t), newProvider(t, nil)
	d.Exec(t, `insert into queue_messages (payload, published_at, visible_at, publish_token) values ('no message', now(), now(), 'x')`)
	p := working(t, environment(d, provider, quick...))
	programtest.Start(t, "holdsweep", append(slices.Clone(quick), "SEATHOLD_DATABASE_URL="+d.DSN, "SEATHOLD_METRICS_LISTEN=off"), "every", "200ms").Await(1, programtest.Line{"msg": "sweep.end"})
	w, late := d.Hold(t, "h1", 5*time.Second), d.Hold(t, "late", 2*time.Second)
	outcomes(t, d, w, "email=sent sms=sent")
	programtest.Eventually(t, func() error {
		if got := d.Value(t, `select string_agg(state, ' ') from seat_holds`) + " " + d.Value(t, `select count(*) from queue_messages`); got != "expired expired 0" {
			return errors.New(got)
		}
		return nil
	})
	if got := d.Value(t, `select string_agg(reason, ' ') from queue_dead_letters`); !strings.HasPrefix(got, "not a message") {
		t.Errorf("dead letters have reasons %q, want one that begins with %q", got, "not a message")
	}
	if got, want := provider.got(), "h1/email"; strings.Count(got, want) != 1 {
		t.Errorf("accepted %q, want %s once", got, want)
	}
	for _, want := range []programtest.Line{
		{"msg": "worker.receive", "hold": "h1", "kind": "remind", "delivery": 1.0},
		{"msg": "worker.claim", "hold": "h1", "channel": "email", "answer": "granted", "window": w.ExpiresAt.Format(time.RFC3339)},
		{"msg": "provider.send", "hold": "h1", "channel": "email", "answer": "accepted"},
		{"msg": "worker.settle", "hold": "h1", "channel": "sms", "answer": "recorded", "outcome": "sent"},
		{"msg": "worker.ack", "hold": "h1", "kind": "remind"},
		{"msg": "worker.expire", "hold": "h1", "answer": "expired"},
		{"msg": "worker.dead-letter", "level": "ERROR"},
	} {
		p.Await(1, want)
	}
	_, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics")
	for _, want := range []string{
		`seathold_outcomes_total{channel="email",outcome="sent",reason=""}`, `seathold_claims_total{answer="granted",channel="sms"}`,
		`seathold_provider_answers_total{answer="accepted",channel="sms"}`, `seathold_expiries_total{answer="expired"} 2`,
		`seathold_dead_letters_total{reason="not-a-message"} 1`, `seathold_messages_handled_total{end="dead-letter"} 1`,
		`seathold_queue_dead_letters 1`, `seathold_slots 2`, `seathold_slots_busy 0`, `seathold_expiry_lateness_seconds_count 2`,
		`seathold_sends_after_change_total{channel="email"} 0`, `seathold_last_sweep_drained 1`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	if got := d.Outcomes(t, late); got == "" {
		t.Error("the late hold has no outcomes")
	}
	if log := p.Stderr(); strings.Contains(log, secret) || strings.Contains(log, "learner-1") {
		t.Errorf("the log shows a secret, or who the learner is:\n%s", log)
	}
}

// TestMissedIsCounted expires a hold that nobody was reminded of.
func TestMissedIsCounted(t *testing.T) {
	d, provider := programtest.Migrated(t), newProvider(t, nil)
	w := d.Hold(t, "h1", -time.Second)
	sweep(t, d)
	p := working(t, environment(d, provider))
	outcomes(t, d, w, "email=dropped(missed) sms=dropped(missed)")
	const want = `seathold_outcomes_total{channel="sms",outcome="dropped",reason="missed"} 1`
	programtest.Eventually(t, func() error {
		if _, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics"); !strings.Contains(page, want) {
			return errors.New("the metrics have no " + want)
		}
		return nil
	})
}

// TestDrain tells a worker to end in the middle of a send: it finishes that, and takes no more.
func TestDrain(t *testing.T) {
	d := programtest.Migrated(t)
	asked, goOn := make(chan string, 9), make(chan bool)
	provider := newProvider(t, func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- r.URL.Path
		<-goOn
		return false
	})
	w := d.Hold(t, "h1", time.Minute)
	sweep(t, d)
	p := working(t, environment(d, provider, "SEATHOLD_SLOTS=1"))
	<-asked
	other := d.Hold(t, "h2", time.Minute)
	sweep(t, d)
	p.Signal(syscall.SIGTERM)
	p.Await(1, programtest.Line{"msg": "program.stop"})
	if status, _ := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/readyz"); status != 503 {
		t.Errorf("/readyz has status %d on the way out, want 503", status)
	}
	close(goOn)
	if code, _ := p.Wait(); code != settings.ExitDone {
		t.Errorf("exit code %d, want %d", code, settings.ExitDone)
	}
	if got, want := d.Outcomes(t, w), "email=sent sms=sent"; got != want {
		t.Errorf("outcomes %q, want %q", got, want)
	}
	if got := d.Outcomes(t, other) + d.Value(t, `select count(*) || ' left, received ' || max(receives) from queue_messages`); got != "1 left, received 0" {
		t.Errorf("of the other there is %q, want its message alone", got)
	}
}

// TestGraceEnds cuts a send off. The message is delivered again, and nothing is sent twice.
func TestGraceEnds(t *testing.T) {
	d := programtest.Migrated(t)
	asked, end := make(chan string, 9), make(chan bool)
	provider := newProvider(t, func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- r.URL.Path
		<-end
		return true
	})
	defer close(end)
	patient := append(slices.Clone(quick), "SEATHOLD_LEAD=1m")
	w := d.Hold(t, "h1", 50*time.Second)
	sweep(t, d, patient...)
	p := working(t, environment(d, provider, append(patient, "SEATHOLD_GRACE=50ms")...))
	<-asked
	p.Signal(syscall.SIGTERM)
	code, _ := p.Wait()
	if code != settings.ExitFailed || !strings.Contains(p.Stderr(), "holdworker: the grace of 50ms was over with 1 messages in hand\nhint: nothing is lost") {
		t.Errorf("exit code %d, want %d, and a complaint:\n%s", code, settings.ExitFailed, p.Stderr())
	}
	p.Await(1, programtest.Line{"msg": "program.warning", "about": "grace"})
	if got := d.Value(t, `select count(*) from queue_messages`); got != "1" {
		t.Errorf("%s messages are left, want 1", got)
	}
	provider.mu.Lock()
	provider.before = nil
	provider.mu.Unlock()
	p = working(t, environment(d, provider, patient...))
	outcomes(t, d, w, "email=unknown(lapsed) sms=sent")
	if got, want := provider.got(), "h1/sms"; got != want {
		t.Errorf("accepted %q, want %q", got, want)
	}
	p.Await(1, programtest.Line{"msg": "worker.claim", "channel": "email", "answer": "settled-here", "outcome": "unknown(lapsed)"})
	if _, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics"); !strings.Contains(page, `seathold_lapses_total{channel="email"} 1`) {
		t.Error("the lapse was not counted")
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	d := programtest.Migrated(t)
	asked, end := make(chan string, 9), make(chan bool)
	provider := newProvider(t, func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- r.URL.Path
		<-end
		return true
	})
	defer close(end)
	d.Hold(t, "h1", time.Minute)
	sweep(t, d)
	p := working(t, environment(d, provider))
	<-asked
	p.Signal(syscall.SIGTERM)
	p.Await(1, programtest.Line{"msg": "program.stop"})
	p.Signal(syscall.SIGINT)
	if code, _ := p.Wait(); code != settings.ExitFailed {
		t.Errorf("exit code %d, want %d", code, settings.ExitFailed)
	}
	p.Await(1, programtest.Line{"msg": "program.exit"})
}

// TestOutage takes the database away and brings it back.
func TestOutage(t *testing.T) {
	d, provider := programtest.Migrated(t), newProvider(t, nil)
	p := working(t, environment(d, provider))
	over := d.Outage(t)
	p.Await(1, programtest.Line{"msg": "program.ready", "ready": false, "level": "ERROR"})
	p.Await(1, programtest.Line{"msg": "worker.receive", "level": "WARN"})
	over()
	p.Await(2, programtest.Line{"msg": "program.ready", "ready": true})
	w := d.Hold(t, "h1", time.Minute)
	sweep(t, d)
	outcomes(t, d, w, "email=sent sms=sent")
}

// TestSendAfterAChange confirms a hold while its reminder is under way.
func TestSendAfterAChange(t *testing.T) {
	d := programtest.Migrated(t)
	var once sync.Once
	provider := newProvider(t, func(_ http.ResponseWriter, r *http.Request) bool {
		once.Do(func() {
			if err := d.Store.Confirm(r.Context(), "h1"); err != nil {
				t.Error(err)
			}
		})
		return false
	})
	w := d.Hold(t, "h1", time.Minute)
	sweep(t, d)
	p := working(t, environment(d, provider))
	outcomes(t, d, w, "email=sent")
	p.Await(1, programtest.Line{"msg": "worker.claim", "channel": "sms", "answer": "closed"})
	if _, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics"); !strings.Contains(page, `seathold_sends_after_change_total{channel="email"} 1`) {
		t.Error("the send after the change was not counted")
	}
}

func TestCannotBegin(t *testing.T) {
	d, provider := programtest.Empty(t), newProvider(t, nil)
	for name, c := range map[string]struct {
		env  []string
		code int
		want string
	}{
		"unreachable":       {[]string{"SEATHOLD_DATABASE_URL=" + nowhere}, settings.ExitFailed, "database: dial tcp 127.0.0.1:1: connect: connection refused"},
		"no-tables":         {nil, settings.ExitFailed, "the database has no tables of ours"},
		"no-database":       {[]string{"SEATHOLD_DATABASE_URL="}, settings.ExitUsage, "database-url is not set"},
		"no-url":            {[]string{"SEATHOLD_SMS_URL="}, settings.ExitUsage, "sms-url is not set, and channels is email,sms"},
		"bad-secret":        {[]string{"SEATHOLD_SMS_SECRET=hunter22"}, settings.ExitUsage, "sms: webhook: secret 1 of 1 is not whsec_"},
		"bad-statuses":      {[]string{"SEATHOLD_SMS_STATUSES=503"}, settings.ExitUsage, "sms: webhook: status 503: \"\" is none of"},
		"uncertain-status":  {[]string{"SEATHOLD_SMS_STATUSES=503=not-accepted"}, settings.ExitUsage, "sms: webhook: status 503 can't mean not-accepted"},
		"lease-too-short":   {[]string{"SEATHOLD_LEASE=10s"}, settings.ExitUsage, "send timeout 10s must be less than lease 10s"},
		"visibility":        {[]string{"SEATHOLD_VISIBILITY=22s"}, settings.ExitUsage, "2 channels × (send timeout 10s + 1s) = 22s must be less than visibility 22s"},
		"horizon-too-short": {[]string{"SEATHOLD_EMAIL_KEY_HORIZON=99s"}, settings.ExitUsage, "email: key horizon 1m39s must be at least 10 × send timeout 10s = 1m40s"},
		"mistyped":          {[]string{"SEATHOLD_SLOT=4"}, settings.ExitUsage, "SEATHOLD_SLOT is no setting"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := programtest.Start(t, "holdworker", environment(d, provider, c.env...))
			code, stdout := p.Wait()
			lines := strings.Split(p.Stderr(), "\n")
			if code != c.code || stdout != "" || len(lines) > 2 || !strings.HasPrefix(lines[0], "holdworker: ") || !strings.Contains(lines[0], c.want) {
				t.Errorf("exit code %d, want %d, and one line that says %q:\n%s", code, c.code, c.want, p.Stderr())
			}
			if strings.Contains(p.Stderr(), "hunter22") {
				t.Errorf("a secret is shown:\n%s", p.Stderr())
			}
		})
	}
}
