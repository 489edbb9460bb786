package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
)

var (
	zones      = cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })
	faultLines = cmp.Comparer(func(a, b faults.Fault) bool { return a.String() == b.String() })
	both       = []reference.Channel{reference.Email, reference.SMS}
)

// noon is a time of the day on which the scenarios here begin.
func noon(minute, second int) time.Time {
	return time.Date(2026, 3, 2, 12, minute, second, 0, time.UTC)
}

func pos(line int) script.Pos { return script.Pos{File: "testdata/overlap.txt", Line: line, Col: 1} }

func fault(line string) *faults.Fault {
	f, err := faults.ParseLine(line)
	if err != nil {
		panic(err)
	}
	return &f
}

func overlap() *script.Scenario {
	policy := reference.DefaultPolicy()
	return &script.Scenario{
		File: "testdata/overlap.txt", Name: "overlap",
		Header: []string{
			"Two sweeps overlap and a worker dies between claim and send.", "", "Source: by design",
			"At stake: P1, P2. Every nudge is sent once or dropped on the record; every seat comes back.",
		},
		Start: noon(0, 0), Seed: 1, Policy: policy, Restart: 5 * time.Second,
		Nodes: []script.Node{{Name: "w1", Slots: 1, Restart: 5 * time.Second}, {Name: "w2", Slots: 1, Restart: 5 * time.Second}},
		Cron:  script.Cron{Every: time.Minute, Zone: time.UTC, Timeout: time.Minute},
		Queue: script.Queue{Profile: "standard", Dedup: 24 * time.Hour, Retention: 720 * time.Hour},
		Providers: []script.Provider{
			{Channel: reference.Email, Latency: 200 * time.Millisecond}, {Channel: reference.SMS, Latency: 300 * time.Millisecond},
		},
		Holds: []reference.Hold{
			{ID: "h1", Learner: "learner-h1", Section: "section-h1", ExpiresAt: noon(10, 0), Zone: "America/New_York", State: reference.Held, Channels: both},
			{ID: "h2", Learner: "learner-h2", Section: "section-h2", ExpiresAt: noon(40, 0), Zone: "UTC", State: reference.Held, Channels: both},
		},
		Steps: []script.Step{
			{Pos: pos(14), Text: "fault slow  sweep at=12:07 per-item=20s", Stanza: 2, Fault: fault("slow sweep at=12:07 per-item=20s")},
			{Pos: pos(15), Text: "at 12:08 confirm h2", Stanza: 2, Do: &script.Do{At: noon(8, 0), Verb: "confirm", Hold: "h2"}},
			{Pos: pos(17), Text: "run until=12:15", Stanza: 3, Run: &script.Run{Until: noon(15, 0)}},
			{Pos: pos(18), Text: "----", Stanza: 3, Golden: &script.Golden{From: 492, To: 572, Lines: []string{
				"12:07:00  sweep#7  finds remind h1", "12:07:20  sweep#7  publishes remind h1 as m1",
			}}},
			{Pos: pos(22), Text: "expect h1 email=sent sms=unknown(lapsed) state=expired", Stanza: 4, Expect: &script.Expect{
				Subject: "hold", Holds: []reference.HoldID{"h1"}, Email: "sent", SMS: "unknown(lapsed)", State: "expired",
			}},
			{Pos: pos(23), Text: "expect accepted h1/sms=0", Stanza: 4, Expect: &script.Expect{
				Subject: "accepted", Holds: []reference.HoldID{"h1"}, Channel: reference.SMS,
			}},
		},
	}
}

// TestScenario: a whole file, with the defaults that it leaves out.
func TestScenario(t *testing.T) {
	got, err := script.ParseFile("testdata/overlap.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(overlap(), got, zones, faultLines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

var steps = []struct {
	lines string
	want  []script.Step
}{
	{"at 12:05 extend h1 to=12:25:01", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "extend", Hold: "h1", To: noon(25, 1)}}}},
	{"at +1m30s create h2 expires=12:20 channels=(sms) zone=Europe/Berlin", []script.Step{{Do: &script.Do{
		At: noon(1, 30), Verb: "create", Hold: "h2", New: reference.Hold{
			ID: "h2", Learner: "learner-h2", Section: "section-h2", ExpiresAt: noon(20, 0), Zone: "Europe/Berlin",
			State: reference.Held, Channels: []reference.Channel{reference.SMS},
		},
	}}}},
	{"at 12:05 publish expire h1 window=12:30", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "publish", Kind: "expire", Hold: "h1", To: noon(30, 0)}}}},
	{"at 12:05 publish remind h1", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "publish", Kind: "remind", Hold: "h1"}}}},
	{"at 12:05 redrive on=h1", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "redrive", Hold: "h1"}}}},
	{"at 12:05 pause cron", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "pause", Who: "cron"}}}},
	{"at 12:05 deploy w2", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "deploy", Who: "w2"}}}},
	{"at 12:05 purge # a comment", []script.Step{{Do: &script.Do{At: noon(5, 0), Verb: "purge"}}}},
	{"fault maybe crash   worker after=claim", []script.Step{{Fault: fault("maybe crash worker after=claim")}}},
	{"run for=90s", []script.Step{{Run: &script.Run{Until: noon(1, 30)}}}},
	{"show reminders only=h1", []script.Step{{Show: &script.Show{What: "reminders", Only: "h1"}}}},
	{"expect h1@12:10 email=none", []script.Step{{Expect: &script.Expect{
		Subject: "hold", Holds: []reference.HoldID{"h1"}, Window: noon(10, 0), Email: "none",
	}}}},
	{"expect all state=held", []script.Step{{Expect: &script.Expect{Subject: "hold", Holds: []reference.HoldID{"h1"}, State: "held"}}}},
	{"expect transitions h1=1", []script.Step{{Expect: &script.Expect{Subject: "transitions", Holds: []reference.HoldID{"h1"}, N: 1}}}},
	{"expect accepted h1/sms=1 h1@12:10/email=2", []script.Step{
		{Expect: &script.Expect{Subject: "accepted", Holds: []reference.HoldID{"h1"}, Channel: reference.SMS, N: 1}},
		{Expect: &script.Expect{Subject: "accepted", Holds: []reference.HoldID{"h1"}, Window: noon(10, 0), Channel: reference.Email, N: 2}},
	}},
	{"expect sweep#3 published=12 pages=1", []script.Step{
		{Expect: &script.Expect{Subject: "sweep", Sweep: 3, Field: "published", N: 12}},
		{Expect: &script.Expect{Subject: "sweep", Sweep: 3, Field: "pages", N: 1}},
	}},
	{"expect queue empty", []script.Step{{Expect: &script.Expect{Subject: "queue-empty"}}}},
	{"expect dead-letters 2", []script.Step{{Expect: &script.Expect{Subject: "dead-letters", N: 2}}}},
	{"expect fires from=12:00 until=12:30 count=6", []script.Step{{Expect: &script.Expect{
		Subject: "fires", From: noon(0, 0), Until: noon(30, 0), N: 6,
	}}}},
	{"expect broken P1", []script.Step{{Expect: &script.Expect{Subject: "broken", Promise: "P1"}}}},
}

// TestSteps: what single lines mean.
func TestSteps(t *testing.T) {
	for _, c := range steps {
		s, err := script.Parse("x.txt", []byte(head+c.lines+"\nrun until=12:50\n"))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		got := s.Steps[:len(s.Steps)-1]
		for i := range got {
			if text, _, _ := strings.Cut(c.lines, " #"); !strings.HasPrefix(got[i].Text, text) {
				t.Errorf("%s: the step says that its text is %q", c.lines, got[i].Text)
			}
			got[i].Pos, got[i].Text, got[i].Stanza = script.Pos{}, "", 0
		}
		if diff := cmp.Diff(c.want, got, faultLines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.lines, diff)
		}
	}
}

var ranges = []struct{ row, want string }{
	{"p1..p3  12:10..12:20", "p1 12:10, p2 12:15, p3 12:20"},
	{"p09..p11  12:10..12:10:01", "p09 12:10, p10 12:10, p11 12:10:01"},
	{"p7..p7  12:20", "p7 12:20"},
	{"7..8  +1h", "7 13:00, 8 13:00"},
}

// TestRanges: rows of a table that stand for many.
func TestRanges(t *testing.T) {
	for _, c := range ranges {
		s, err := script.Parse("x.txt", []byte(head+"holds\n  id expires\n  "+c.row+"\n\nrun for=5m\n"))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		var got []string
		for _, h := range s.Holds[1:] {
			got = append(got, string(h.ID)+" "+script.Clock(h.ExpiresAt, s.Start))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: got %s, want %s", c.row, text, c.want)
		}
	}
}

var periods = []struct {
	cron string
	want time.Duration
}{
	{"every=1m jitter=5s", 65 * time.Second},
	{`spec="*/2 * * * *"`, 2 * time.Minute},
	{`spec="0,10,50 * * * *"`, 40 * time.Minute},
	{`spec="@every 90s"`, 90 * time.Second},
	// Two in the morning is not there on 29 March in Berlin, and neither is the hour after it.
	{`spec="0 2 * * *" zone=Europe/Berlin`, 47 * time.Hour},
}

// TestPeriod: the sweep period is the longest time between two ticks of the run.
func TestPeriod(t *testing.T) {
	for _, c := range periods {
		s, err := script.Parse("x.txt", []byte(head+"policy unchecked\ncron "+c.cron+"\nrun for=28d\n"))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := s.Policy.SweepPeriod; got != c.want {
			t.Errorf("%s: got %s, want %s", c.cron, got, c.want)
		}
	}
}

// TestFixture: a fixture brings its holds, its rows and, if the world names none, its start.
func TestFixture(t *testing.T) {
	s, err := script.Parse("x.txt", []byte(header+"fixture twelve\nrun for=5m\nexpect h10@06:55 email=sent\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Holds) != 12 || len(s.Rows) != 5 || s.Start.Format(time.RFC3339) != "2026-03-08T06:58:00Z" {
		t.Errorf("got %d holds, %d rows, start %s", len(s.Holds), len(s.Rows), s.Start)
	}
	s, err = script.Parse("x.txt", []byte(header+"fixture twelve\nworld start=2026-03-08T06:59:00Z\nrun for=5m\n"))
	if err != nil || s.Start.Format(time.RFC3339) != "2026-03-08T06:59:00Z" {
		t.Errorf("got %v, %v", s, err)
	}
}
