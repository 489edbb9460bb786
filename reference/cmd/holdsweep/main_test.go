package main

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m, name)) }

// environment is what a sweep needs, with what is particular to a test.
func environment(dsn string, more ...string) []string {
	return append([]string{
		"SEATHOLD_DATABASE_URL=" + dsn, "SEATHOLD_LISTEN=127.0.0.1:0", "SEATHOLD_METRICS_LISTEN=127.0.0.1:0",
		"SEATHOLD_POLL_EVERY=200ms", "SEATHOLD_LOG_LEVEL=debug",
	}, more...)
}

// nowhere is a database that doesn't answer.
const nowhere = "postgres://u:hunter22@127.0.0.1:1/none?sslmode=disable"

func TestOnce(t *testing.T) {
	d := programtest.Migrated(t)
	d.Hold(t, "due", time.Minute)
	d.Hold(t, "not-due", time.Hour)
	for _, want := range []string{`"found":{"remind":1,"expire":0},"published":{"remind":1,"expire":0},"queued":1,"pages":1,"backstop":0,"drained":true}`,
		`"found":{"remind":1,"expire":0},"published":{"remind":1,"expire":0},"queued":1`} {
		p := programtest.Start(t, name, environment(d.DSN), "once")
		code, stdout := p.Wait()
		if code != settings.ExitDone || !strings.Contains(stdout, want) || !json.Valid([]byte(stdout)) {
			t.Errorf("exit code %d, want %d, with a report that has %s:\n%s", code, settings.ExitDone, want, stdout)
		}
		p.Await(1, programtest.Line{"msg": "sweep.end", "answer": "whole", "level": "INFO"})
		p.Await(1, programtest.Line{"msg": "sweep.publish", "hold": "due", "kind": "remind", "message": "1"})
	}
	if got := d.Value(t, `select count(*) from queue_messages`); got != "1" {
		t.Errorf("%s messages after two sweeps, want 1: they have the same key", got)
	}
}

func TestOnceThatIsNotWhole(t *testing.T) {
	d := programtest.Migrated(t)
	d.Hold(t, "due", time.Minute)
	d.Exec(t, `alter table queue_messages rename to gone`)
	p := programtest.Start(t, name, environment(d.DSN), "once")
	code, stdout := p.Wait()
	if code != settings.ExitFailed || !strings.Contains(stdout, `"queued":0`) || !strings.Contains(stdout, `"problem":"diverged"`) {
		t.Errorf("exit code %d, want %d, with a report that says diverged:\n%s", code, settings.ExitFailed, stdout)
	}
	complaint(t, p, "found 1, published 0", "the next sweep")
	if got := d.Value(t, `select found_remind || ' found, ' || published_remind || ' published, drained ' || drained from sweep_runs`); got != "1 found, 0 published, drained false" {
		t.Errorf("on record is %q", got)
	}
}

func TestCannotBegin(t *testing.T) {
	d := programtest.Empty(t)
	for name, c := range map[string]struct {
		dsn  string
		args []string
		code int
		want string
	}{
		"period-said-otherwise": {d.DSN, []string{"every", "2m", "--sweep-period=1m", "--lead=5m"}, settings.ExitUsage, "every has gaps of 2m0s, and --sweep-period says that sweeps come every 1m0s"},
		"unreachable":           {nowhere, []string{"once"}, settings.ExitFailed, "database: dial tcp 127.0.0.1:1: connect: connection refused"},
		"unreachable-every":     {nowhere, []string{"every", "1m"}, settings.ExitFailed, "connection refused"},
		"no-tables":             {d.DSN, []string{"once"}, settings.ExitFailed, "the database has no tables of ours"},
		"no-tables-cron":        {d.DSN, []string{"cron", "* * * * *"}, settings.ExitFailed, "the database has no tables of ours"},
		"no-dsn":                {"", []string{"once"}, settings.ExitUsage, "database-url is not set"},
		"bad-dsn":               {"postgres://u:hunter22@%zz/db", []string{"once"}, settings.ExitUsage, "database-url: open the database: "},
		"bad-spec":              {d.DSN, []string{"cron", "* * *"}, settings.ExitUsage, "cron: expected exactly 5 fields"},
		"bad-zone":              {d.DSN, []string{"cron", "* * * * *", "Mars/Base"}, settings.ExitUsage, "cron: unknown time zone Mars/Base"},
		"spec-too-rare":         {d.DSN, []string{"cron", "*/5 * * * *"}, settings.ExitUsage, "sweep period 5m1s + 2 channels"},
		"spec-with-a-night":     {d.DSN, []string{"cron", "* 8-18 * * *"}, settings.ExitUsage, "sweep period 13h1m1s"},
		"spec-with-sundays":     {d.DSN, []string{"cron", "* * * * 1-6"}, settings.ExitUsage, "sweep period 24h1m1s"},
		"spec-never":            {d.DSN, []string{"cron", "0 0 31 2 *"}, settings.ExitUsage, "never comes"},
		"no-period":             {d.DSN, []string{"every", "0s"}, settings.ExitUsage, "the period is 0s and must be positive"},
		"open-to-all":           {d.DSN, []string{"serve", "--listen=:0"}, settings.ExitUsage, "neither hook-token nor hook-secret is set"},
		"metrics-port-taken":    {d.DSN, []string{"serve", "--metrics-listen=203.0.113.1:9"}, settings.ExitFailed, "metrics-listen: listen tcp 203.0.113.1:9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := programtest.Start(t, "holdsweep", environment(c.dsn), c.args...)
			code, stdout := p.Wait()
			if code != c.code || stdout != "" {
				t.Errorf("exit code %d, want %d; stdout %q, want nothing", code, c.code, stdout)
			}
			complaint(t, p, c.want, "")
		})
	}
}

// complaint wants one line that says what is wrong, and perhaps a hint, and no password.
func complaint(t *testing.T, p *programtest.Process, want, hint string) {
	t.Helper()
	var plain []string
	for line := range strings.Lines(p.Stderr()) {
		if !strings.HasPrefix(line, "{") {
			plain = append(plain, line)
		}
	}
	if len(plain) == 0 || len(plain) > 2 || !strings.HasPrefix(plain[0], name+": ") || !strings.Contains(plain[0], want) {
		t.Errorf("stderr has %q, want one line that begins with %s and says %q, and perhaps a hint", plain, name, want)
	}
	if hint != "" && (len(plain) < 2 || !strings.HasPrefix(plain[1], "hint: ") || !strings.Contains(plain[1], hint)) {
		t.Errorf("stderr has %q, want a hint that says %q", plain, hint)
	}
	if strings.Contains(p.Stderr(), "hunter22") {
		t.Errorf("stderr shows a password:\n%s", p.Stderr())
	}
}

func TestEverySweepsUntilToldToEnd(t *testing.T) {
	d := programtest.Migrated(t)
	w := d.Hold(t, "overdue", -time.Hour)
	p := programtest.Start(t, name, environment(d.DSN, "SEATHOLD_JITTER=50ms"), "every", "300ms")
	p.Await(3, programtest.Line{"msg": "sweep.end", "answer": "whole"})
	if got, want := d.Outcomes(t, w), "email=dropped(missed) sms=dropped(missed)"; got != want {
		t.Errorf("the backstop left %q, want %q", got, want)
	}
	p.Await(1, programtest.Line{"msg": "sweep.backstop", "hold": "overdue", "level": "WARN"})
	page := scrape(t, p)
	for _, want := range []string{
		"seathold_backstop_expiries_total 1", "seathold_expiry_lateness_seconds_count 1",
		`seathold_outcomes_total{channel="sms",outcome="dropped",reason="missed"} 1`,
		"seathold_sweep_period_seconds 0.35", "seathold_ready 1", `seathold_sweep_unpublished_total{kind="expire"} 0`,
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("the metrics have no line %s", want)
		}
	}
	p.Signal(syscall.SIGTERM)
	if code, _ := p.Wait(); code != settings.ExitDone {
		t.Errorf("exit code %d, want %d", code, settings.ExitDone)
	}
	p.Await(1, programtest.Line{"msg": "program.drained"})
}

func TestCronSweepsUntilToldToEnd(t *testing.T) {
	d := programtest.Migrated(t)
	p := programtest.Start(t, name, environment(d.DSN, "SEATHOLD_JITTER=0s"), "cron", "@every 1s", "Europe/Berlin")
	p.Await(2, programtest.Line{"msg": "sweep.end", "answer": "whole"})
	p.Signal(syscall.SIGINT)
	if code, _ := p.Wait(); code != settings.ExitDone {
		t.Errorf("exit code %d, want %d", code, settings.ExitDone)
	}
}

// TestEveryLeavesOutWhatFallsIntoASweep blocks one sweep over several of its starts.
func TestEveryLeavesOutWhatFallsIntoASweep(t *testing.T) {
	d := programtest.Migrated(t)
	d.Hold(t, "due", time.Minute)
	release := block(t, d)
	p := programtest.Start(t, name, environment(d.DSN), "every", "5ms", "--jitter=0s")
	blocked(t, d)
	if n := len(p.Log(programtest.Line{"msg": "sweep.end"})); n != 0 {
		t.Errorf("%d sweeps ended, want none", n)
	}
	release()
	p.Await(2, programtest.Line{"msg": "sweep.end", "answer": "whole"})
	if got := d.Value(t, `select count(*) from queue_messages`); got != "1" {
		t.Errorf("%s messages, want 1", got)
	}
	if page := scrape(t, p); strings.Contains(page, "seathold_sweeps_skipped_total 0\n") {
		t.Error("no start was counted as skipped")
	}
}

func scrape(t *testing.T, p *programtest.Process) string {
	t.Helper()
	status, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics")
	if status != 200 {
		t.Errorf("metrics: status %d, want 200", status)
	}
	return page
}

// block holds up every sweep that has something to publish, until it is released.
func block(t *testing.T, d *programtest.Database) (release func()) {
	t.Helper()
	tx, err := d.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `lock table queue_messages in share mode`); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// blocked waits until a sweep waits for what block holds.
func blocked(t *testing.T, d *programtest.Database) {
	t.Helper()
	programtest.Eventually(t, func() error {
		const waiting = `select count(*) from pg_stat_activity where application_name = 'holdsweep' and wait_event_type = 'Lock'
			and datname = current_database()`
		if got := d.Value(t, waiting); got != "1" {
			return os.ErrNotExist
		}
		return nil
	})
}
