package matrix

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/trial"
)

// Hunt is what a search of a fixed budget came to that knows nothing of a defect: how many runs it
// made until one was noticed, and by what; Way is empty if none was.
type Hunt struct {
	Runs  int
	By    Way
	Class string
	// Case is what was tried.
	Case string
}

func (h Hunt) found() bool { return h.By != "" }

// The budget: one crash more at every call of a small base, and then seeds.
const (
	budgetBase  = "two"
	budgetKind  = "crash"
	budgetSeeds = 800
	twiceEvery  = 10 // one run in so many is made twice, to see that it is the same
)

// Budget are the cases, in their order.
func Budget() ([]explore.Case, error) {
	s, err := explore.BuiltIn(budgetBase)
	if err != nil {
		return nil, err
	}
	b, err := explore.NewBase(trial.Reference(), s, budgetBase)
	if err != nil {
		return nil, err
	}
	return slices.AppendSeq(slices.Collect(explore.Each(b, budgetKind)), explore.Seeds(1, budgetSeeds, "")), nil
}

// hunt goes through the cases until one shows that something is wrong.
func hunt(d defects.Defect, cases []explore.Case) (Hunt, error) {
	u := trial.Subject{Backend: On(d), Options: sim.Options{EventsMax: eventsMin}}
	for i, c := range cases {
		by, class, err := noticed(u, c, i%twiceEvery == 0)
		if err != nil {
			return Hunt{}, fmt.Errorf("defect %s: %s: %w", d.Name, c.Name, err)
		}
		if by != "" {
			return Hunt{i + 1, by, class, c.Name}, nil
		}
	}
	return Hunt{Runs: len(cases)}, nil
}

func noticed(u trial.Subject, c explore.Case, twice bool) (by Way, class string, err error) {
	s, err := c.Scenario()
	if err != nil {
		return "", "", err
	}
	t, err := u.Run(s)
	switch {
	case errors.Is(err, sim.ErrRestless):
		return Restless, "", nil
	case err != nil:
		return "", "", err
	case len(t.Violations) > 0:
		v := t.Violations[0]
		return Way(v.Promise), v.Class, nil
	case !twice:
		return "", "", nil
	}
	if difference, err := u.Same(t); err != nil || difference == "" {
		return "", "", err
	}
	return "P9", "two runs differ", nil
}

// Hunt puts every defect to the cases of a search, at most jobs at a time.
func (m *Matrix) Hunt(cases []explore.Case, jobs int) error {
	m.Budget, m.Hunts = len(cases), make([]Hunt, len(m.Defects))
	return each(len(m.Defects), jobs, func(i int) (err error) {
		m.Hunts[i], err = hunt(m.Defects[i], cases)
		return err
	})
}

// found counts the defects that the search noticed.
func (m *Matrix) found() int {
	n := 0
	for _, h := range m.Hunts {
		if h.found() {
			n++
		}
	}
	return n
}

// words say what the search came to.
func (h Hunt) words() string {
	if !h.found() {
		return "not found"
	}
	class := h.Class
	if class != "" {
		class = " " + class
	}
	return fmt.Sprintf("run %d: %s%s", h.Runs, h.By, class)
}
