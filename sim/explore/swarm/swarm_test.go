package swarm_test

import (
	"strings"
	"testing"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/explore/swarm"
)

// TestScenarios: every seed makes up a scenario that passes the check of the language.
func TestScenarios(t *testing.T) {
	kinds, profiles, quiet := map[faults.Kind]int{}, map[string]int{}, 0
	const seeds = 1500
	for seed := uint64(1); seed <= seeds; seed++ {
		s, err := swarm.Scenario(seed, "")
		if err != nil {
			t.Fatal(err)
		}
		if a, b := swarm.Text(seed, ""), swarm.Text(seed, ""); a != b {
			t.Fatalf("seed %d makes up two scenarios", seed)
		}
		profiles[s.Queue.Profile]++
		any := false
		for _, step := range s.Steps {
			if step.Fault != nil {
				kinds[step.Fault.Kind]++
				any = true
			}
		}
		if !any {
			quiet++
		}
	}
	for _, p := range swarm.Profiles {
		if profiles[p] != seeds/3 {
			t.Errorf("%d worlds on %s, of %d", profiles[p], p, seeds)
		}
	}
	for _, k := range faults.Kinds() {
		if n := kinds[k]; n < 10 || n > seeds/2 {
			t.Errorf("%s strikes in about %d of %d worlds: too few, or too many", k, n, seeds)
		}
	}
	if quiet < seeds/20 || quiet > seeds/2 {
		t.Errorf("%d of %d worlds have no fault", quiet, seeds)
	}
}

// TestStreams: another broker changes nothing about holds and people.
func TestStreams(t *testing.T) {
	part := func(text string) string {
		_, holds, _ := strings.Cut(text, "holds\n")
		holds, _, _ = strings.Cut(holds, "\n\n")
		return holds
	}
	same := 0
	for seed := uint64(1); seed <= 50; seed++ {
		if part(swarm.Text(seed, "standard")) == part(swarm.Text(seed, "fifo")) {
			same++
		}
	}
	if same < 40 {
		t.Errorf("only in %d of 50 seeds the holds are the same on another broker", same)
	}
}

func FuzzText(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if _, err := swarm.Scenario(seed, ""); err != nil {
			t.Error(err)
		}
	})
}
