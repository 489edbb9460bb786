package settings

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

var update = flag.Bool("update", false, "write SETTINGS.md anew")

func TestTableIsCurrent(t *testing.T) {
	want, err := Table()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("SETTINGS.md", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("SETTINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("SETTINGS.md is not what the structs say: go test ./reference/settings -update\n(-want +got)\n%s", diff)
	}
}

// whole is an environment that a worker can start with.
func whole(more ...string) []string {
	return append([]string{
		"SEATHOLD_DATABASE_URL=postgres://u:hunter22@db/seathold",
		"SEATHOLD_EMAIL_URL=https://notify.example.com/email?key=hunter23", "SEATHOLD_EMAIL_SECRET=whsec_aHVudGVyMjRodW50ZXIyNGh1bnRlcjI0",
		"SEATHOLD_SMS_URL=https://notify.example.com/sms", "SEATHOLD_SMS_SECRET=whsec_aHVudGVyMjVodW50ZXIyNWh1bnRlcjI1",
	}, more...)
}

// readWorker reads and checks as holdworker does.
func readWorker(args, environment []string) (*Worker, *Read, error) {
	p := Programs()[1]
	r, err := p.Read(args, environment, &bytes.Buffer{})
	if err != nil {
		return nil, nil, err
	}
	w := p.Into.(*Worker)
	return w, r, w.Check()
}

func readSweep(args, environment []string) (*Sweep, error) {
	p := Programs()[0]
	r, err := p.Read(args, environment, &bytes.Buffer{})
	if err != nil {
		return nil, err
	}
	s, period := p.Into.(*Sweep), time.Duration(-1)
	switch r.Command {
	case "serve":
		if err := s.Serve.Check(); err != nil {
			return nil, err
		}
	case "every":
		period = s.Every.Period
	}
	return s, s.Check(period)
}

func TestDefaultsAreThePolicys(t *testing.T) {
	w, _, err := readWorker(nil, whole())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reference.DefaultPolicy(), w.Policy.Reference()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(reference.Channels, w.Chosen()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	write(t, file, "whsec_aHVudGVyMjZodW50ZXIyNmh1bnRlcjI2\n")
	environment := whole("SEATHOLD_LEASE=21s", "SEATHOLD_SLOTS=3", "SEATHOLD_PAGE=", "SEATHOLD_SMS_SECRET=", "SEATHOLD_SMS_SECRET_FILE="+file)
	w, r, err := readWorker([]string{"--slots=4"}, environment)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range r.Settings {
		switch s.Name {
		case "lease", "slots", "page", "database-url", "email-url", "email-secret", "sms-secret", "channels", "sms-key-horizon":
			got[s.Name] = s.Value + " from " + s.Source
		}
	}
	want := map[string]string{
		"lease": "21s from SEATHOLD_LEASE", "slots": "4 from --slots", "page": "500 from default",
		"database-url": "postgres://u@db/seathold from SEATHOLD_DATABASE_URL",
		"email-url":    "https://notify.example.com/email?… from SEATHOLD_EMAIL_URL",
		"email-secret": "… from SEATHOLD_EMAIL_SECRET", "sms-secret": "… from SEATHOLD_SMS_SECRET_FILE",
		"channels": "email,sms from default", "sms-key-horizon": "0s from default",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got, want := w.SMS.Secret.Reveal(), "whsec_aHVudGVyMjZodW50ZXIyNmh1bnRlcjI2"; got != want {
		t.Errorf("the secret is %q, want %q", got, want)
	}
	if shown := fmt.Sprintf("%v %+v %#v", w, w, w); strings.Contains(shown, "aHVudGVy") || strings.Contains(shown, "hunter22") {
		t.Errorf("a secret is shown: %s", shown)
	}
	if secrets := strings.Join(r.Secrets, "\n"); !strings.Contains(secrets, "hunter22\n") && !strings.HasSuffix(secrets, "hunter22") {
		t.Errorf("the database's password is not among the secrets: %q", secrets)
	}
}

func TestWorkerRefuses(t *testing.T) {
	empty, folder := filepath.Join(t.TempDir(), "empty"), t.TempDir()
	write(t, empty, "\n")
	for name, c := range map[string]struct {
		args, env []string
		want      string
	}{
		"unknown-flag":          {[]string{"--leese=1s"}, nil, "unknown flag --leese, did you mean \"--lease\"?"},
		"argument":              {[]string{"run"}, nil, "unexpected argument run"},
		"secret-on-the-command": {[]string{"--email-secret=x"}, nil, "unknown flag --email-secret, did you mean"},
		"mistyped-variable":     {nil, []string{"SEATHOLD_LEESE=1s"}, "SEATHOLD_LEESE is no setting"},
		"no-duration":           {nil, []string{"SEATHOLD_LEASE=20"}, "program: SEATHOLD_LEASE: expected duration"},
		"no-number":             {nil, []string{"SEATHOLD_SLOTS=many"}, "SEATHOLD_SLOTS: expected a valid"},
		"no-such-order":         {nil, []string{"SEATHOLD_ORDER=first"}, `SEATHOLD_ORDER: "first" is none of claim-first, send-first`},
		"no-database":           {nil, []string{"SEATHOLD_DATABASE_URL="}, "database-url is not set"},
		"secret-twice":          {nil, []string{"SEATHOLD_SMS_SECRET_FILE=/x"}, "SEATHOLD_SMS_SECRET and SEATHOLD_SMS_SECRET_FILE are both set"},
		"no-secret-file":        {nil, []string{"SEATHOLD_SMS_SECRET=", "SEATHOLD_SMS_SECRET_FILE=/no/such"}, "SEATHOLD_SMS_SECRET_FILE: stat /no/such: no such file"},
		"empty-secret-file":     {[]string{"--sms-secret-file=" + empty}, nil, "--sms-secret-file: " + empty + " is empty"},
		"folder-as-secret":      {[]string{"--sms-secret-file=" + folder}, nil, "is a directory"},
		"no-secret":             {nil, []string{"SEATHOLD_SMS_SECRET="}, "sms-secret is not set: calls must be signed"},
		"channel-without-url":   {nil, []string{"SEATHOLD_SMS_URL="}, "sms-url is not set, and channels is email,sms"},
		"url-without-channel":   {nil, []string{"SEATHOLD_CHANNELS=email"}, "sms-url is set, and channels is email"},
		"no-such-channel":       {nil, []string{"SEATHOLD_CHANNELS=email,fax"}, `channels: "fax" is none`},
		"channel-twice":         {nil, []string{"SEATHOLD_CHANNELS=email,email"}, "channels: email is there twice"},
		"no-url":                {nil, []string{"SEATHOLD_SMS_URL=notify.example.com"}, `sms-url: "…" is not an http or https URL`},
		"user-in-url":           {nil, []string{"SEATHOLD_SMS_URL=https://u:p@notify.example.com"}, `sms-url: "https://u@notify.example.com" has a user in it`},
		"short-horizon":         {nil, []string{"SEATHOLD_SMS_KEY_HORIZON=1m"}, "sms: key horizon 1m0s must be at least 10 × send timeout 10s = 1m40s"},
		"lease-under-timeout":   {nil, []string{"SEATHOLD_LEASE=10s"}, "send timeout 10s must be less than lease 10s"},
		"visibility-too-short":  {nil, []string{"SEATHOLD_VISIBILITY=22s"}, "2 channels × (send timeout 10s + 1s) = 22s must be less than visibility 22s"},
		"sweeps-too-rare":       {nil, []string{"SEATHOLD_SWEEP_PERIOD=5m"}, "sweep period 5m0s + 2 channels × send timeout 10s"},
		"no-slots":              {nil, []string{"SEATHOLD_SLOTS=0"}, "slots is 0 and must be from 1"},
		"too-few-connections":   {nil, []string{"SEATHOLD_DATABASE_CONNECTIONS=8"}, "8 slots + 2 for watching need 10"},
		"no-address":            {nil, []string{"SEATHOLD_METRICS_LISTEN=9465"}, `metrics-listen is "9465", which is not HOST:PORT`},
		"rest-without-url":      {nil, []string{"SEATHOLD_QUEUE=rest"}, "queue is rest, and queue-url is not set"},
		"rest-fields":           {nil, []string{"SEATHOLD_QUEUE_FIELDS=max=max_messages"}, "queue-fields is set, and queue is postgres"},
		"no-fields":             {nil, []string{"SEATHOLD_QUEUE_FIELDS=max"}, "SEATHOLD_QUEUE_FIELDS: expected \"<key>=<value>\""},
		"rest-and-not":          {nil, []string{"SEATHOLD_QUEUE_NAME=x"}, "queue-name is set, and queue is postgres"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readWorker(c.args, whole(c.env...))
			refused(t, err, c.want)
		})
	}
}

func TestSweepRefuses(t *testing.T) {
	const token = "SEATHOLD_HOOK_TOKEN=0123456789abcdef"
	for name, c := range map[string]struct {
		args, env []string
		want      string
	}{
		"no-command":          {nil, nil, `expected one of "serve", "once", "every", "cron"`},
		"no-such-command":     {[]string{"run"}, nil, "unexpected argument run"},
		"no-period":           {[]string{"every"}, nil, `expected "<period>"`},
		"bad-period":          {[]string{"every", "minute"}, nil, "<period>: expected duration"},
		"rare-period":         {[]string{"every", "3m"}, nil, "sweep period 3m0s + 2 channels"},
		"open-to-all":         {[]string{"serve", "--listen=:8080"}, nil, "listen is :8080, where anybody may call, and neither hook-token nor hook-secret is set"},
		"short-token":         {[]string{"serve"}, []string{"SEATHOLD_HOOK_TOKEN=secret"}, "hook-token has fewer than 16 bytes"},
		"short-second":        {[]string{"serve"}, []string{token + "\nsecret"}, "hook-token has fewer than 16 bytes"},
		"two-in-a-line":       {[]string{"serve"}, []string{token + " 0123456789abcdef"}, "hook-token has a space in it"},
		"no-base64":           {[]string{"serve"}, []string{"SEATHOLD_HOOK_SECRET=whsec_%%%"}, "hook-secret is not the base64"},
		"listen-on-nothing":   {[]string{"serve", "--listen=localhost"}, nil, `listen is "localhost", which is not HOST:PORT`},
		"serve-flag-for-once": {[]string{"once", "--listen=:8080"}, []string{token}, "unknown flag --listen"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readSweep(c.args, append([]string{"SEATHOLD_DATABASE_URL=postgres://u@db/seathold"}, c.env...))
			refused(t, err, c.want)
		})
	}
}

func TestSweepAccepts(t *testing.T) {
	for name, c := range map[string]struct{ args, env []string }{
		"loopback":          {[]string{"serve"}, nil},
		"loopback-v6":       {[]string{"serve", "--listen=[::1]:0"}, nil},
		"two-tokens":        {[]string{"serve", "--listen=:0"}, []string{"SEATHOLD_HOOK_TOKEN=0123456789abcdef\n0123456789abcdeF"}},
		"signed":            {[]string{"serve", "--listen=:0"}, []string{"SEATHOLD_HOOK_SECRET=whsec_MDEyMzQ1Njc4OWFiY2RlZg=="}},
		"worker-settings":   {[]string{"once"}, []string{"SEATHOLD_SLOTS=3", "SEATHOLD_EMAIL_URL=https://x"}},
		"other-variables":   {[]string{"once"}, []string{"SEATHOLD_POSTGRES=local", "SEATHOLD_WORKER_SERVICE_HOST=10.0.0.1"}},
		"unknown-period":    {[]string{"once"}, []string{"SEATHOLD_SWEEP_PERIOD=0s"}},
		"period-of-its-own": {[]string{"every", "30s"}, []string{"SEATHOLD_SWEEP_PERIOD=10m"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readSweep(c.args, append([]string{"SEATHOLD_DATABASE_URL=postgres://u@db/seathold"}, c.env...)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHelpShowsDefaultsAndVariables(t *testing.T) {
	var out bytes.Buffer
	if _, err := Programs()[1].Read([]string{"--help"}, nil, &out); err != ErrHelped {
		t.Fatalf("the error is %v, want %v", err, ErrHelped)
	}
	for _, want := range []string{"--send-timeout=10s", "--sms-secret-file=PATH", "SEATHOLD_SOME_FLAG"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help has no %s:\n%s", want, out.String())
		}
	}
}

// refused wants a Problem with settings: one line, and no secret in it.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("accepted, want %q", want)
	}
	var out bytes.Buffer
	code := Complain(&out, "program", err)
	if !strings.Contains(out.String(), want) || code != ExitUsage {
		t.Errorf("exit code %d, want %d, saying %q:\n%s", code, ExitUsage, want, out.String())
	}
	if n := strings.Count(out.String(), "\n"); n > 2 || strings.Contains(out.String(), "hunter2") {
		t.Errorf("%d lines, want one and a hint, without a secret:\n%s", n, out.String())
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
