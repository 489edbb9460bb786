package orders

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/virtual"
)

// seedsMax is how many seeds are tried to get an order by chance.
const seedsMax = 300

// Reproduce finds a scenario that breaks the promise in the same way without being forced to any
// order: by another seed, or by keeping those back, for a moment, that were put behind others.
func Reproduce(ctx context.Context, u trial.Subject, c *script.Scenario, f Finding) (*script.Scenario, error) {
	tried := 0
	bySeed := func(s *script.Scenario) (*script.Scenario, error) {
		for seed := uint64(1); seed <= seedsMax; seed++ {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("looking for a seed that breaks %s: %w", f.Broken, err)
			}
			other := *s
			other.Seed = seed
			tried++
			t, err := u.Run(&other)
			if err != nil {
				return nil, err
			}
			if _, broke := t.Broke(f.Broken); broke {
				return &other, nil
			}
		}
		return nil, nil
	}
	found, err := bySeed(c)
	if found != nil || err != nil {
		return found, err
	}
	lines, err := delays(u, c, f.Choices)
	if err != nil {
		return nil, err
	}
	for n := 1; n <= len(lines); n++ { // the last ones matter most: what came before is as by default
		s, err := with(c, lines[len(lines)-n:])
		if err != nil {
			return nil, err
		}
		if found, err := bySeed(s); found != nil || err != nil {
			return found, err
		}
	}
	return nil, fmt.Errorf("no seed and no delay gives the order that breaks %s, in %d runs", f.Broken, tried)
}

// held is how long somebody is kept back.
const held = time.Millisecond

// keeper follows a forced run, and notes whose next call is put behind others'.
type keeper struct {
	*walk
	behind []*virtual.Process
	// calls counts the calls of a process's node, by point.
	calls map[string]int
	lines []string
}

// Next is virtual.Order.
func (k *keeper) Next(now time.Time, due []virtual.Turn) (int, error) {
	before, at := k.last, k.lastAt
	i, err := k.walk.Next(now, due)
	if err != nil {
		return i, err
	}
	for _, t := range due {
		if t.Process != nil && t.Process == before && at.Equal(now) && t.Process != due[i].Process {
			k.behind = append(k.behind, t.Process)
		}
	}
	return i, nil
}

// moment notes a call, and keeps it back if it is that of one who was put behind.
func (k *keeper) moment(m faults.Moment) {
	if m.Phase != faults.Before {
		return
	}
	key := m.Node + " " + m.Point.Short()
	k.calls[key]++
	i := slices.IndexFunc(k.behind, func(p *virtual.Process) bool { return p == k.last && p.Node().Name == m.Node })
	if i < 0 {
		return
	}
	k.behind = slices.Delete(k.behind, i, i+1)
	kind := faults.Stall
	if m.Role != "worker" && m.Role != "sweep" {
		kind = faults.Slow // people don't stall
	}
	k.lines = append(k.lines, fmt.Sprintf("%s %s before=%s nth=%d by=%s", kind, m.Node, m.Point.Short(), k.calls[key], held))
}

// delays makes the run again, and gives a line for everybody who was put behind others.
func delays(u trial.Subject, c *script.Scenario, choices []int) ([]string, error) {
	k := &keeper{walk: &walk{search: &Search{Subject: u, Everything: true}, result: &Result{}, forced: choices, state: newState(c)}, calls: map[string]int{}}
	o := u.Options
	o.Order, o.Moment = k, k.moment
	_, err := u.RunWith(c, o)
	return k.lines, err
}

func with(c *script.Scenario, lines []string) (*script.Scenario, error) {
	s := *c
	s.Steps = slices.Clone(c.Steps)
	for _, line := range lines {
		f, err := faults.ParseLine(line)
		if err != nil {
			return nil, err
		}
		s.Steps = slices.Insert(s.Steps, 0, script.Step{Text: "fault " + line, Stanza: 1, Fault: &f})
	}
	return &s, nil
}
