package explore

import (
	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/virtual"
)

// Case is one run to make.
type Case struct {
	// Name says what is tried, and Again are the flags that try it again, if there are any.
	Name, Again string
	make        func() (*script.Scenario, error)
	// order, if there is one, takes the place of the seed.
	order func() virtual.Order
	// then gives the cases that follow from how the run went, for which it needs the moments of its
	// calls.
	then func(t *trial.Trial, moments []faults.Moment) []Case
}

// Scenario makes the scenario.
func (c Case) Scenario() (*script.Scenario, error) { return c.make() }

// Command is the command that tries the case again, or nothing.
func (c Case) Command() string {
	if c.Again == "" {
		return ""
	}
	return "holdsim explore " + c.Again
}
