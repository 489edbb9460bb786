package explore_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
)

// TestEachStrikesTheMomentItNames: the n-th call of the base is the one that is struck, one time and
// not another.
func TestEachStrikesTheMomentItNames(t *testing.T) {
	u := trial.Reference()
	for _, name := range []string{"two", "letters"} {
		b := base(t, u, name)
		for _, kind := range []string{"error", "ambiguous", "duplicate", "reject", "lose"} {
			for c := range explore.Each(b, kind) {
				s, err := c.Scenario()
				if err != nil {
					t.Fatal(err)
				}
				f := added(s.Steps)
				want := firstStruck(f, s.Start, slices.Values(b.Moments))
				var moments []faults.Moment
				if _, err := u.RunWith(s, sim.Options{Moment: func(m faults.Moment) { moments = append(moments, m) }}); err != nil {
					t.Fatal(err)
				}
				if got := firstStruck(f, s.Start, slices.Values(moments)); want == "" || got != want {
					t.Errorf("%s: struck %q, want %q", c.Name, got, want)
				}
			}
		}
	}
}

// added is the fault that a search put in: no file has it.
func added(steps []script.Step) *faults.Fault {
	for _, step := range steps {
		if step.Fault != nil && step.Pos.Line == 0 {
			return step.Fault
		}
	}
	return nil
}

// firstStruck tells the first of some moments that a fault strikes, and nothing if it strikes none.
func firstStruck(f *faults.Fault, start time.Time, moments iter.Seq[faults.Moment]) string {
	a, n := f.Armed(start), 0
	for m := range moments {
		if n++; strikes(a, m) {
			return fmt.Sprintf("moment %d: %+v", n, m)
		}
	}
	return ""
}

func strikes(a *faults.Armed, m faults.Moment) bool {
	_, hit := a.Strike(m)
	return hit
}

// TestOutagesMeetSomething: an outage that one node alone sees begins at a call of that node.
func TestOutagesMeetSomething(t *testing.T) {
	u := trial.Reference()
	r := search(u, explore.Plan{Name: "outage", Cases: explore.Each(base(t, u, "two"), "outage")})
	clean(t, r)
	if p := r.Plans[0]; p.Runs < 100 || p.Idle > 0 {
		t.Errorf("%d runs, in %d of which the fault met nothing", p.Runs, p.Idle)
	}
}

// TestHorizonPairs: the last of the horizons are pairs, each of two things done.
func TestHorizonPairs(t *testing.T) {
	u := trial.Reference()
	all := slices.Collect(explore.Horizons(base(t, u, "letters")))
	last := all[len(all)-30:]
	for _, c := range last {
		if strings.Count(c.Name, " at +") != 2 {
			t.Errorf("%s is no pair", c.Name)
		}
		parses(t, c)
	}
	clean(t, search(u, explore.Plan{Name: "pairs", Cases: slices.Values(last)}))
}

// TestModel: what runs otherwise than the model breaks P9, and the model itself doesn't.
func TestModel(t *testing.T) {
	model := trial.Reference()
	plans := []explore.Plan{{Name: "seeds", Cases: explore.Seeds(1, 30, "")}}
	clean(t, explore.Search{Subject: trial.Reference(), Model: &model}.Run(context.Background(), plans))
	r := explore.Search{Subject: wrong(t, "no-claim"), Model: &model}.Run(context.Background(), plans)
	if !slices.ContainsFunc(r.Findings, func(f *explore.Finding) bool {
		return f.Broken == trial.Broken{Promise: "P9", Class: "not as on memory"}
	}) {
		t.Error("nobody noticed that the runs are not the model's")
	}
}
