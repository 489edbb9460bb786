package orders

import (
	"time"

	"github.com/seathold/seathold/sim/virtual"
)

// Chance is an order by random priorities, for scenarios with too many orders to go through all
// (PCT: Burckhardt et al., 2010): of what is due the process with the highest priority goes first, and
// a few times in a run the one that would go on falls behind all others. A mistake that takes d
// steps in one order is found with a probability of at least 1 in n × k^(d−1), of n processes and k
// steps.
type Chance struct {
	draws      *virtual.Stream
	priorities map[*virtual.Process]uint64
	nobody     uint64
	// drops are the numbers of the steps at which the first one falls behind.
	drops      map[int]bool
	step, fell int
}

// NewChance is the order of a seed, for a run of about so many steps, with so many falls.
func NewChance(seed uint64, steps, falls int) *Chance {
	c := &Chance{draws: virtual.NewStream(seed, "order", "priority"), priorities: map[*virtual.Process]uint64{}, drops: map[int]bool{}}
	c.nobody = c.draws.Next()
	for range falls {
		c.drops[int(c.draws.Below(int64(max(steps, 1))))] = true
	}
	return c
}

const fallen = 1 << 20 // priorities below are those of processes that fell behind

func (c *Chance) of(p *virtual.Process) uint64 {
	if p == nil {
		return c.nobody
	}
	v, known := c.priorities[p]
	if !known {
		v = fallen + c.draws.Next()>>1
		c.priorities[p] = v
	}
	return v
}

// Next is virtual.Order.
func (c *Chance) Next(_ time.Time, due []virtual.Turn) (int, error) {
	i := c.first(due)
	if len(due) > 1 {
		c.step++
		if p := due[i].Process; c.drops[c.step] && p != nil {
			c.fell++
			c.priorities[p] = fallen - uint64(c.fell)
			i = c.first(due)
		}
	}
	return i, nil
}

func (c *Chance) first(due []virtual.Turn) int {
	best := 0
	for i := range due {
		if c.of(due[i].Process) > c.of(due[best].Process) {
			best = i
		}
	}
	return best
}

// Wake is virtual.Order.
func (c *Chance) Wake(_ time.Time, waiting []*virtual.Process) int {
	return int(c.draws.Below(int64(len(waiting))))
}

// Noted is an order whose choices are noted, for Replay.
type Noted struct {
	virtual.Order
	Choices []int
}

// Next is virtual.Order.
func (n *Noted) Next(now time.Time, due []virtual.Turn) (int, error) {
	i, err := n.Order.Next(now, due)
	if len(due) > 1 {
		n.Choices = append(n.Choices, i)
	}
	return i, err
}

// Wake is virtual.Order.
func (n *Noted) Wake(now time.Time, waiting []*virtual.Process) int {
	i := n.Order.Wake(now, waiting)
	n.Choices = append(n.Choices, i)
	return i
}
