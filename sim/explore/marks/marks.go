// Package marks is what a search should come across sometimes: states and turns of events that
// matter, each a pure function of a trace. A search that never comes across one of them searches in
// the wrong place, and says so.
package marks

import (
	"fmt"

	"github.com/seathold/seathold/sim/trace"
)

// Mark is one thing that should happen sometimes.
type Mark struct{ Name, Doc string }

// mark is an index into the list.
type mark int

// list are all marks, in the order of declaration.
var list []Mark

func declare(name, doc string) mark {
	list = append(list, Mark{name, doc})
	return mark(len(list) - 1)
}

// All gives every mark that is declared.
func All() []Mark { return append([]Mark(nil), list...) }

// Counts says in how many runs each mark was hit. The zero value is none.
type Counts struct {
	hit  []int
	seen int
}

// Add takes a run's marks in.
func (c *Counts) Add(run trace.Run) {
	c.grow()
	w := watch{run: &run, seen: make([]bool, len(list)), rows: map[rowKey]*row{}, holds: map[string]*seat{}, nodes: map[string]*node{}, sent: map[string]bool{}}
	w.load()
	for i := range run.Events {
		if run.Events[i].What == trace.Replay {
			break
		}
		w.event(&run.Events[i])
	}
	for i, seen := range w.seen {
		if seen {
			c.add(i, 1)
		}
	}
}

func (c *Counts) grow() {
	if c.hit == nil {
		c.hit = make([]int, len(list))
	}
}

// Merge takes in what others counted.
func (c *Counts) Merge(other Counts) {
	c.grow()
	for i, n := range other.hit {
		c.add(i, n)
	}
}

func (c *Counts) add(i, n int) {
	if c.hit[i] == 0 && n > 0 {
		c.seen++
	}
	c.hit[i] += n
}

// Seen is how many marks were hit.
func (c *Counts) Seen() int { return c.seen }

// Never gives the marks that were hit in no run.
func (c *Counts) Never() []Mark {
	c.grow()
	var never []Mark
	for i, n := range c.hit {
		if n == 0 {
			never = append(never, list[i])
		}
	}
	return never
}

// Lines gives a line for every mark that was hit: in how many runs, and what it is; then the names of
// those that never were.
func (c *Counts) Lines() []string {
	c.grow()
	var lines []string
	for i, m := range list {
		if c.hit[i] > 0 {
			lines = append(lines, fmt.Sprintf("%9d  %-36s %s", c.hit[i], m.Name, m.Doc))
		}
	}
	never := c.Never()
	if len(never) == 0 {
		return lines
	}
	line := "    never "
	for _, m := range never {
		if len(line)+len(m.Name) > widthMax {
			lines, line = append(lines, line), "          "
		}
		line += " " + m.Name
	}
	return append(lines, line)
}

// widthMax is how long a line of names is.
const widthMax = 110

// Hit says in how many runs the mark of that name was hit.
func (c *Counts) Hit(name string) int {
	c.grow()
	for i, m := range list {
		if m.Name == name {
			return c.hit[i]
		}
	}
	return 0
}
