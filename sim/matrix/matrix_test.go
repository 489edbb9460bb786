package matrix

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/suite"
)

const scenarios = "../../scenarios"

func run(t *testing.T, all []defects.Defect, jobs int, paths ...string) *Matrix {
	t.Helper()
	loaded, err := suite.Load(paths)
	if err != nil {
		t.Fatal(err)
	}
	bases := make([]Base, len(loaded))
	for i, s := range loaded {
		bases[i] = OfScenario(s)
	}
	m, err := Run(all, bases, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hunted puts the first cases of the budget to the defects, or all if there is no limit.
func hunted(t *testing.T, m *Matrix, jobs, limit int) {
	t.Helper()
	cases, err := Budget()
	if err != nil {
		t.Fatal(err)
	}
	if limit >= 0 {
		cases = cases[:limit]
	}
	if err := m.Hunt(cases, jobs); err != nil {
		t.Fatal(err)
	}
}

// TestHunt: the reference is no prey, and what a search finds is still without a scenario.
func TestHunt(t *testing.T) {
	cases, err := Budget()
	if err != nil {
		t.Fatal(err)
	}
	m := &Matrix{Defects: []defects.Defect{{Name: "none", New: func(int) defect.Pipeline { return defect.Pipeline{} }}, named(t, "no-cut-off")}, Kills: make([][]*Kill, 2)}
	if err := m.Hunt(cases[:450], 2); err != nil {
		t.Fatal(err)
	}
	if h := m.Hunts[0]; h.found() || h.Runs != 450 {
		t.Errorf("the reference: %+v; want nothing in 450 runs", h)
	}
	if h := m.Hunts[1]; h.By != "P3" || h.Case == "" {
		t.Errorf("no cut-off: %+v; want P3", h)
	}
	if s := m.Summary(); !strings.HasPrefix(s, "2 defects, 2 survive; ") || !strings.HasSuffix(s, "; a search of 450 runs finds 1") {
		t.Error(s)
	}
}

// TestEveryDefectIsKilled is the matrix itself, and compares it with the table that is checked in.
func TestEveryDefectIsKilled(t *testing.T) {
	m := run(t, defects.All(), runtime.GOMAXPROCS(0), scenarios)
	hunted(t, m, runtime.GOMAXPROCS(0), -1)
	for _, finding := range m.Findings() {
		t.Error(finding)
	}
	table, err := os.ReadFile(filepath.Join(scenarios, "MATRIX.md"))
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	m.Markdown(&now)
	if diff := cmp.Diff(strings.Split(string(table), "\n"), strings.Split(now.String(), "\n")); diff != "" {
		t.Errorf("scenarios/MATRIX.md is not current (-want +got):\n%s\nwrite it anew: holdsim matrix -write scenarios/MATRIX.md", diff)
	}
}

func TestAnswerIsTheSameOnAnyNumberOfCores(t *testing.T) {
	var texts [3]bytes.Buffer
	for i, jobs := range []int{1, 2, 7} {
		m := run(t, defects.All(), jobs, filepath.Join(scenarios, "hold-twelve.txt"), filepath.Join(scenarios, "provider-times-out.txt"))
		hunted(t, m, jobs, 60)
		m.Text(&texts[i])
		m.Markdown(&texts[i])
		if err := m.JSON(&texts[i]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range texts[1:] {
		if diff := cmp.Diff(texts[0].String(), texts[i+1].String()); diff != "" {
			t.Errorf("with another number of jobs (-want +got):\n%s", diff)
		}
	}
}

const quietHeader = `# One hold, and a day on which nothing breaks and nobody does anything.
# Source: by design.
# At stake: P2.
`

const quiet = quietHeader + `
world  start=2026-03-02T12:00:00Z workers=(w1)
holds
  id  expires
  h1  12:09
run until=12:20
expect h1 email=sent sms=sent state=expired
`

func parse(t *testing.T, text string) Base {
	t.Helper()
	s, err := script.Parse("quiet.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return OfScenario(s)
}

// TestQuietDay shows that a defect is the reference but for its one mistake: on a day without
// trouble only those are noticed that are wrong at every turn.
func TestQuietDay(t *testing.T) {
	m, err := Run(defects.All(), []Base{parse(t, quiet)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, d := range m.Defects {
		if k := m.Kills[i][0]; k != nil {
			got[d.Name] = words(promisesOf(k.By))
		}
	}
	want := map[string]string{
		"published":               "P3", // its 3 minutes' look-ahead finds the hold when it is over
		"ack-on-receive":          "P6",
		"drop-everything":         "P2",
		"expire-at-reminder-time": "P4",
		"key-without-channel":     "P2 P6",
		"no-due-check":            "P3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("noticed on a quiet day (-want +got):\n%s", diff)
	}
}

func named(t *testing.T, name string) defects.Defect {
	t.Helper()
	d, found := defects.Named(name)
	if !found {
		t.Fatalf("no defect %s", name)
	}
	return d
}

// worker is a defect whose worker does something instead of working.
func worker(name string, do func(ctx context.Context, w *reference.Worker)) defects.Defect {
	return defects.Defect{Name: name, Mistake: "It does something else", New: func(int) defect.Pipeline {
		return defect.Pipeline{Work: func(ctx, accept context.Context, w *reference.Worker) error {
			do(ctx, w)
			return w.Run(ctx, accept)
		}}
	}}
}

func TestRunsThatDoNotComeToRest(t *testing.T) {
	m, err := Run([]defects.Defect{
		worker("spins", func(ctx context.Context, w *reference.Worker) {
			for w.Waiter.Wait(ctx, 1) == nil {
			}
		}),
		worker("goes-on-after-a-crash", func(ctx context.Context, w *reference.Worker) {
			for w.Store.Release(ctx, reference.Release{}) == nil || ctx.Err() != nil {
			}
		}),
	}, []Base{parse(t, strings.Replace(quiet, "run ", "fault crash w1 at=12:01\nrun ", 1))}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range m.Defects {
		if k := m.Kills[i][0]; k == nil || !slices.Equal(k.By, []Way{Restless}) {
			t.Errorf("%s: noticed by %+v, want %s", d.Name, k, Restless)
		}
	}
}

func TestOwnMistakesAreNoKills(t *testing.T) {
	base := parse(t, quiet)
	_, err := Run([]defects.Defect{worker("panics", func(context.Context, *reference.Worker) { panic("oh") })}, []Base{base}, 1)
	if err == nil || !strings.Contains(err.Error(), "panics") {
		t.Errorf("a defect that panics gives %v, want an error that names it", err)
	}
	_, err = Run(defects.All(), []Base{parse(t, strings.Replace(quiet, "email=sent", "email=none", 1))}, 1)
	var failed *ReferenceError
	if !errors.As(err, &failed) || failed.Base != "quiet" {
		t.Errorf("a scenario that the reference fails gives %v, want a ReferenceError", err)
	}
}

func TestIdleScenarios(t *testing.T) {
	const nothing = `
world  start=2026-03-02T12:00:00Z workers=(w1)
run until=12:01
`
	idle := parse(t, quietHeader+nothing)
	told := parse(t, quietHeader+"# Documentation: it shows a file of its own.\n"+nothing)
	m, err := Run([]defects.Defect{named(t, "no-claim")}, []Base{idle, told}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"no scenario kills no-claim: " + m.Defects[0].Mistake,
		`quiet kills no defect, and its header has no line "# Documentation:" with a reason`,
	}
	if diff := cmp.Diff(want, m.Findings()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if got, want := m.Summary(), "1 defects, 1 survive; 2 scenarios, 1 documentation, 1 idle"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// TestKeptPromiseIsNoKill: a scenario that says that a promise will be broken kills no defect by its
// being kept.
func TestKeptPromiseIsNoKill(t *testing.T) {
	const doubles = `# A crash under send-first doubles: P1 is broken, which is that order's stated limit.
# Source: by design.
# At stake: P1.

world  start=2026-03-02T12:00:00Z workers=(w1, w2)
policy order=send-first
holds
  id  expires  channels
  h1  12:09    email
fault crash worker in=send
run until=12:20
expect broken P1
`
	cautious := defects.Defect{Name: "cautious", Mistake: "It never sends twice", New: defect.Worker(func(w *reference.Worker) {
		w.Policy.Order = reference.ClaimFirst
	})}
	m, err := Run([]defects.Defect{cautious}, []Base{parse(t, doubles)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if k := m.Kills[0][0]; k != nil {
		t.Errorf("killed by %+v", k)
	}
}
