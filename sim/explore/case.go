package explore

import (
	"context"

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
	// alone, if there is one, makes a scenario that breaks the same without that order.
	alone func(context.Context, trial.Subject, trial.Broken) (*script.Scenario, error)
	// then gives the cases that follow from how the run went, for which it needs the moments of its
	// calls.
	then func(t *trial.Trial, moments []faults.Moment) []Case
}

// Scenario makes the scenario.
func (c Case) Scenario() (*script.Scenario, error) { return c.make() }

// Alone makes a scenario that breaks the promise in that way by itself: the case's own, or, where it
// takes an order to break it, one that needs none.
func (c Case) Alone(ctx context.Context, u trial.Subject, b trial.Broken) (*script.Scenario, error) {
	if c.alone == nil {
		return c.make()
	}
	return c.alone(ctx, u, b)
}

// Command is the command that tries the case again, or nothing.
func (c Case) Command(program string) string {
	if c.Again == "" {
		return ""
	}
	return program + " explore " + c.Again
}
