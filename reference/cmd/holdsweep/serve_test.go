package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
)

const (
	token  = "0123456789abcdef-current"
	before = "0123456789abcdef-before"
	secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
)

// call is one call of the hook.
type call struct {
	method, body string
	header       http.Header
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

func signed(t *testing.T, secret, body string, at time.Time) http.Header {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("msg_1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set("Webhook-Id", "msg_1")
	h.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("Webhook-Signature", signature)
	return h
}

// do makes the call, and gives the status and the body.
func (c call) do(ctx context.Context, p *programtest.Process) (int, string, error) {
	if c.method == "" {
		c.method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, c.method, "http://"+p.Address("listen")+hookPath, strings.NewReader(c.body))
	if err != nil {
		return 0, "", err
	}
	r.Header = c.header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// served starts holdsweep serve, and waits until it is ready.
func served(t *testing.T, d *programtest.Database, more ...string) *programtest.Process {
	t.Helper()
	p := programtest.Start(t, name, environment(d.DSN, more...), "serve")
	p.Await(1, programtest.Line{"msg": "program.ready", "ready": true})
	return p
}

func TestServeKnowsItsCallers(t *testing.T) {
	d := programtest.Migrated(t)
	p := served(t, d, "SEATHOLD_LISTEN=0.0.0.0:0", "SEATHOLD_HOOK_TOKEN="+before+"\n"+token, "SEATHOLD_HOOK_SECRET="+secret)
	now := time.Now()
	const whole = `"drained":true`
	for name, c := range map[string]struct {
		call
		status int
		want   string
	}{
		"token":            {call{header: bearer(token)}, 200, whole},
		"token-before":     {call{header: bearer(before)}, 200, whole},
		"token-and-body":   {call{header: bearer(token), body: ` {"job": 7} `}, 200, whole},
		"signature":        {call{header: signed(t, secret, `{"job":7}`, now), body: `{"job":7}`}, 200, whole},
		"no-token":         {call{}, 401, `{"error":"unauthorized"}`},
		"wrong-token":      {call{header: bearer(token + "x")}, 401, `{"error":"unauthorized"}`},
		"empty-token":      {call{header: bearer("")}, 401, `{"error":"unauthorized"}`},
		"other-scheme":     {call{header: http.Header{"Authorization": {"Basic " + token}}}, 401, `{"error":"unauthorized"}`},
		"other-secret":     {call{header: signed(t, "whsec_c2VhdGhvbGRzZWF0aG9sZHNlYXRob2xk", "", now)}, 401, `{"error":"unauthorized"}`},
		"signed-otherwise": {call{header: signed(t, secret, "{}", now), body: `{"job":7}`}, 401, `{"error":"unauthorized"}`},
		"signed-long-ago":  {call{header: signed(t, secret, "", now.Add(-time.Hour))}, 401, `{"error":"unauthorized"}`},
		"not-json":         {call{header: bearer(token), body: "job=7"}, 400, `{"error":"body is not JSON"}`},
		"huge-body":        {call{header: bearer(token), body: strings.Repeat(" ", bodyBytesMax+1)}, 413, `{"error":"body too large"}`},
		"huge-unknown":     {call{body: strings.Repeat(" ", 2*bodyBytesMax)}, 401, `{"error":"unauthorized"}`},
		"huge-header":      {call{header: http.Header{"X-Padding": {strings.Repeat("x", 64<<10)}}}, 431, "431 Request Header Fields Too Large"},
		"get":              {call{method: http.MethodGet, header: bearer(token)}, 405, "Method Not Allowed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			status, text, err := c.do(t.Context(), p)
			if err != nil || status != c.status || !strings.Contains(text, c.want) {
				t.Errorf("status %d with %q and error %v, want %d with %q", status, text, err, c.status, c.want)
			}
			if status != 200 && len(text) > 64 {
				t.Errorf("a stranger is told %q", text)
			}
		})
	}
	if got := d.Value(t, `select count(*) from sweep_runs`); got != "4" {
		t.Errorf("%s sweeps, want 4: one for each call that was let in", got)
	}
	for path, want := range map[string]int{"/metrics": 404, "/": 404, "/healthz": 200, "/readyz": 200} {
		if status, _ := programtest.Get(t, "http://"+p.Address("listen")+path); status != want {
			t.Errorf("%s has status %d for the public, want %d", path, status, want)
		}
	}
	if log := p.Stderr(); strings.Contains(log, token) || strings.Contains(log, "MDEyMzQ1Njc4OWFi") {
		t.Errorf("the log shows a secret:\n%s", log)
	}
	if page := scrape(t, p); !strings.Contains(page, `seathold_hook_requests_total{status="401"} 8`+"\n") {
		t.Error("8 calls were refused, and the metrics don't say so")
	}
}

func TestServeIsOpenOnLoopbackWithoutAToken(t *testing.T) {
	p := served(t, programtest.Migrated(t))
	if status, text, err := (call{}).do(t.Context(), p); err != nil || status != 200 {
		t.Errorf("status %d with %q and error %v, want 200", status, text, err)
	}
}

// TestServeSweepsOneAtATime also shows that a sweep outlasts a caller who has lost patience, and a
// signal.
func TestServeSweepsOneAtATime(t *testing.T) {
	d := programtest.Migrated(t)
	d.Hold(t, "due", time.Minute)
	p := served(t, d)
	release := block(t, d)
	impatient, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, _, err := call{}.do(impatient, p)
		first <- err
	}()
	blocked(t, d)
	status, text, err := call{}.do(t.Context(), p)
	if err != nil || status != 200 || text != `{"skipped":"running"}`+"\n" {
		t.Errorf("status %d with %q and error %v, want 200 and skipped", status, text, err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first call ended with %v, want %v", err, context.Canceled)
	}
	p.Signal(syscall.SIGTERM)
	p.Await(1, programtest.Line{"msg": "program.stop", "signal": "terminated"})
	release()
	p.Await(1, programtest.Line{"msg": "sweep.end", "answer": "whole"})
	if code, _ := p.Wait(); code != settings.ExitDone {
		t.Errorf("exit code %d, want %d", code, settings.ExitDone)
	}
	if got := d.Value(t, `select count(*) from queue_messages`); got != "1" {
		t.Errorf("%s messages, want 1", got)
	}
}

func TestServeGraceEnds(t *testing.T) {
	d := programtest.Migrated(t)
	d.Hold(t, "due", time.Minute)
	p := served(t, d, "SEATHOLD_GRACE=100ms")
	defer block(t, d)()
	answered := make(chan string)
	go func() {
		_, text, err := call{}.do(context.WithoutCancel(t.Context()), p)
		if err != nil {
			text = err.Error()
		}
		answered <- text
	}()
	blocked(t, d)
	p.Signal(syscall.SIGTERM)
	if text := <-answered; !strings.Contains(text, `"queued":0`) || !strings.Contains(text, `"problem":"diverged"`) {
		t.Errorf("the caller was told %q, want a report that says diverged", text)
	}
	if code, _ := p.Wait(); code != settings.ExitDone {
		t.Errorf("exit code %d, want %d", code, settings.ExitDone)
	}
}

func TestServeSaysWhenASweepWasNotWhole(t *testing.T) {
	d := programtest.Migrated(t)
	d.Hold(t, "due", time.Minute)
	p := served(t, d, "SEATHOLD_HOOK_TOKEN="+token)
	known := call{header: bearer(token)}
	d.Exec(t, `alter table queue_messages rename to gone`)
	status, text, err := known.do(t.Context(), p)
	if err != nil || status != 500 || !strings.Contains(text, `"found":{"remind":1,"expire":0},"published":{"remind":0,"expire":0},"queued":0`) ||
		!strings.Contains(text, `"problem":"diverged"`) || strings.Contains(text, "queue_messages") {
		t.Errorf("status %d with %q and error %v, want 500 and a report, and no more", status, text, err)
	}
	d.Exec(t, `alter table gone rename to queue_messages`)
	status, text, err = known.do(t.Context(), p)
	if err != nil || status != 200 || !strings.Contains(text, `"queued":1`) {
		t.Errorf("status %d with %q and error %v, want 200 and what was left", status, text, err)
	}
	d.Exec(t, `alter table sweep_runs rename to gone`)
	status, text, err = known.do(t.Context(), p)
	if err != nil || status != 500 || !strings.Contains(text, `"queued":1`) || !strings.Contains(text, `"problem":"failed"`) {
		t.Errorf("status %d with %q and error %v, want 500, for nothing is on record", status, text, err)
	}
}

// TestServeWaitsForItsDatabase starts before the tables are there, and goes through an outage.
func TestServeWaitsForItsDatabase(t *testing.T) {
	d := programtest.Empty(t)
	p := programtest.Start(t, name, environment(d.DSN), "serve")
	p.Await(1, programtest.Line{"msg": "program.ready", "ready": false})
	isReady := func(want int) {
		t.Helper()
		programtest.Eventually(t, func() error {
			for _, setting := range []string{"listen", "metrics-listen"} {
				if status, text := programtest.Get(t, "http://"+p.Address(setting)+"/readyz"); status != want {
					return errors.New(text)
				}
			}
			return nil
		})
	}
	isReady(503)
	if status, text, err := (call{}).do(t.Context(), p); err != nil || status != 503 || text != `{"error":"not ready"}`+"\n" {
		t.Errorf("status %d with %q and error %v, want 503 and not ready", status, text, err)
	}
	d.Migrate(t)
	isReady(200)
	if status, text, err := (call{}).do(t.Context(), p); err != nil || status != 200 {
		t.Errorf("status %d with %q and error %v, want 200", status, text, err)
	}
	over := d.Outage(t)
	isReady(503)
	over()
	isReady(200)
	if got := d.Value(t, `select count(*) from sweep_runs`); got != "1" {
		t.Errorf("%s sweeps, want 1", got)
	}
}
