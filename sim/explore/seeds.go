package explore

import (
	"fmt"
	"iter"

	"github.com/seathold/seathold/sim/explore/swarm"
	"github.com/seathold/seathold/sim/script"
)

// Seeds gives the cases that are made up from the seeds between from and to, both included. Profile
// is the broker's, or empty for each in turn.
func Seeds(from, to uint64, profile string) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for seed := from; seed <= to && seed >= from; seed++ {
			again := fmt.Sprintf("-seeds %d-%d", seed, seed)
			if profile != "" {
				again += " -profile " + profile
			}
			c := Case{Name: fmt.Sprintf("seed %d", seed), Again: again, make: func() (*script.Scenario, error) { return swarm.Scenario(seed, profile) }}
			if !yield(c) {
				return
			}
		}
	}
}
