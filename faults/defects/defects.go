// Package defects is wrong pipelines, by name: what a suite of scenarios has to notice, or it proves
// nothing. Each is the reference with one thing done otherwise, small enough to be read at once,
// and a mistake that somebody makes.
package defects

import (
	"slices"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/faults/defects/published"
	"github.com/seathold/seathold/faults/defects/stores"
	"github.com/seathold/seathold/faults/defects/sweeps"
	"github.com/seathold/seathold/faults/defects/workers"
)

// Defect is a wrong pipeline.
type Defect = defect.Defect

// All are all defects: the published design, then those of stores, workers and sweeps.
func All() []Defect {
	return slices.Concat(published.All(), stores.All(), workers.All(), sweeps.All())
}

// Named gives the defect of that name.
func Named(name string) (Defect, bool) {
	all := All()
	i := slices.IndexFunc(all, func(d Defect) bool { return d.Name == name })
	if i < 0 {
		return Defect{}, false
	}
	return all[i], true
}
