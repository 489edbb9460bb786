package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
)

// told makes an expired hold whose reminders were sent in time, and gives what the provider accepted.
func told(t *testing.T, d *programtest.Database, id string, ended time.Duration) []audit.Acceptance {
	t.Helper()
	w := d.Hold(t, id, -ended)
	d.Exec(t, `update seat_holds set state = 'expired' where hold_id = $1`, id)
	var accepted []audit.Acceptance
	for _, c := range reference.Channels {
		at := w.ExpiresAt.Add(-time.Minute)
		d.Exec(t, `insert into reminders (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at, outcome, provider_ref, settled_at)
			values ($1, $2, $3, 't', $4, $4, 'sent', $5, $4)`, w.Hold, w.ExpiresAt, c, at, id+string(c))
		accepted = append(accepted, audit.Acceptance{Key: reference.Reminder{Window: w, Channel: c}.Key(), At: at, Ref: id + string(c)})
	}
	return accepted
}

func export(t *testing.T, accepted []audit.Acceptance) string {
	t.Helper()
	text := "key,accepted_at,ref\n"
	for _, a := range accepted {
		text += fmt.Sprintf("%s,%s,%s\n", a.Key, second(a.At), a.Ref)
	}
	path := filepath.Join(t.TempDir(), "export.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAudit(t *testing.T) {
	d := programtest.Migrated(t)
	accepted := told(t, d, "h1", time.Hour)
	d.Hold(t, "h2", time.Hour)
	log := "--provider-log=" + export(t, accepted)
	text := done(t, d, "audit", log)
	columns := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{"holds held 1 holds confirmed 0 holds cancelled 0 holds expired 1", "email sent 1 sms sent 1", "provider accepted 2", "P1 to P5 hold"} {
		if !strings.Contains(columns, want) {
			t.Errorf("there is no %q in:\n%s", want, text)
		}
	}
	if text := done(t, d, "audit"); !strings.HasSuffix(text, "P2 to P5 hold; P1 can only be told by a provider's log\n") {
		t.Errorf("without a log it says\n%s", text)
	}
	d.Exec(t, `update seat_holds set expires_at = expires_at - interval '1 day' where hold_id = 'h2'`)
	twice := "--provider-log=" + export(t, append(accepted, accepted[0]))
	code, stdout, stderr := ctl(d, nil, "audit", twice)
	const want = "holdctl: audit: 2 violations: P1 accepted-twice 1, P5 still-held 1\nhint: holdctl explain HOLD tells the story of each\n"
	if code != settings.ExitFailed || stderr != want || !strings.Contains(stdout, "P1 accepted-twice: h1@") || !strings.Contains(stdout, "P5 still-held: h2@") {
		t.Errorf("exit code %d, want %d, %q, and both named:\n%s", code, settings.ExitFailed, stderr, stdout)
	}
	code, stdout, _ = ctl(d, nil, "audit", twice, "--json")
	var report audit.Report
	if err := json.Unmarshal([]byte(stdout), &report); code != settings.ExitFailed || err != nil || len(report.Findings) != 2 || report.Findings[0].Hold != "h1" || report.Log.Accepted != 3 {
		t.Errorf("exit code %d, error %v, and %+v", code, err, report)
	}
	code, stdout, _ = ctl(d, nil, "audit", twice, "--most=1")
	if code != settings.ExitFailed || !strings.Contains(stdout, "… and more: --most, or --json\n") || strings.Contains(stdout, "P5 still-held: ") {
		t.Errorf("exit code %d, want %d and one shown:\n%s", code, settings.ExitFailed, stdout)
	}
	done(t, d, "audit", "--healed=1m", log)
	done(t, d, "audit", "--healed=1m", "--provider-log="+export(t, append(accepted, audit.Acceptance{Key: "removed", At: time.Now()})), "--except=removed")
	done(t, d, "audit", "--since=30m")
}

func TestExplain(t *testing.T) {
	d := programtest.Migrated(t)
	told(t, d, "h1", time.Hour)
	log := filepath.Join(t.TempDir(), "worker.log")
	lines := `{"time":"` + second(time.Now().Add(-61*time.Minute)) + `","level":"INFO","msg":"provider.send","program":"holdworker","slot":1,"hold":"h1","channel":"sms","token":"t","answer":"accepted","ref":"r"}` + "\nnot ours\n"
	if err := os.WriteFile(log, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := ctl(d, nil, "explain", "h1", "--log", log)
	if code != settings.ExitDone || stderr != "holdctl: passed over 1 line of the log, which are none of ours\n" {
		t.Errorf("exit code %d and %q", code, stderr)
	}
	at := 0
	for _, want := range []string{
		"h1 is expired: learner learner-1, section section-1, until ", "email: sent: the provider accepted it", "the reminder is due", "email was first claimed",
		"holdworker slot 1 sends sms: accepted, as r (attempt t)", "the cut-off: no reminder may start any more", "expires_at: the time is over", "  now",
	} {
		i := strings.Index(stdout[at:], want)
		if i < 0 {
			t.Fatalf("there is no %q after the others in:\n%s", want, stdout)
		}
		at += i
	}
	type story struct {
		Hold   string
		Events []struct{ At, Source, Text string }
	}
	if got := asJSON[story](t, d, "explain", "h1"); got.Hold != "h1" || len(got.Events) < 5 {
		t.Errorf("it says %+v", got)
	}
	d.Exec(t, `delete from reminders where channel = 'sms'`)
	if _, stdout, _ := ctl(d, nil, "explain", "h1"); !strings.Contains(stdout, "P2 is broken (no-outcome): h1@") {
		t.Errorf("what is broken isn't said:\n%s", stdout)
	}
	dead(t, d, 7, message(t, reference.Remind, reference.Window{Hold: `go"ne`, ExpiresAt: time.Now().Truncate(time.Second)}), "remind: no such hold", 0)
	if text := done(t, d, "explain", `go"ne`); !strings.HasPrefix(text, "there is no hold go\"ne now\n") || !strings.Contains(text, "message 7 (remind) was set aside, delivered 10 times: remind: no such hold") {
		t.Errorf("it says\n%s", text)
	}
}

func TestPrune(t *testing.T) {
	d := programtest.Migrated(t)
	const day = 24 * time.Hour
	for i, ended := range []time.Duration{20 * day, 20 * day, 20 * day, 9 * day} {
		told(t, d, fmt.Sprint("told", i), ended)
	}
	d.Hold(t, "held", -20*day)
	spoken, open, late := d.Hold(t, "spoken-of", -20*day), d.Hold(t, "open", -20*day), d.Hold(t, "settled-late", -20*day)
	d.Exec(t, `update seat_holds set state = 'confirmed' where hold_id in ('spoken-of', 'open', 'settled-late')`)
	d.Exec(t, `insert into reminders (hold_id, window_expires_at, channel, first_claimed_at) values ($1, $2, 'email', $2)`, open.Hold, open.ExpiresAt)
	d.Exec(t, `insert into reminders (hold_id, window_expires_at, channel, first_claimed_at, outcome, settled_at)
		values ($1, $2, 'email', $2, 'sent', clock_timestamp())`, late.Hold, late.ExpiresAt)
	dead(t, d, 1, message(t, reference.Remind, spoken), "young", day)
	dead(t, d, 2, message(t, reference.Remind, reference.Window{Hold: "told0", ExpiresAt: spoken.ExpiresAt}), "old", 20*day)
	for i, ago := range []string{"30 days", "20 days", "1 day", "15 days"} {
		d.Exec(t, `insert into sweep_runs values ($1, default, clock_timestamp() - $2::interval, 0, 0, 0, 0, 0, 0, 0, true)`, fmt.Sprint("s", i), ago)
	}
	args := []string{"prune", "--older-than=240h", "--batch=1", "--pause=1ms"}
	const counts = "holds             3\nreminders         6\ndead letters      1\nreports of sweeps  2\nkept              1    old holds"
	same := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if text := done(t, d, append(args, "--dry-run")...); !strings.HasPrefix(text, "would be removed what is older than ") || !strings.Contains(same(text), same(counts)) {
		t.Errorf("it says\n%s", text)
	}
	if got := d.Value(t, `select count(*) from seat_holds`); got != "8" {
		t.Errorf("%s holds are there after a dry run, want 8", got)
	}
	if text := done(t, d, args...); !strings.HasPrefix(text, "removed what is older than ") || !strings.Contains(same(text), same(counts)) {
		t.Errorf("it says\n%s", text)
	}
	for query, want := range map[string]string{
		`select string_agg(hold_id, ' ' order by hold_id) from seat_holds`:   "held open settled-late spoken-of told3",
		`select string_agg(reason, ' ') from queue_dead_letters`:             "young",
		`select string_agg(sweep_id, ' ' order by sweep_id) from sweep_runs`: "s2 s3", // the newest stays
		`select count(*) from reminders`:                                     "4",
	} {
		if got := d.Value(t, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if text := done(t, d, args...); !strings.Contains(same(text), "holds 0 reminders 0 dead letters 0 reports of sweeps 0") {
		t.Errorf("again it says\n%s", text)
	}
}
