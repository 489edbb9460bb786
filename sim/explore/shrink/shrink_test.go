package shrink_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore/shrink"
	"github.com/seathold/seathold/sim/explore/swarm"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/matrix"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/suite"
)

func wrong(t *testing.T, name string) trial.Subject {
	t.Helper()
	d, found := defects.Named(name)
	if !found {
		t.Fatalf("no defect %q", name)
	}
	return trial.Subject{Backend: matrix.On(d), Options: sim.Options{EventsMax: 100_000}}
}

func parse(t *testing.T, src string) *script.Scenario {
	t.Helper()
	s, err := script.Parse("test.txt", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// failing finds the first seed that breaks the promise in that way.
func failing(t *testing.T, u trial.Subject, b trial.Broken) *script.Scenario {
	t.Helper()
	for seed := uint64(1); seed <= 1500; seed++ {
		s, err := swarm.Scenario(seed, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := u.Run(s)
		if err != nil {
			continue
		}
		if _, broke := r.Broke(b); broke {
			return s
		}
	}
	t.Fatalf("no seed breaks %s", b)
	return nil
}

const directivesMax = 15

// TestDefects: what a seed finds becomes a short file that breaks the same promise in the same way,
// without the seed, and passes as it is printed.
func TestDefects(t *testing.T) {
	for _, c := range []struct {
		defect string
		broken trial.Broken
	}{
		{"no-claim", trial.Broken{Promise: "P1", Class: "accepted twice"}},
		{"no-re-read", trial.Broken{Promise: "P3", Class: "granted for a closed window"}},
		{"expire-unguarded", trial.Broken{Promise: "P4", Class: "overwrote cancelled"}},
		{"ack-on-receive", trial.Broken{Promise: "P6", Class: "acknowledged too soon"}},
		{"open-rows-not-nominated", trial.Broken{Promise: "P2", Class: "left open"}},
		{"page-cursor-that-skips-ties", trial.Broken{Promise: "P5", Class: "freed too late"}},
	} {
		t.Run(c.defect, func(t *testing.T) {
			u := wrong(t, c.defect)
			r, err := shrink.Shrink(context.Background(), u, failing(t, u, c.broken), c.broken, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.After > directivesMax || r.After > r.Before || trial.Of(r.Violation) != c.broken {
				t.Errorf("%d directives of %d that break %s; want at most %d, and %s", r.After, r.Before, trial.Of(r.Violation), directivesMax, c.broken)
			}
			if !r.Ended {
				t.Errorf("%d runs were not enough: passes undo each other's work", r.Attempts)
			}
			text, note := r.File(u, "holdsim explore -seeds 1-1500")
			if note != "" {
				t.Errorf("the file doesn't pass as it is: %s", note)
			}
			holds(t, u, text, c.broken)
			t.Logf("%s, %d runs, %d directives of %d\n%s", c.defect, r.Attempts, r.After, r.Before, text)
		})
	}
}

// holds runs a printed file as a person would.
func holds(t *testing.T, u trial.Subject, text []byte, b trial.Broken) {
	t.Helper()
	s := parse(t, string(text))
	if !strings.Contains(string(text), "expect broken "+b.Promise) {
		t.Errorf("the file doesn't expect %s to be broken:\n%s", b.Promise, text)
	}
	run, err := sim.RunWith(s, u.Backend, u.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range suite.Judge(s, run) {
		t.Errorf("%s\n%s", f.Sentence, text)
	}
	r, err := u.Run(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, broke := r.Broke(b); !broke {
		t.Errorf("the file doesn't break %s:\n%s", b, text)
	}
}

// TestManyHolds: of a hundred holds one is left.
func TestManyHolds(t *testing.T) {
	u := wrong(t, "no-re-read")
	src := "# A hundred holds, and one is cancelled between nomination and claim.\n# Source: by design\n# At stake: P3\n\n" +
		"world start=2026-03-02T12:00:00Z seed=77 workers=(w1, w2, w3)\npolicy page=7\ncron every=1m timeout=20s\nholds\n  id expires\n  p1..p100 12:06..12:12\n\n" +
		"fault maybe slow queue by=10ms\nfault maybe delay in=publish on=p40 by=20s\nfault maybe reject provider on=p3\n"
	for i := 30; i < 55; i++ {
		src += fmt.Sprintf("at 12:06:00.8%02d cancel p%d\n", i, i)
	}
	src += "run until=12:15\n"
	s := parse(t, src)
	b := trial.Broken{Promise: "P3", Class: "granted for a closed window"}
	r, err := shrink.Shrink(context.Background(), u, s, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Scenario.Holds) != 1 || r.After > directivesMax || !r.Ended {
		t.Errorf("%d holds and %d directives are left after %d runs", len(r.Scenario.Holds), r.After, r.Attempts)
	}
	text, _ := r.File(u, "")
	holds(t, u, text, b)
}

// TestInterrupted: what was shrunk so far is still a scenario that fails.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, found := defects.Named("no-claim")
	if !found {
		t.Fatal("no defect no-claim")
	}
	u, b := trial.Subject{Backend: matrix.On(d)}, trial.Broken{Promise: "P1", Class: "accepted twice"}
	s := parse(t, "# Twice.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z\nholds\n  id expires\n  h1 12:05\n  h2 12:05\n\nat 12:02 publish remind h1\nfault duplicate after=publish\nrun until=12:06\n")
	r, err := shrink.Shrink(ctx, u, s, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.Ended || r.Attempts != 1 || r.After != r.Before {
		t.Errorf("ended %t, in %d runs, from %d directives to %d", r.Ended, r.Attempts, r.Before, r.After)
	}
	text, _ := r.File(u, "")
	holds(t, u, text, b)
}

// TestNothingToShrink: a scenario that doesn't fail is none to shrink.
func TestNothingToShrink(t *testing.T) {
	s := parse(t, "# Quiet.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z\nholds\n  id expires\n  h1 12:05\n\nrun until=12:06\n")
	if _, err := shrink.Shrink(context.Background(), trial.Reference(), s, trial.Broken{Promise: "P1", Class: "accepted twice"}, 0); err == nil {
		t.Error("a scenario that breaks nothing was shrunk")
	}
}

// TestCompact: a scenario says nothing that it would be without saying so.
func TestCompact(t *testing.T) {
	s := parse(t, "# Quiet.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z seed=1 workers=(w1, w2) slots=1\ncron every=1m timeout=60s\n"+
		"queue profile=standard dedup=24h\nprovider email keys=none latency=200ms\nprovider sms keys=24h\nholds\n  id expires zone state\n  h1 12:05 UTC held\n\nrun for=6m\n")
	want := "# Quiet.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z\nprovider sms keys=24h\nholds\n  id  expires\n  h1  12:05\n\nrun until=12:06\n"
	if got := string(shrink.Compact(s)); strings.ReplaceAll(got, " workers=(w1, w2)", "") != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := shrink.Directives(s); n != 4 {
		t.Errorf("%d directives, want 4", n)
	}
}

// hundred is a hundred holds on a bad day, of which one is confirmed while its message waits.
func hundred() string {
	var b strings.Builder
	b.WriteString("# A hundred holds.\n# Source: by design\n# At stake: P3\n\nworld start=2026-03-02T12:00:00Z workers=(w1, w2, w3) slots=2 seed=77\n" +
		"policy page=7 lease=15s\ncron every=30s jitter=2s\nqueue profile=fifo visibility=50s\nprovider email latency=1s\n" +
		"holds\n  id created expires zone\n  h1..h60 - 12:05..12:14 Europe/Berlin\n  h61..h100 12:00:01..12:00:50 12:06..12:15 Asia/Kolkata\n")
	b.WriteString("\nfault crash w1 after=claim nth=3\nfault duplicate after=publish nth=4..20\nfault slow in=claim nth=5 by=2s\nfault delay in=publish on=h42 by=20s\nfault skew w2 by=-2s\n")
	for i := range 30 {
		verb := []string{"confirm", "cancel"}[i%2]
		fmt.Fprintf(&b, "at 12:%02d:%02d %s h%d\n", 2+i/10, 2+i%10*5, verb, 40+i)
	}
	b.WriteString("at 12:10 redrive\n\nrun until=12:30\n")
	return b.String()
}

func BenchmarkHundredHolds(b *testing.B) {
	d, _ := defects.Named("no-re-read")
	u := trial.Subject{Backend: matrix.On(d), Options: sim.Options{EventsMax: 100_000}}
	s, err := script.Parse("hundred.txt", []byte(hundred()))
	if err != nil {
		b.Fatal(err)
	}
	broken := trial.Broken{Promise: "P3", Class: "granted for a closed window"}
	for b.Loop() {
		r, err := shrink.Shrink(context.Background(), u, s, broken, 0)
		if err != nil {
			b.Fatal(err)
		}
		if r.After > directivesMax {
			b.Errorf("%d directives are left of %d, and %d is the limit", r.After, r.Before, directivesMax)
		}
		b.ReportMetric(float64(r.Attempts), "runs")
		b.ReportMetric(float64(r.After), "directives")
	}
}
