package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/pgtest"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// ctl runs holdctl on a database, with more of an environment, and gives what came of it.
func ctl(d *programtest.Database, environment []string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	if d != nil {
		environment = append([]string{"SEATHOLD_DATABASE_URL=" + d.DSN}, environment...)
	}
	code = run(args, environment, &out, &errs)
	return code, out.String(), errs.String()
}

// done runs holdctl, which must not fail, and gives its output.
func done(t *testing.T, d *programtest.Database, args ...string) string {
	t.Helper()
	code, stdout, stderr := ctl(d, nil, args...)
	if code != settings.ExitDone || stderr != "" {
		t.Fatalf("holdctl %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// asJSON runs holdctl --json, and reads its output.
func asJSON[T any](t *testing.T, d *programtest.Database, args ...string) (v T) {
	t.Helper()
	out := done(t, d, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &v); err != nil || strings.Count(out, "\n") != 1 {
		t.Fatalf("holdctl %s --json: error %v, and want one line:\n%s", strings.Join(args, " "), err, out)
	}
	return v
}

// refused runs holdctl, which must refuse, and shows what it says.
func refused(t *testing.T, d *programtest.Database, environment []string, code int, want string, args ...string) {
	t.Helper()
	got, stdout, stderr := ctl(d, environment, args...)
	if got != code || stderr != want {
		t.Errorf("holdctl %s: exit code %d, want %d (-want +got)\n%s", strings.Join(args, " "), got, code, cmp.Diff(want, stderr))
	}
	if code == settings.ExitUsage && stdout != "" {
		t.Errorf("holdctl %s: it printed %q", strings.Join(args, " "), stdout)
	}
}

func TestBadInput(t *testing.T) {
	d := programtest.Migrated(t)
	notThere := filepath.Join(t.TempDir(), "none")
	broken := filepath.Join(t.TempDir(), "broken.csv")
	if err := os.WriteFile(broken, []byte("key,at\nk,noon\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	done(t, d, "hold", "create", "h1", "--learner=l", "--section=s", "--expires-at="+second(end))
	done(t, d, "hold", "create", "over", "--learner=l", "--section=s", "--expires-at=2026-03-02T12:00:00Z")
	rest := []string{
		"SEATHOLD_QUEUE=rest", "SEATHOLD_QUEUE_URL=https://q.example.com", "SEATHOLD_QUEUE_NAME=n", "SEATHOLD_QUEUE_TOKEN=t",
	}
	const help = "hint: holdctl --help lists the commands and flags\n"
	for name, c := range map[string]struct {
		args        string
		environment []string
		code        int
		want        string
	}{
		"no-command":          {"", nil, 2, `holdctl: expected one of "migrate", "hold", "queue", "dead", "explain", ...` + "\n" + help},
		"no-such-command":     {"hold delete h1", nil, 2, "holdctl: unexpected argument delete\n" + help},
		"half-a-command":      {"migrate", nil, 2, `holdctl: expected one of "up", "status"` + "\n" + help},
		"unknown-flag":        {"audit --sinec=1h", nil, 2, `holdctl: unknown flag --sinec, did you mean "--since"?` + "\n" + help},
		"secret-as-flag":      {"audit --database-url=x", nil, 2, `holdctl: unknown flag --database-url, did you mean "--database-url-file"?` + "\n" + help},
		"no-database":         {"hold list", []string{"SEATHOLD_DATABASE_URL="}, 2, "holdctl: database-url is not set\nhint: set SEATHOLD_DATABASE_URL, such as postgres://seathold@localhost/seathold\n"},
		"mistyped-variable":   {"hold list", []string{"SEATHOLD_LEESE=1s"}, 2, "holdctl: SEATHOLD_LEESE is no setting\nhint: is it SEATHOLD_LEASE?\n"},
		"bad-policy":          {"audit", []string{"SEATHOLD_LEASE=10s"}, 2, "holdctl: send timeout 10s must be less than lease 10s, or a live send outlasts its claim\nhint: the defaults in SETTINGS.md work together; sweep and workers need the same values\n"},
		"no-period":           {"audit", []string{"SEATHOLD_SWEEP_PERIOD=0s"}, 2, "holdctl: sweep-period is 0, and holdctl can judge nothing without it\nhint: set SEATHOLD_SWEEP_PERIOD to what the hosted cron keeps to\n"},
		"no-learner":          {"hold create h9 --section=s", nil, 2, "holdctl: missing flags: --learner=STRING\n" + help},
		"two-ends":            {"hold create h9 --learner=l --section=s --for=1m --expires-at=2026-03-02T12:00:00Z", nil, 2, "holdctl: --for and --expires-at can't be used together\n" + help},
		"no-zone":             {"hold create h9 --learner=l --section=s --zone=Berlin", nil, 2, "holdctl: zone \"Berlin\" is no IANA time zone\nhint: such as Europe/Berlin, or leave it out for UTC\n"},
		"no-such-channel":     {"hold create h9 --learner=l --section=s --on=fax", nil, 2, "holdctl: create hold: hold h9: channels [fax] are not some of [email sms] in that order\nhint: see holdctl --help\n"},
		"fraction":            {"hold create h9 --learner=l --section=s --expires-at=2026-03-02T12:00:00.5Z", nil, 2, "holdctl: create hold: expires_at 2026-03-02T12:00:00.5Z is not in whole seconds\nhint: see holdctl --help\n"},
		"exists":              {"hold create h1 --learner=other --section=s", nil, 1, "holdctl: create h1: a different hold of that id exists\nhint: holdctl hold show shows it; a hold's id is never used twice\n"},
		"no-hold":             {"hold show h9", nil, 1, "holdctl: show h9: no such hold\nhint: holdctl hold list shows what there is\n"},
		"confirm-no-hold":     {"hold confirm h9", nil, 1, "holdctl: confirm h9: no such hold\nhint: holdctl hold list shows what there is\n"},
		"confirm-run-out":     {"hold confirm over", nil, 1, "holdctl: confirm over: the hold has run out\nhint: from expires_at on the seat is free for others, whether or not it was expired yet; begin another hold\n"},
		"extend-nowhere":      {"hold extend h1", nil, 2, "holdctl: missing flags: --to=TIME or --by=DURATION\n" + help},
		"extend-earlier":      {"hold extend h1 --to=2026-03-02T12:00:00Z", nil, 1, "holdctl: extend h1@" + second(end) + " to 2026-03-02T12:00:00Z: not later than the present expires_at\nhint: windows only move to later times: --to must be after the present expires_at\n"},
		"extend-other-window": {"hold extend h1 --from=2026-03-02T12:00:00Z --by=2h", nil, 1, "holdctl: extend h1@2026-03-02T12:00:00Z to 2026-03-02T14:00:00Z: the hold is in another window\nhint: somebody has extended it since: holdctl hold show, and name the window by --from\n"},
		"list-limit":          {"hold list --limit=0", nil, 2, "holdctl: limit is 0 and must be from 1 to 100000\nhint: 50 is the default\n"},
		"list-time":           {"hold list --from=yesterday", nil, 2, "holdctl: --from: \"yesterday\" is neither a time such as 2026-03-02T12:00:00Z nor an age such as 36h\n" + help},
		"no-dead-letter":      {"dead show 7", nil, 1, "holdctl: there is no dead letter \"7\"\nhint: holdctl dead list shows what there is\n"},
		"redrive-what":        {"dead redrive", nil, 2, "holdctl: dead redrive: nothing says which\nhint: name messages, or say --reason, --older-than, --newer-than or --all\n"},
		"redrive-both":        {"dead redrive 7 --all", nil, 2, "holdctl: dead redrive: messages are named, and --all is said\nhint: leave out one of them\n"},
		"redrive-none":        {"dead redrive 7", nil, 1, "holdctl: none of the messages named is a dead letter\nhint: holdctl dead list shows what there is\n"},
		"redrive-rate":        {"dead redrive --all --per-second=0", nil, 2, "holdctl: per-second is 0 and must be from 1 to 100000\nhint: 10 is the default\n"},
		"dead-of-rest":        {"dead list", rest, 1, "holdctl: dead list: queue is rest, and a hosted queue doesn't show its messages\nhint: use the service's own console; the sweep accounts for windows whose messages are lost or set aside\n"},
		"redrive-of-rest":     {"dead redrive --all", rest, 1, "holdctl: dead redrive: queue is rest, and a hosted queue doesn't show its messages\nhint: use the service's own console; the sweep accounts for windows whose messages are lost or set aside\n"},
		"stats-of-rest":       {"queue stats", rest, 1, "holdctl: queue stats: queue is rest, and a hosted queue doesn't show its messages\nhint: use the service's own console; the sweep accounts for windows whose messages are lost or set aside\n"},
		"rest-without-url":    {"queue peek", []string{"SEATHOLD_QUEUE=rest"}, 2, "holdctl: queue is rest, and queue-url is not set\nhint: set SEATHOLD_QUEUE_URL\n"},
		"explain-nobody":      {"explain h9", nil, 1, "holdctl: explain h9: no such hold, and no message or log line is about one\nhint: holdctl hold list shows what there is\n"},
		"no-log":              {"explain h1 --log=" + notThere, nil, 2, "holdctl: log: open " + notThere + ": no such file or directory\nhint: it must be a file that this user can read\n"},
		"log-is-a-folder":     {"explain h1 --log=" + filepath.Dir(notThere), nil, 1, "holdctl: log " + filepath.Dir(notThere) + ": line 1: read " + filepath.Dir(notThere) + ": is a directory\nhint: it must be a file that this user can read\n"},
		"no-export":           {"audit --provider-log=" + notThere, nil, 2, "holdctl: provider-log: open " + notThere + ": no such file or directory\nhint: it must be a file that this user can read\n"},
		"broken-export":       {"audit --provider-log=" + broken, nil, 1, "holdctl: provider-log " + broken + ": line 2: time \"noon\" is neither RFC 3339 nor Unix seconds\nhint: a line has a reminder key, the time it was accepted, and perhaps a reference; --provider-fields gives their names\n"},
		"fields-alone":        {"audit --provider-fields=key=k", nil, 2, "holdctl: provider-fields is set, and provider-log is not\nhint: say --provider-log FILE\n"},
		"no-such-field":       {"audit --provider-log=x --provider-fields=when=at", nil, 2, "holdctl: provider-fields: \"when\" is none\nhint: there are accepted-at, key, ref\n"},
		"except-alone":        {"audit --except=k", nil, 2, "holdctl: except is set, and provider-log is not\nhint: say --provider-log FILE\n"},
		"until-alone":         {"audit --provider-until=1h", nil, 2, "holdctl: provider-until is set, and provider-log is not\nhint: say --provider-log FILE\n"},
		"negative-skew":       {"audit --provider-skew=-1s", nil, 2, "holdctl: provider-skew is -1s and must not be negative\nhint: 0 is none\n"},
		"healed-and-not-down": {"audit --nothing-down --healed=1h", nil, 2, "holdctl: nothing-down is said, and healed says when something was\nhint: leave out one of them\n"},
		"prune-too-young":     {"prune --older-than=24h", nil, 2, "holdctl: older-than is 24h, and a message of queue postgres can come back for 168h: reminders must be kept longer\nhint: a message that finds no reminder can't know that it was sent; 2160h is the default\n"},
		"prune-rest":          {"prune --older-than=800h", rest, 2, "holdctl: older-than is 800h, and a message of queue rest can come back for 888h: reminders must be kept longer\nhint: a message that finds no reminder can't know that it was sent; 2160h is the default\n"},
		"prune-batch":         {"prune --batch=0", nil, 2, "holdctl: batch is 0 and must be from 1 to 100000\nhint: 500 is the default\n"},
		"smoke-settle":        {"smoke --settle=-1s", nil, 2, "holdctl: settle is -1s and must not be negative\nhint: 30s is the default\n"},
		"config-of-whom":      {"config holdall", nil, 2, "holdctl: config: there is no program \"holdall\"\nhint: there are holdsweep, holdworker, holdctl\n"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, d, c.environment, c.code, c.want, strings.Fields(c.args)...) })
	}
}

// TestUnreachable shows no password, whatever the command.
func TestUnreachable(t *testing.T) {
	const nowhere = "SEATHOLD_DATABASE_URL=postgres://u:hunter22@127.0.0.1:1/none?sslmode=disable"
	const want = "holdctl: database: dial tcp 127.0.0.1:1: connect: connection refused\n" +
		"hint: is it running, and is SEATHOLD_DATABASE_URL right? The program may be started again at any time: nothing is lost meanwhile\n"
	for _, command := range []string{"migrate up", "migrate status", "hold list", "queue stats", "dead list", "explain h", "audit", "prune", "smoke"} {
		refused(t, nil, []string{nowhere}, settings.ExitFailed, want, strings.Fields(command)...)
	}
}

// TestFlagsAreVariables shows that the name of no flag looks like a mistyped one of another program.
func TestFlagsAreVariables(t *testing.T) {
	for _, command := range []string{"migrate up", "hold create h --learner=l --section=s", "hold extend h --by=1m", "hold list", "queue peek", "dead list", "dead redrive --all", "explain h", "audit", "smoke", "prune", "config"} {
		var line commandLine
		read, err := program(&line).Read(strings.Fields(command), nil, io.Discard)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		for _, s := range read.Settings {
			_, err := program(&commandLine{}).Read(strings.Fields(command), []string{s.Env + "=x"}, io.Discard)
			if err != nil && strings.Contains(err.Error(), "is no setting") {
				t.Errorf("%s: %v", command, err)
			}
		}
	}
}

func TestMigrate(t *testing.T) {
	d := programtest.Empty(t)
	const none = "holdctl: the database has no tables of ours\nhint: "
	refused(t, d, nil, settings.ExitFailed, none+"holdctl migrate up makes them\n", "migrate", "status")
	if got := d.Value(t, `select count(*) from pg_class where relname like 'seathold%'`); got != "0" {
		t.Error("to ask for the status has made tables")
	}
	refused(t, d, nil, settings.ExitFailed, none+"run holdctl migrate up first, with a role that owns the tables\n", "hold", "list")
	if got := done(t, d, "migrate", "up"); !strings.HasPrefix(got, "applied  00001_pipeline.sql\n") {
		t.Errorf("it says %q", got)
	}
	if got := done(t, d, "migrate", "up"); got != "the schema is up to date\n" {
		t.Errorf("it says %q", got)
	}
	if got := done(t, d, "migrate", "status"); !strings.HasPrefix(got, "00001_pipeline.sql") || !strings.Contains(got, "  applied 20") {
		t.Errorf("it says %q", got)
	}
	type status struct {
		Migrations []step
		Current    bool
	}
	if got := asJSON[status](t, d, "migrate", "status"); !got.Current || len(got.Migrations) == 0 || got.Migrations[0].AppliedAt.IsZero() {
		t.Errorf("it says %+v", got)
	}
	d.Exec(t, `delete from seathold_migrations where version_id = (select max(version_id) from seathold_migrations)`)
	if code, stdout, stderr := ctl(d, nil, "migrate", "status"); code != settings.ExitFailed || !strings.Contains(stdout, "pending") || !strings.HasPrefix(stderr, "holdctl: 1 migration pending\nhint: ") {
		t.Errorf("exit code %d with %q and %q, want %d and one pending", code, stdout, stderr, settings.ExitFailed)
	}
}

func TestHold(t *testing.T) {
	d := programtest.Migrated(t)
	made := asJSON[shownHold](t, d, "hold", "create", "h1", "--learner=l", "--section=s", "--zone=Europe/Berlin", "--for=10m", "--on=email")
	if left := time.Until(made.ExpiresAt); left < 9*time.Minute || left > 10*time.Minute || made.State != reference.Held || words(made.Channels) != "email" {
		t.Errorf("made %+v, and %s are left", made, left)
	}
	again := []string{"hold", "extend", "h1", "--from=" + second(made.ExpiresAt), "--by=5m"}
	want := "h1 is held until " + second(made.ExpiresAt.Add(5*time.Minute)) + "\n"
	for range 2 {
		if got := done(t, d, again...); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	if got := done(t, d, "hold", "confirm", "h1"); !strings.HasPrefix(got, "h1 is confirmed until ") {
		t.Errorf("it says %q", got)
	}
	refused(t, d, nil, settings.ExitFailed, "holdctl: cancel h1: not held any more\nhint: a hold leaves held once, and stays what it became; begin another\n", "hold", "cancel", "h1")
	done(t, d, "hold", "create", "h2", "--learner=l2", "--section=s", "--expires-at="+second(time.Now().Add(time.Hour)))
	done(t, d, "hold", "cancel", "h2")
	d.Exec(t, `insert into reminders (hold_id, window_expires_at, channel, outcome, settled_at, provider_ref, first_claimed_at)
		select hold_id, expires_at, 'email', 'sent', expires_at, 'ref-1', expires_at from seat_holds where hold_id = 'h1'`)
	show := done(t, d, "hold", "show", "h1")
	for _, want := range []string{"hold        h1\n", "state       confirmed\n", "zone        Europe/Berlin\n", "  sent\n", "provider's reference           ref-1\n"} {
		if !strings.Contains(show, want) {
			t.Errorf("there is no %q in:\n%s", want, show)
		}
	}
	type list struct {
		Holds []shownHold
		More  bool
	}
	ids := func(args ...string) string {
		t.Helper()
		got := asJSON[list](t, d, append([]string{"hold", "list"}, args...)...)
		var all []string
		for _, h := range got.Holds {
			all = append(all, string(h.ID))
		}
		if got.More {
			all = append(all, "…")
		}
		return strings.Join(all, " ")
	}
	for want, args := range map[string][]string{
		"h1 h2": nil, "h1 …": {"--limit=1"}, "h1": {"--state=confirmed"}, "h2": {"--learner=l2"}, "": {"--section=x"},
	} {
		if got := ids(args...); got != want {
			t.Errorf("hold list %v: %q, want %q", args, got, want)
		}
	}
	if got := ids("--from=" + second(made.ExpiresAt.Add(6*time.Minute))); got != "h2" {
		t.Errorf("from later on there is %q, want h2", got)
	}
	if got := ids("--to=1m"); got != "" {
		t.Errorf("before a minute ago there is %q, want nothing", got)
	}
	if text := done(t, d, "hold", "list"); !strings.HasPrefix(text, "EXPIRES AT            STATE      HOLD  LEARNER  SECTION  CHANNELS\n") {
		t.Errorf("the list begins otherwise:\n%s", text)
	}
}

func TestConfig(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("whsec_aHVudGVyMjNodW50ZXIyM2h1bnRlcjIz\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := []string{
		"SEATHOLD_DATABASE_URL=postgres://u:hunter22@db/seathold", "SEATHOLD_SLOTS=3", "SEATHOLD_SMS_SECRET_FILE=" + secret,
		"SEATHOLD_SMS_URL=https://n.example.com/?key=hunter24hunter24", "SEATHOLD_HOOK_TOKEN=hunter25hunter25",
	}
	code, stdout, stderr := ctl(nil, environment, "config", "--lease=21s")
	if code != settings.ExitDone || stderr != "" {
		t.Errorf("exit code %d and %q", code, stderr)
	}
	columns := strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{
		"database-url postgres://u@db/seathold SEATHOLD_DATABASE_URL holdsweep, holdworker, holdctl",
		"slots 3 SEATHOLD_SLOTS holdworker", "sms-secret … SEATHOLD_SMS_SECRET_FILE holdworker", "lease 21s --lease holdctl",
		"lease 20s default holdsweep, holdworker", "sms-url https://n.example.com/?… SEATHOLD_SMS_URL",
		"hook-token … SEATHOLD_HOOK_TOKEN holdsweep", "holdworker would refuse: email-url is not set, and channels is email,sms hint: set SEATHOLD_EMAIL_URL",
	} {
		if !strings.Contains(columns, want) {
			t.Errorf("there is no %q in:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "hunter2") || strings.Contains(stdout, "aHVudGVy") {
		t.Errorf("a secret is shown:\n%s", stdout)
	}
	code, stdout, stderr = ctl(nil, environment, "config", "holdworker", "--json")
	if code != settings.ExitUsage || !strings.HasPrefix(stderr, "holdctl: email-url is not set, and channels is email,sms\nhint: ") || !json.Valid([]byte(stdout)) {
		t.Errorf("exit code %d, %q, and %s", code, stderr, stdout)
	}
	if code, _, stderr := ctl(nil, environment, "config", "holdsweep"); code != settings.ExitDone {
		t.Errorf("exit code %d, and %s", code, stderr)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"dead", "redrive", "--help"}, {"--version"}} {
		if code, stdout, stderr := ctl(nil, nil, args...); code != settings.ExitDone || stdout == "" || stderr != "" {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// TestStdoutIsGone shows that what could not be written is no success.
func TestStdoutIsGone(t *testing.T) {
	d := programtest.Migrated(t)
	var errs bytes.Buffer
	code := run([]string{"hold", "list"}, []string{"SEATHOLD_DATABASE_URL=" + d.DSN}, brokenWriter{}, &errs)
	if code != settings.ExitFailed || errs.String() != "holdctl: broken pipe\n" {
		t.Errorf("exit code %d and %q", code, errs.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
