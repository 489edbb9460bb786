package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/promise"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

const file = "scenarios/provider-blind-retry.txt"

func pos(line, col int) script.Pos { return script.Pos{File: file, Line: line, Col: col} }

func scenario() *script.Scenario {
	return &script.Scenario{
		File: file, Name: "provider-blind-retry", Start: noon,
		Steps: []script.Step{
			{Pos: pos(15, 1), Run: &script.Run{Until: at("12:07:30")}},
			{Pos: pos(17, 1), Run: &script.Run{Until: at("12:15")}},
		},
	}
}

func twice(s *story) report.Failure {
	return report.FromViolation(promise.Violation{
		Promise: "P1", Class: "accepted twice", Hold: "h2", Window: at("12:10"), Channel: "sms", Seq: s.second(), At: at("12:08:00.200"),
		Sentence: "the sms of h2 was accepted at 12:07:00.200 and again at 12:08:00.200",
		Hint:     "see which two claims led to the sends, and why the second was granted",
	})
}

// The screens of testdata are read by a person; UPDATE=1 writes them anew.
func TestText(t *testing.T) {
	s := sentTwice()
	options := report.Options{Scenario: scenario(), Run: s.run(), In: "memory, pass 1, seed 1"}
	golden := script.Step{Pos: pos(18, 1), Golden: &script.Golden{Lines: s.golden()}}
	golden.Golden.Lines[3] = "12:07:00  w1  settles h2/email: unknown(timeout)"
	expect := script.Step{Pos: pos(26, 1), Text: "expect h2 sms=sent", Expect: &script.Expect{Holds: []reference.HoldID{"h2"}, SMS: "sent"}}
	fault := script.Step{
		Pos: pos(12, 1), Text: "fault crash worker after=claim on=h9",
		Fault: &faults.Fault{Kind: "crash", On: "h9"},
	}
	confirm := script.Step{Pos: pos(13, 1), Text: "at 12:11 confirm h1", Do: &script.Do{Verb: "confirm", Hold: "h1"}}
	other := sentTwice()
	other.events[12].Token = "t9"
	passes := func(a, b *story) report.Failure {
		f, same := report.Diverged(report.Pass{Name: "memory", Start: noon, Events: a.events}, report.Pass{Name: "postgres", Start: noon, Events: b.events})
		if same {
			t.Fatal("the two runs are the same")
		}
		return f
	}
	shorter := sentTwice()
	shorter.events = shorter.events[:15]
	replayed, _ := report.Replayed(replay(s.run()))
	for _, c := range []struct {
		name     string
		failures []report.Failure
	}{
		{"promise", []report.Failure{
			report.GoldenDiffers(golden, s.golden()), report.Unmet(expect, "sent", "unknown(lapsed)"), twice(s),
			report.NeverFired(fault, ""),
		}},
		{"expectation", []report.Failure{report.Unmet(expect, "sent", "unknown(lapsed)")}},
		{"golden", []report.Failure{report.GoldenDiffers(golden, s.golden())}},
		{"fault", []report.Failure{report.NeverFired(fault, "claim of h2/sms by w1 at 12:07:00, but for on=h9")}},
		{"at", []report.Failure{report.ChangedNothing(confirm, "refused: the hold has run out")}},
		{"stores-differ", []report.Failure{passes(sentTwice(), shorter)}},
		{"tokens-differ", []report.Failure{passes(sentTwice(), other)}},
		{"replay", []report.Failure{replayed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := report.Text(c.failures, options)
			if lines := strings.Count(got, "\n"); lines > 50 {
				t.Errorf("%d lines, want at most 50", lines)
			}
			compare(t, "testdata/"+c.name+".txt", got)
		})
	}
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func (s *story) golden() []string { return report.Golden(s.events, noon) }

// replay gives the run tables in which a replay changed an outcome.
func replay(run trace.Run) trace.Run {
	hold := reference.Hold{ID: "h2", ExpiresAt: at("12:10"), State: reference.Expired}
	row := reference.Row{
		Reminder: reference.Reminder{Window: hold.Window(), Channel: "sms"}, MessageID: "m2", SettledAt: at("12:08"),
		Outcome: reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed},
	}
	run.Holds, run.ReplayHolds = []reference.Hold{hold}, []reference.Hold{hold}
	run.Rows = []reference.Row{row}
	row.Outcome, row.SettledAt = reference.Outcome{Verdict: reference.Sent}, at("15:00")
	run.ReplayRows = []reference.Row{row}
	return run
}

func TestTextFitsAScreen(t *testing.T) {
	s := sentTwice()
	var want, got []string
	for i := range 40 {
		want = append(want, fmt.Sprint("want ", i))
		got = append(got, fmt.Sprint("got ", i))
	}
	failures := []report.Failure{twice(s), report.GoldenDiffers(script.Step{Pos: pos(18, 1), Golden: &script.Golden{Lines: want}}, got)}
	for range 20 {
		failures = append(failures, twice(s))
	}
	text := report.Text(failures, report.Options{Scenario: scenario(), Run: s.run()})
	if lines := strings.Count(text, "\n"); lines > 50 {
		t.Errorf("%d lines, want at most 50:\n%s", lines, text)
	}
	for _, part := range []string{">>>", "… 68 lines more", "and 15 failures more", "holdsim run -stop-at"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

func TestSameRunsDontDiffer(t *testing.T) {
	a, b := sentTwice(), sentTwice()
	for i := range b.events {
		b.events[i].At = b.events[i].At.In(time.FixedZone("UTC+9", 9*60*60))
	}
	if f, same := report.Diverged(report.Pass{Events: a.events}, report.Pass{Events: b.events}); !same {
		t.Errorf("Diverged = %+v, want the same", f)
	}
	if f, same := report.Replayed(a.run()); !same {
		t.Errorf("Replayed = %+v, want the same", f)
	}
}

func TestResult(t *testing.T) {
	ok := report.Result{
		Scenario: "claim-crash-before-send", Store: "memory", Pass: 2, Events: 142,
		Simulated: 70 * time.Minute, Wall: 3 * time.Millisecond, Hash: 0xfeed,
	}
	bad := ok
	bad.Scenario, bad.Store, bad.Pass, bad.Wall = "provider-blind-retry", "postgres", 1, 12*time.Second
	bad.Failures = []report.Failure{twice(sentTwice())}
	for _, c := range []struct{ got, want string }{
		{ok.Line(24), "ok    claim-crash-before-send   memory    2 passes  142 events   1h10m simulated  3 ms"},
		{bad.Line(24), "FAIL  provider-blind-retry      postgres  1 pass    142 events   1h10m simulated  12.0 s   1 failure"},
		{report.Summary([]report.Result{ok, bad}, 840*time.Millisecond), "2 scenarios, 2h20m simulated, 0.84 s: 1 passed, 1 failed"},
		{report.Summary([]report.Result{ok, ok}, time.Second), "1 scenario, 2h20m simulated, 1.00 s: 1 passed, 0 failed"},
	} {
		if c.got != c.want {
			t.Errorf("\n got %s\nwant %s", c.got, c.want)
		}
	}
	line, err := bad.JSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"scenario":"provider-blind-retry","ok":false,"store":"postgres","pass":1,"events":142,` +
		`"simulated_seconds":4200,"wall_ms":12000,"hash":"000000000000feed","failures":[{"kind":"promise",` +
		`"sentence":"the sms of h2 was accepted at 12:07:00.200 and again at 12:08:00.200","promise":"P1","class":"accepted twice",` +
		`"hold":"h2","window":"2026-03-02T12:10:00Z","channel":"sms","seq":31,"at":"2026-03-02T12:08:00.2Z",` +
		`"hint":"see which two claims led to the sends, and why the second was granted"}]}`
	if diff := cmp.Diff(want, string(line)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	if !json.Valid(line) {
		t.Error("not JSON")
	}
}

func TestDescribe(t *testing.T) {
	s := scenario()
	s.Seed, s.Restart, s.Policy = 1, 5*time.Second, reference.DefaultPolicy()
	s.Nodes = []script.Node{{Name: "w1", Slots: 2, Skew: 10 * time.Minute, Restart: -1}, {Name: "w2", Slots: 1, Restart: 5 * time.Second}}
	s.Cron = script.Cron{Spec: "*/5 * * * *", Timeout: time.Minute}
	s.Queue = script.Queue{Profile: "standard", Dedup: 24 * time.Hour, Retention: 30 * 24 * time.Hour}
	s.Providers = []script.Provider{{Channel: "email", Latency: 200 * time.Millisecond}, {Channel: "sms", Keys: 24 * time.Hour}}
	s.Holds = make([]reference.Hold, 12)
	want := `
world    start=2026-03-02T12:00:00Z seed=1 workers=(w1, w2) restart=5s
node     w1 slots=2 skew=+10m restart=never
node     w2 slots=1 skew=0s restart=5s
policy   lead=3m cutoff=30s send-timeout=10s lease=20s order=claim-first page=500 renominate=30s budget=50s backstop=10m
cron     spec="*/5 * * * *" zone=UTC timeout=1m retries=0 jitter=0s
queue    profile=standard visibility=1m max-receives=10 dedup=24h retention=720h latency=0s
provider email keys=none latency=200ms
provider sms keys=24h latency=0s
# 12 holds, 0 reminder rows; store timeout 5s, lock timeout 1s, long poll 20s
`
	if diff := cmp.Diff(want, "\n"+text(report.Describe(s))); diff != "" {
		t.Errorf("Describe (-want +got):\n%s", diff)
	}
}
