package orders

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// Search is how to go through the orders of a scenario.
type Search struct {
	Subject trial.Subject
	// Preemptions is how many there may be in one run.
	Preemptions int
	// RunsMax ends the search before it is complete; zero is no limit.
	RunsMax int
	// Everything leaves nothing out, to see what that saves.
	Everything bool
	// First ends the search at the first finding.
	First bool
	// Say hears of every run that came to its end; it may be nil.
	Say func(*trial.Trial)
}

// Result is what came of it.
type Result struct {
	// Runs is how many were begun, and Ended how many of them came to a state that was known.
	Runs, Ended int
	// States is how many different states had a choice, and Choices how many choices there were.
	States, Choices int
	// Complete says that every order was run, or is as good as one that was.
	Complete bool
	Findings []Finding
}

// Finding is an order that broke a promise: the first one found for each way.
type Finding struct {
	Broken   trial.Broken
	Sentence string
	// Choices makes the run again, by Replay.
	Choices []int
	Cases   int
}

// errKnown ends a run whose rest has been run.
var errKnown = errors.New("this state is known")

// Run goes through the orders.
func (s Search) Run(ctx context.Context, c *script.Scenario) (*Result, error) {
	r := &Result{Complete: true}
	seen := map[hash]int8{}
	todo := make([][][]int, s.Preemptions+1) // by how many preemptions they have: what is simple comes first
	todo[0] = [][]int{nil}
	for next := 0; next < len(todo); {
		n := len(todo[next])
		if n == 0 {
			next++
			continue
		}
		if ctx.Err() != nil || s.RunsMax > 0 && r.Runs >= s.RunsMax || s.First && len(r.Findings) > 0 {
			r.Complete = false
			return r, nil
		}
		w := &walk{search: &s, result: r, seen: seen, forced: todo[next][n-1], state: newState(c)}
		todo[next] = todo[next][:n-1]
		t, err := w.run(c)
		r.Runs++
		for _, b := range w.branches {
			todo[b.preempted] = append(todo[b.preempted], b.choices)
		}
		switch {
		case errors.Is(err, errKnown):
			r.Ended++
			continue
		case err != nil:
			return r, err
		}
		if s.Say != nil {
			s.Say(t)
		}
		r.note(t, w.taken)
	}
	return r, nil
}

func (r *Result) note(t *trial.Trial, choices []int) {
	for _, v := range t.Violations {
		b := trial.Of(v)
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Broken == b })
		if i >= 0 {
			r.Findings[i].Cases++
			continue
		}
		r.Findings = append(r.Findings, Finding{b, v.Sentence, slices.Clone(choices), 1})
	}
}

// Replay makes one run along choices.
func Replay(u trial.Subject, c *script.Scenario, choices []int) (*trial.Trial, error) {
	w := &walk{search: &Search{Subject: u, Everything: true}, result: &Result{}, forced: choices, state: newState(c)}
	return w.run(c)
}

// walk is one run, forced along some choices and free from there.
type walk struct {
	search *Search
	result *Result
	seen   map[hash]int8
	state  *state
	// forced are the choices to begin with, taken those that were made, and branches those that
	// were not, each with all before it.
	forced, taken []int
	branches      []branch
	// last made the step before, at that time; preempted is how often another was put before it.
	last      *virtual.Process
	lastAt    time.Time
	began     bool
	preempted int
	now       time.Time
	isKnown   bool
	// over says that the run is, and that what it delivers again has one order for all.
	over bool
}

// branch is the beginning of another run.
type branch struct {
	choices   []int
	preempted int
}

func (w *walk) run(c *script.Scenario) (*trial.Trial, error) {
	o := w.search.Subject.Options
	o.Order = w
	o.Event = func(e trace.Event) {
		w.state.event(&e)
		w.over = w.over || e.What == trace.Replay
	}
	return w.search.Subject.RunWith(c, o)
}

// Next is virtual.Order.
func (w *walk) Next(now time.Time, due []virtual.Turn) (int, error) {
	w.state.end()
	for _, t := range due { // so that what was just started is known by what started it
		w.state.place(t)
	}
	w.now = now
	i := 0
	if len(due) > 1 {
		i = w.choose(due)
	}
	if w.isKnown {
		return 0, errKnown
	}
	w.last, w.lastAt, w.began = due[i].Process, now, true
	w.state.begin(due[i], now)
	return i, nil
}

// Wake is virtual.Order: whom a message wakes is a choice, too, and no preemption.
func (w *walk) Wake(now time.Time, waiting []*virtual.Process) int {
	w.state.end()
	w.now = now
	places := make([]hash, len(waiting))
	for i, p := range waiting {
		places[i] = w.state.of(p)
	}
	i := w.decide(places, 0, 1, func(int) int { return 0 })
	w.state.wake(waiting[i])
	return i
}

// choose picks one of several: the one that ran last, if it can go on, or else the first.
func (w *walk) choose(due []virtual.Turn) int {
	runsOn := -1
	if w.began && w.lastAt.Equal(w.now) {
		runsOn = slices.IndexFunc(due, func(t virtual.Turn) bool { return t.Process == w.last })
	}
	places := make([]hash, len(due))
	for i, t := range due {
		places[i] = w.state.place(t)
	}
	cost := func(i int) int {
		if runsOn >= 0 && i != runsOn {
			return 1
		}
		return 0
	}
	i := w.decide(places, max(runsOn, 0), 0, cost)
	w.preempted += cost(i)
	return i
}

// decide makes a choice: the forced one, or the first; then the others become branches, but of those
// in the same place only one. Salt tells kinds of choices apart.
func (w *walk) decide(places []hash, first int, salt uint64, cost func(int) int) int {
	if len(w.taken) < len(w.forced) {
		i := min(w.forced[len(w.taken)], len(places)-1)
		w.taken = append(w.taken, i)
		return i
	}
	if w.seen == nil || w.isKnown || w.over {
		return first
	}
	tried := []hash{places[first]}
	for i, place := range places {
		if w.preempted+cost(i) > w.search.Preemptions || slices.Contains(tried, place) && !w.search.Everything || i == first {
			continue
		}
		if len(tried) == 1 && w.known(salt) {
			return first
		}
		tried = append(tried, place)
		w.branches = append(w.branches, branch{append(slices.Clone(w.taken), i), w.preempted + cost(i)})
		w.result.Choices++
	}
	w.taken = append(w.taken, first)
	return first
}

// known says that the state was come to before, with as many preemptions left, and ends the run then.
func (w *walk) known(salt uint64) bool {
	if w.search.Everything {
		return false
	}
	h := mix(w.state.hash(w.now), salt)
	if w.began && w.lastAt.Equal(w.now) {
		h = mix(h, uint64(w.state.of(w.last)))
	}
	if before, ok := w.seen[h]; ok && int(before) <= w.preempted {
		w.isKnown = true
		return true
	}
	w.seen[h] = int8(w.preempted)
	w.result.States++
	return false
}
