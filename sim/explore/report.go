package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore/marks"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/report"
)

// Report is what a search came to.
type Report struct {
	Plans    []*PlanReport
	Findings []*Finding
	Coverage Coverage
	Marks    marks.Counts
	// Orders are what went through all orders of a base.
	Orders []OrdersReport
	// Twice counts the runs that were made a second time.
	Twice int
	// Complete says that no case was left out, for lack of time or by an interrupt.
	Complete bool
	Cores    int
	Took     time.Duration
	// Err is the first run that could not be judged.
	Err error

	harness *harness
}

// PlanReport sums up one plan. Runs in which the fault that was added struck nothing are Idle.
type PlanReport struct {
	Name               string
	Runs, Idle, Events int
	Sends, Accepted    int
	SendsAfterChange   int
	Excused            int
	Simulated          time.Duration
}

func (p *PlanReport) add(t *trial.Trial) {
	p.Runs++
	p.Events += len(t.Run.Trace.Events)
	p.Simulated += t.Simulated()
	p.Sends += t.Stats.Sends
	p.Accepted += t.Stats.Accepted
	p.SendsAfterChange += t.Stats.SendsAfterChange
	p.Excused += t.Stats.Excused
	if slices.ContainsFunc(t.Run.Unfired, func(u sim.Unfired) bool { return u.Step.Pos == added }) {
		p.Idle++
	}
}

func (p *PlanReport) merge(q *PlanReport) {
	p.Runs += q.Runs
	p.Idle += q.Idle
	p.Events += q.Events
	p.Simulated += q.Simulated
	p.Sends += q.Sends
	p.Accepted += q.Accepted
	p.SendsAfterChange += q.SendsAfterChange
	p.Excused += q.Excused
}

// Finding is one way in which a promise was broken, and the first case that did it.
type Finding struct {
	Broken trial.Broken
	Case   Case
	Plan   string
	// Sentence says what happened, and Cases in how many it did.
	Sentence string
	Cases    int

	// place is the first case's, and last that of the last case seen.
	place, last place
}

func (r *Report) merge(p *part) {
	for name, q := range p.plans { // any order: sums
		if have := r.plan(name); have != nil {
			have.merge(q)
		} else {
			r.Plans = append(r.Plans, q)
		}
	}
	for _, f := range p.findings { // any order: the first one by place stays
		i := slices.IndexFunc(r.Findings, func(g *Finding) bool { return g.Broken == f.Broken })
		switch {
		case i < 0:
			r.Findings = append(r.Findings, f)
		case f.place.before(r.Findings[i].place):
			f.Cases += r.Findings[i].Cases
			r.Findings[i] = f
		default:
			r.Findings[i].Cases += f.Cases
		}
	}
	if h := p.trouble; h != nil && (r.harness == nil || h.place.before(r.harness.place)) {
		r.harness, r.Err = h, h.err
	}
	r.Coverage.merge(p.coverage)
	r.Marks.Merge(p.marks)
	r.Twice += p.twice
}

// Join adds what another search came to.
func (r *Report) Join(other *Report) {
	r.Plans = append(r.Plans, other.Plans...)
	r.Orders = append(r.Orders, other.Orders...)
	for _, f := range other.Findings {
		i := slices.IndexFunc(r.Findings, func(g *Finding) bool { return g.Broken == f.Broken })
		if i < 0 {
			r.Findings = append(r.Findings, f)
		} else {
			r.Findings[i].Cases += f.Cases
		}
	}
	r.Coverage.merge(other.Coverage)
	r.Marks.Merge(other.Marks)
	r.Twice += other.Twice
	r.Took += other.Took
	r.Complete = r.Complete && other.Complete
	if r.Err == nil {
		r.Err = other.Err
	}
}

func (r *Report) plan(name string) *PlanReport {
	for _, p := range r.Plans {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// finish puts everything into the order of the plans and cases.
func (r *Report) finish(plans []Plan) {
	order := map[string]int{}
	for i, p := range plans {
		order[p.Name] = i
	}
	slices.SortFunc(r.Plans, func(a, b *PlanReport) int { return cmp.Compare(order[a.Name], order[b.Name]) })
	slices.SortFunc(r.Findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.place.first, b.place.first), cmp.Compare(a.place.second, b.place.second), cmp.Compare(a.Broken.String(), b.Broken.String()))
	})
}

// Runs is how many runs there were.
func (r *Report) Runs() int {
	n := 0
	for _, p := range r.Plans {
		n += p.Runs
	}
	return n
}

// Simulated is how much virtual time all runs took together.
func (r *Report) Simulated() time.Duration {
	var d time.Duration
	for _, p := range r.Plans {
		d += p.Simulated
	}
	return d
}

// Lines gives a line for every plan.
func (r *Report) Lines() []string {
	width := 0
	for _, p := range r.Plans {
		width = max(width, len(p.Name))
	}
	var lines []string
	for _, p := range r.Plans {
		line := fmt.Sprintf("%-*s  %8d runs  %10d events  %s simulated", width, p.Name, p.Runs, p.Events, days(p.Simulated))
		if p.Idle > 0 {
			line += fmt.Sprintf("  (in %d the fault met nothing)", p.Idle)
		}
		lines = append(lines, line)
	}
	return lines
}

// days gives a long time in days, and a short one as it is.
func days(d time.Duration) string {
	if d < 48*time.Hour {
		return faults.FormatDuration(d.Truncate(time.Second))
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

// Summary is the last line.
func (r *Report) Summary() string {
	word := "complete"
	if !r.Complete {
		word = "cut short"
	}
	rate := float64(r.Runs()) / max(r.Took.Seconds(), 1e-9)
	return strings.Join([]string{
		fmt.Sprintf("%s, %s simulated, %.1f s on %s (%.0f runs/s), %d made twice", report.Plural(r.Runs(), "run"), days(r.Simulated()), r.Took.Seconds(), report.Plural(r.Cores, "core"), rate, r.Twice),
		word,
		report.Plural(len(r.Findings), "way") + " of breaking a promise",
	}, "; ")
}
