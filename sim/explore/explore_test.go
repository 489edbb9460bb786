package explore_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/matrix"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/script/format"
)

func base(t testing.TB, u trial.Subject, name string) *explore.Base {
	t.Helper()
	s, err := explore.BuiltIn(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := explore.NewBase(u, s, name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wrong(t testing.TB, name string) trial.Subject {
	t.Helper()
	d, found := defects.Named(name)
	if !found {
		t.Fatalf("no defect %q", name)
	}
	return trial.Subject{Backend: matrix.On(d), Options: sim.Options{EventsMax: 100_000}}
}

// clean fails the test with everything that a search found.
func clean(t *testing.T, r *explore.Report) {
	t.Helper()
	if r.Err != nil {
		t.Error(r.Err)
	}
	for _, f := range r.Findings {
		t.Errorf("%s in %d cases, first %s: %s", f.Broken, f.Cases, f.Case.Name, f.Sentence)
	}
}

func search(u trial.Subject, plans ...explore.Plan) *explore.Report {
	return explore.Search{Subject: u}.Run(context.Background(), plans)
}

// TestEachCrash: the small base with one crash more, at every moment of every call.
func TestEachCrash(t *testing.T) {
	u := trial.Reference()
	r := search(u, explore.Plan{Name: "crash", Cases: explore.Each(base(t, u, "two"), "crash")})
	clean(t, r)
	if p := r.Plans[0]; p.Runs < 300 || p.Idle > 0 {
		t.Errorf("%d runs, in %d of which the fault met nothing; want some hundred, and every fault to strike", p.Runs, p.Idle)
	}
	for _, missing := range r.Coverage.Missing() {
		if kind, where, _ := strings.Cut(missing, " "); kind == "crash" && !strings.Contains("before=release in=release after=release before=nack in=nack after=nack before=dead-letter in=dead-letter after=dead-letter", where) {
			t.Errorf("crash never struck %s", where)
		}
	}
}

// TestEachKindHasCases: no kind of trouble is left out, on one built-in base at least.
func TestEachKindHasCases(t *testing.T) {
	u := trial.Reference()
	bases := []*explore.Base{base(t, u, "two"), base(t, u, "letters"), base(t, u, "people")}
	for _, k := range explore.EachKinds() {
		if !slices.ContainsFunc(bases, func(b *explore.Base) bool { return len(first(explore.Each(b, k), 1)) == 1 }) {
			t.Errorf("-each %s tries nothing on any base", k)
		}
	}
}

// first gives at most n cases.
func first(cases iter.Seq[explore.Case], n int) []explore.Case {
	var all []explore.Case
	for c := range cases {
		if len(all) == n {
			break
		}
		all = append(all, c)
	}
	return all
}

// TestCasesAreScenarios: what the search makes up can be printed, and is then what it was.
func TestCasesAreScenarios(t *testing.T) {
	u := trial.Reference()
	for _, name := range explore.BaseNames() {
		b := base(t, u, name)
		for _, k := range explore.EachKinds() {
			for _, c := range first(explore.Each(b, k), 3) {
				parses(t, c)
			}
		}
		for _, c := range first(explore.Horizons(b), 40) {
			parses(t, c)
		}
	}
}

func parses(t *testing.T, c explore.Case) {
	t.Helper()
	s, err := c.Scenario()
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
		return
	}
	text := format.Text(s)
	parsed, err := script.Parse(s.File, text)
	if err != nil {
		t.Errorf("%s: %v\n%s", c.Name, err, text)
		return
	}
	if diff := cmp.Diff(string(text), string(format.Text(parsed))); diff != "" {
		t.Errorf("%s changes when it is printed (-first +second):\n%s", c.Name, diff)
	}
}

// TestSeeds: fifty worlds on each broker.
func TestSeeds(t *testing.T) {
	for _, profile := range []string{"standard", "fifo", "table"} {
		clean(t, search(trial.Reference(), explore.Plan{Name: profile, Cases: explore.Seeds(1, 50, profile)}))
	}
}

// TestPairsAndHorizons: the beginnings of what the command goes through as a whole.
func TestPairsAndHorizons(t *testing.T) {
	u := trial.Reference()
	clean(t, search(u,
		explore.Plan{Name: "pairs", Cases: limited(explore.Pairs(base(t, u, "two")), 3)},
		explore.Plan{Name: "horizons", Cases: limited(explore.Horizons(base(t, u, "horizons")), 400)},
		explore.Plan{Name: "orders by chance", Cases: explore.Chances(base(t, u, "twelve"), 20)},
	))
}

func limited(cases iter.Seq[explore.Case], n int) iter.Seq[explore.Case] {
	return slices.Values(first(cases, n))
}

// TestAnswerIsTheSameOnAnyNumberOfCores, and in shards it is the same when they are put together.
func TestAnswerIsTheSameOnAnyNumberOfCores(t *testing.T) {
	u := wrong(t, "no-re-read")
	plans := []explore.Plan{{Name: "seeds", Cases: explore.Seeds(1, 120, "")}, {Name: "each", Cases: explore.Each(base(t, u, "people"), "stall")}}
	answer := func(s explore.Search) string {
		s.Subject = u
		r := s.Run(context.Background(), plans)
		lines := slices.Concat(r.Lines(), r.Coverage.Table(), r.Marks.Lines())
		for _, f := range r.Findings {
			lines = append(lines, fmt.Sprint(f.Broken, f.Cases, f.Case.Name, f.Sentence))
		}
		return strings.Join(lines, "\n")
	}
	one := answer(explore.Search{Cores: 1})
	if diff := cmp.Diff(one, answer(explore.Search{Cores: 4})); diff != "" {
		t.Errorf("one core and four (-one +four):\n%s", diff)
	}
	runs := 0
	for shard := 1; shard <= 3; shard++ {
		runs += explore.Search{Subject: u, Shard: shard, Shards: 3}.Run(context.Background(), plans).Runs()
	}
	if all := (explore.Search{Subject: u}).Run(context.Background(), plans).Runs(); runs != all {
		t.Errorf("three shards make %d runs, and the whole %d", runs, all)
	}
}

// TestDivergenceIsFound: a pipeline that ranges over a map is not the same again.
func TestDivergenceIsFound(t *testing.T) {
	r := search(wrong(t, "ranges-over-a-map"), explore.Plan{Name: "seeds", Cases: explore.Seeds(1, 400, "")})
	if !slices.ContainsFunc(r.Findings, func(f *explore.Finding) bool { return f.Broken.Promise == "P9" }) {
		t.Errorf("nobody noticed in %d runs, %d of them made twice", r.Runs(), r.Twice)
	}
}

// TestInterrupt: what was found so far is told.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	cases := func(yield func(explore.Case) bool) {
		for c := range explore.Seeds(1, 1<<40, "") {
			if n++; n == 30 {
				cancel()
			}
			if !yield(c) {
				return
			}
		}
	}
	r := explore.Search{Subject: wrong(t, "no-claim")}.Run(ctx, []explore.Plan{{Name: "seeds", Cases: cases}})
	if r.Complete || r.Runs() == 0 || r.Runs() > 30 || len(r.Findings) == 0 {
		t.Errorf("complete %t, %d runs, %d findings; want false, up to 30, and some", r.Complete, r.Runs(), len(r.Findings))
	}
	r = explore.Search{Subject: trial.Reference(), Until: time.Now()}.Run(context.Background(), []explore.Plan{{Name: "seeds", Cases: explore.Seeds(1, 10, "")}})
	if r.Complete || r.Runs() > 0 {
		t.Errorf("a search without time made %d runs", r.Runs())
	}
}

// broken is a store that can't be opened.
type broken struct{ sim.Memory }

func (broken) Open(func() time.Time, time.Duration, int) (sim.Store, sim.Broker, error) {
	return nil, nil, errors.New("no store")
}

// TestNothingCanBeJudged: a search that can judge nothing ends by itself, and says what the first
// trouble was.
func TestNothingCanBeJudged(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r := explore.Search{Subject: trial.Subject{Backend: broken{}}, Cores: 2}.Run(ctx, []explore.Plan{{Name: "seeds", Cases: explore.Seeds(1, 1<<40, "")}})
	if ctx.Err() != nil || r.Complete || r.Runs() > 0 || r.Err == nil || !strings.Contains(r.Err.Error(), "no store") {
		t.Errorf("%v, complete %t, %d runs, %v", ctx.Err(), r.Complete, r.Runs(), r.Err)
	}
}

// TestTroubleAfterTheEnd: faults that strike when the last line has run are mended as well.
func TestTroubleAfterTheEnd(t *testing.T) {
	for _, fault := range []string{
		"crash before=claim restart=never", "crash before=claim until=12:10 restart=never", "crash after=receive nth=2..6 restart=never",
		"stall before=settle by=2m nth=2..9", "ambiguous in=receive from=12:00 until=12:20",
	} {
		src := "# Trouble comes after the end.\n# Source: by design\n# At stake: P2, P5, P6\n\nworld start=2026-03-02T12:00:00Z workers=(w1, w2)\n" +
			"holds\n  id expires\n  h1 12:06\n  h2 12:07\n\nfault " + fault + "\nrun until=12:01\n"
		s, err := script.Parse("late.txt", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		r, err := trial.Reference().Run(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Violations {
			t.Errorf("fault %s: %s: %s", fault, trial.Of(v), v.Sentence)
		}
	}
}

// TestDefectsAreFound by a search that knows none of them.
func TestDefectsAreFound(t *testing.T) {
	for _, c := range []struct {
		defect string
		cases  func(u trial.Subject) iter.Seq[explore.Case]
		want   trial.Broken
	}{
		{"no-re-read", func(trial.Subject) iter.Seq[explore.Case] { return explore.Seeds(1, 100, "") }, trial.Broken{Promise: "P3", Class: "granted for a closed window"}},
		{"ack-on-receive", func(u trial.Subject) iter.Seq[explore.Case] { return explore.Each(base(t, u, "two"), "crash") }, trial.Broken{Promise: "P6", Class: "acknowledged too soon"}},
		{"release-that-deletes", func(u trial.Subject) iter.Seq[explore.Case] { return explore.Each(base(t, u, "people"), "stall") }, trial.Broken{Promise: "P2", Class: "table disagrees"}},
	} {
		u := wrong(t, c.defect)
		r := search(u, explore.Plan{Name: c.defect, Cases: c.cases(u)})
		if !slices.ContainsFunc(r.Findings, func(f *explore.Finding) bool { return f.Broken == c.want }) {
			t.Errorf("%s: nobody broke %s in %d runs; found %d other ways", c.defect, c.want, r.Runs(), len(r.Findings))
		}
	}
}

func BenchmarkSeeds(b *testing.B) {
	u := trial.Reference()
	b.ReportAllocs()
	var events int
	for b.Loop() {
		r := explore.Search{Subject: u}.Run(context.Background(), []explore.Plan{{Name: "seeds", Cases: explore.Seeds(1, 1000, "")}})
		events = r.Plans[0].Events
	}
	b.ReportMetric(b.Elapsed().Seconds()*10/float64(b.N), "s/10,000-seeds")
	b.ReportMetric(float64(events)/1000, "events/seed")
}

func BenchmarkEachCrashOnTwelve(b *testing.B) {
	u := trial.Reference()
	over := base(b, u, "twelve")
	b.ReportAllocs()
	for b.Loop() {
		explore.Search{Subject: u}.Run(context.Background(), []explore.Plan{{Name: "crash", Cases: explore.Each(over, "crash")}})
	}
}

// TestCoverage: what struck is counted where it struck, and what was tried and never struck is told.
func TestCoverage(t *testing.T) {
	u := trial.Reference()
	r := search(u, explore.Plan{Name: "lock", Cases: explore.Each(base(t, u, "people"), "lock")}, explore.Plan{Name: "lose", Cases: explore.Each(base(t, u, "two"), "lose")})
	clean(t, r)
	if diff := cmp.Diff([]string{}, r.Coverage.Missing()); diff != "" {
		t.Errorf("never struck (-want +got):\n%s", diff)
	}
	want := []string{"struck lose lock", "in=publish 6 .", "before=claim", "before=expire", "before=confirm", "before=cancel", "before=extend"}
	var got []string
	for i, line := range r.Coverage.Table() {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("a line of %d words: %s", len(words), line)
		}
		if i > 1 { // how often depends on the base
			if words[2] == "0" || words[1] != "." {
				t.Errorf("%s: want some, and none lost", line)
			}
			words = words[:1]
		}
		got = append(got, strings.Join(words, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	none := search(u, explore.Plan{Name: "none", Cases: explore.Seeds(2, 1, "")})
	if got := none.Coverage.Table(); len(got) != 1 || len(none.Coverage.Missing()) > 0 {
		t.Errorf("a search without a run says %q, and misses %q", got, none.Coverage.Missing())
	}
}

// TestOnlyWhatStruckCounts: a fault of the base that never strikes covers nothing, and is no case of
// the search's that came to nothing.
func TestOnlyWhatStruckCounts(t *testing.T) {
	s, err := script.Parse("maybe.txt", []byte("# Trouble that may come, and doesn't.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z\n"+
		"holds\n  id expires\n  h1 12:05\n\nfault maybe crash before=dead-letter\nfault error before=release\nrun until=12:06\n"))
	if err != nil {
		t.Fatal(err)
	}
	u := trial.Reference()
	b, err := explore.NewBase(u, s, "maybe.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := search(u, explore.Plan{Name: "lose", Cases: explore.Each(b, "lose")})
	clean(t, r)
	if diff := cmp.Diff([]string{"struck", "lose"}, strings.Fields(r.Coverage.Table()[0])); diff != "" {
		t.Errorf("kinds that struck (-want +got):\n%s", diff)
	}
	if p := r.Plans[0]; p.Runs == 0 || p.Idle > 0 {
		t.Errorf("%d runs, in %d of which the fault met nothing", p.Runs, p.Idle)
	}
}
