package explore

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seathold/seathold/sim/explore/marks"
	"github.com/seathold/seathold/sim/explore/trial"
)

// Plan is a list of cases, the same for whoever asks for it.
type Plan struct {
	Name  string
	Cases iter.Seq[Case]
}

// Search is how to go through plans.
type Search struct {
	Subject trial.Subject
	// Model, if there is one, must give the same traces as Subject.
	Model *trial.Subject
	// Cores is how many runs are made at once; zero is all there are. The answer doesn't depend on it.
	Cores int
	// Shard and Shards choose every Shards-th case from the Shard-th on, counted from 1, with what follows
	// from it; zero is all.
	Shard, Shards int
	// Until ends the search before the next case; zero is never. So does the end of the context.
	Until time.Time
	// Progress may be read while the search goes on; it may be nil.
	Progress *Progress
}

// Progress is how far a search has come.
type Progress struct {
	Runs, Findings atomic.Int64
	// Marks is how many marks one core has hit at most: all of them together may be more.
	Marks     atomic.Int64
	Simulated atomic.Int64 // in nanoseconds
}

// MarksAll is how many marks there are.
func (p *Progress) MarksAll() int { return len(marks.All()) }

// sameEvery is how often a run is made twice, to see that it is the same.
const sameEvery = 50

// troublesMax is how many runs that can't be judged end the search.
const troublesMax = 10

// job is a case and its place in the order of all cases.
type job struct {
	place place
	plan  string
	Case
}

// place orders cases: by their number, and by the number among those that followed from it.
type place struct{ first, second int }

func (p place) before(q place) bool {
	return p.first < q.first || p.first == q.first && p.second < q.second
}

// Run goes through the plans.
func (s Search) Run(ctx context.Context, plans []Plan) *Report {
	began := time.Now()
	jobs := make(chan job)
	cores := s.Cores
	if cores < 1 {
		cores = runtime.GOMAXPROCS(0)
	}
	parts := make([]*part, cores)
	var wait sync.WaitGroup
	var troubles atomic.Int64
	for i := range parts {
		parts[i] = newPart(s, &troubles)
		wait.Add(1)
		go func() {
			defer wait.Done()
			for j := range jobs {
				parts[i].run(j)
			}
		}()
	}
	r := &Report{Cores: cores}
	r.Complete = s.hand(plans, jobs, func() bool {
		return ctx.Err() != nil || troubles.Load() >= troublesMax || !s.Until.IsZero() && time.Now().After(s.Until)
	})
	close(jobs)
	wait.Wait()
	for _, p := range parts {
		r.merge(p)
	}
	r.finish(plans)
	r.Took = time.Since(began)
	return r
}

// hand hands out the cases until it is over, and says whether it came to their end.
func (s Search) hand(plans []Plan, jobs chan<- job, over func() bool) bool {
	number := 0
	for _, p := range plans {
		for c := range p.Cases {
			if over() {
				return false
			}
			if number++; s.mine(number) {
				jobs <- job{place{number, 0}, p.Name, c}
			}
		}
	}
	return true
}

// mine says that the shard has what comes n-th, counted from 1.
func (s Search) mine(n int) bool { return s.Shards < 2 || n%s.Shards == s.Shard%s.Shards }

// part is what one core has found.
type part struct {
	Search
	plans    map[string]*PlanReport
	findings map[string]*Finding
	// trouble is the first run that could not be judged, and troubles how many there were on all cores.
	trouble  *harness
	troubles *atomic.Int64
	coverage Coverage
	marks    marks.Counts
	twice    int
}

// harness is a run that could not be judged.
type harness struct {
	place place
	err   error
}

func newPart(s Search, troubles *atomic.Int64) *part {
	return &part{Search: s, plans: map[string]*PlanReport{}, findings: map[string]*Finding{}, troubles: troubles}
}

// run makes one run, and those that follow from it.
func (p *part) run(j job) {
	t, then := p.make(j)
	if t == nil {
		return
	}
	for i, c := range then {
		p.make(job{place{j.place.first, i + 1}, j.plan, c})
	}
}

func (p *part) make(j job) (*trial.Trial, []Case) {
	t, then, err := p.attempt(j)
	if err != nil {
		p.troubles.Add(1)
		if p.trouble == nil || j.place.before(p.trouble.place) {
			p.trouble = &harness{j.place, fmt.Errorf("%s: %w", j.Name, err)}
		}
		return nil, nil
	}
	p.note(j, t)
	return t, then
}

func (p *part) attempt(j job) (*trial.Trial, []Case, error) {
	s, err := j.make()
	if err != nil {
		return nil, nil, err
	}
	if j.then != nil {
		t, moments, err := p.Subject.Moments(s)
		if err != nil {
			return nil, nil, err
		}
		return t, j.then(t, moments), nil
	}
	o := p.Subject.Options
	if j.order != nil {
		o.Order = j.order()
	}
	t, err := p.Subject.RunWith(s, o)
	return t, nil, err
}

// note counts a run, and keeps what it found.
func (p *part) note(j job, t *trial.Trial) {
	p.count(j.plan, t)
	for _, v := range t.Violations {
		p.keep(&Finding{Broken: trial.Of(v), Case: j.Case, Plan: j.plan, Sentence: v.Sentence, place: j.place, Cases: 1})
	}
	if j.order == nil {
		p.again(j, t)
	}
}

// count takes a run into the sums.
func (p *part) count(plan string, t *trial.Trial) {
	pr := p.plans[plan]
	if pr == nil {
		pr = &PlanReport{Name: plan}
		p.plans[plan] = pr
	}
	pr.add(t)
	if p.Progress != nil {
		p.Progress.Runs.Add(1)
		p.Progress.Simulated.Add(int64(t.Simulated()))
	}
	p.coverage.add(t)
	p.marks.Add(t.Run.Trace)
	if p.Progress != nil {
		if n := int64(p.marks.Seen()); n > p.Progress.Marks.Load() {
			p.Progress.Marks.Store(n)
		}
	}
}

// again compares a sample with a second run, and every run with the model's, if there is one.
func (p *part) again(j job, t *trial.Trial) {
	differ := func(name string, u trial.Subject) {
		difference, err := u.Same(t)
		switch {
		case err != nil:
			difference = err.Error()
		case difference == "":
			return
		}
		p.keep(&Finding{Broken: trial.Broken{Promise: "P9", Class: name}, Case: j.Case, Plan: j.plan, Sentence: difference, place: j.place, Cases: 1})
	}
	if p.Model != nil {
		differ("not as on "+p.Model.Backend.Name(), *p.Model)
	}
	if (j.place.first+j.place.second)%sameEvery == 0 {
		p.twice++
		differ("not the same again", p.Subject)
	}
}

// keep counts a finding, and remembers the first case of its kind.
func (p *part) keep(f *Finding) {
	key := f.Broken.String()
	f.last = f.place
	old := p.findings[key]
	switch {
	case old == nil:
		p.findings[key] = f
		if p.Progress != nil {
			p.Progress.Findings.Add(1)
		}
		return
	case old.last == f.place:
		return // the same run broke it twice
	case f.place.before(old.place):
		f.Cases += old.Cases
		p.findings[key] = f
		return
	}
	old.Cases++
	old.last = f.place
}
