package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/tell"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/matrix"
	"github.com/seathold/seathold/sim/script"
)

// The bases that are searched where no file is named.
var (
	eachBases     = []string{"twelve", "two", "people", "keys", "send-first", "letters", "strays", "disputes"}
	pairBases     = []string{"two", "keys"}
	orderBases    = []string{"orders-two", "orders-twice", "orders-stall", "orders-people", "orders-end", "twelve"}
	horizonBases  = []string{"horizons", "letters"}
	orderChances  = 2000      // orders by chance of a base that is too large for all of them
	orderRunsMax  = 1_000_000 // orders of a small base
	gcWhileSearch = 400       // the runs are short, and leave nothing behind
)

func exploreCommand(a *app, args []string) (int, error) {
	s := &search{}
	var err error
	if s.bases, err = parseFlags(s.flags(), args); err != nil {
		return 0, err
	}
	if err := s.check(); err != nil {
		return 0, err
	}
	if err := a.subject(s); err != nil {
		return 0, err
	}
	debug.SetGCPercent(gcWhileSearch)
	var r *explore.Report
	untilInterrupt(func(ctx context.Context) { r, err = a.explore(ctx, s) })
	if err != nil {
		return 0, err
	}
	return a.tell(s, r)
}

// untilInterrupt does something until it ends or is interrupted. A second interrupt ends the command.
func untilInterrupt(do func(context.Context)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	do(ctx)
}

// subject sets up what is searched.
func (a *app) subject(s *search) error {
	s.Cores, s.Progress = s.cores, &explore.Progress{}
	b, err := a.backend(s.store)
	if err != nil {
		return err
	}
	s.Subject = trial.Subject{Backend: b}
	if s.store != "memory" { // runs on it take turns
		s.Cores = 1
		model := trial.Reference()
		s.Model = &model
	}
	if s.defect == "" {
		return nil
	}
	d, err := defectNamed("explore", s.defect)
	if err != nil {
		return err
	}
	s.Subject = trial.Subject{Backend: matrix.On(d), Options: sim.Options{EventsMax: defectEventsMax}}
	return nil
}

// defectEventsMax is what may happen in one run of a wrong pipeline, which may never come to rest.
const defectEventsMax = 100_000

func (a *app) explore(ctx context.Context, s *search) (*explore.Report, error) {
	plans, ordered, err := a.plans(s)
	if err != nil {
		return nil, err
	}
	defer a.progress(s.Progress)()
	r := s.Search.Run(ctx, plans)
	if len(ordered) > 0 && ctx.Err() == nil {
		r.Join(s.Search.Orders(ctx, ordered, s.preemptions, orderRunsMax))
	}
	return r, nil
}

// plans are what the flags ask for, and the bases whose orders are all gone through.
func (a *app) plans(s *search) (plans []explore.Plan, ordered []*explore.Base, err error) {
	known := map[string]*explore.Base{}
	over := func(byDefault []string, add func(*explore.Base)) {
		names := s.bases
		if len(names) == 0 {
			names = byDefault
		}
		for _, n := range names {
			if known[n] == nil && err == nil {
				if known[n], err = a.base(s, n); err == nil && known[n].Broken {
					plans = append(plans, explore.Plan{Name: known[n].Name + ", as it stands", Cases: explore.AsItStands(known[n])})
				}
			}
			if err == nil {
				add(known[n])
			}
		}
	}
	kinds := strings.Split(s.each, ",")
	if s.each == "all" {
		kinds = explore.EachKinds()
	}
	if s.each != "" {
		over(eachBases, func(b *explore.Base) {
			for _, k := range kinds {
				plans = append(plans, explore.Plan{Name: b.Name + ", each " + k, Cases: explore.Each(b, k)})
			}
		})
	}
	if s.pairs {
		over(pairBases, func(b *explore.Base) {
			plans = append(plans, explore.Plan{Name: b.Name + ", pairs", Cases: explore.Pairs(b)})
		})
	}
	if s.horizons {
		over(horizonBases, func(b *explore.Base) {
			plans = append(plans, explore.Plan{Name: b.Name + ", horizons", Cases: explore.Horizons(b)})
		})
	}
	if s.orders {
		over(orderBases, func(b *explore.Base) {
			if b.Small() {
				ordered = append(ordered, b)
				return
			}
			plans = append(plans, explore.Plan{Name: b.Name + ", orders by chance", Cases: explore.Chances(b, orderChances)})
		})
	}
	if from, to, _ := s.seedRange(); from <= to {
		plans = append(plans, explore.Plan{Name: "seeds", Cases: explore.Seeds(from, to, s.profile)})
	}
	return plans, ordered, err
}

// base reads a file, or takes a base that is built in, and runs it once.
func (a *app) base(s *search, name string) (*explore.Base, error) {
	c, err := findBase(name)
	if err != nil {
		return nil, err
	}
	b, err := explore.NewBase(s.Subject, c, name)
	if err != nil {
		return nil, err
	}
	for _, step := range b.Unfired {
		fmt.Fprintf(a.stderr, "%s: %s strikes nothing in the base as it stands\n", step.Pos, step.Text)
	}
	return b, nil
}

// findBase reads the base of that name, or in that file.
func findBase(name string) (*script.Scenario, error) {
	if slices.Contains(explore.BaseNames(), name) {
		return explore.BuiltIn(name)
	}
	hint := "a base is one scenario file, or one of " + strings.Join(explore.BaseNames(), ", ")
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError{fmt.Sprintf("explore: no base %q, and no such file", name), hint}
	case err == nil && info.IsDir():
		return nil, usageError{"explore: " + name + " is a folder", hint}
	}
	all, err := load([]string{name})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

const progressEvery = 500 * time.Millisecond

// progress shows on a terminal how far the search has come, until the function that it gives is called.
func (a *app) progress(p *explore.Progress) (stop func()) {
	f, ok := a.stderr.(*os.File)
	if !ok {
		return func() {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func() {}
	}
	began, done, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				fmt.Fprintf(f, "\r%80s\r", "")
				return
			case <-tick.C:
				runs, took := p.Runs.Load(), time.Since(began)
				fmt.Fprintf(f, "\r%d runs, %.0f/s, %.1f days simulated, %d of %d marks, %d findings ", runs, float64(runs)/took.Seconds(),
					time.Duration(p.Simulated.Load()).Hours()/24, p.Marks.Load(), p.MarksAll(), p.Findings.Load())
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// tell prints what came of it, and gives the exit code.
func (a *app) tell(s *search, r *explore.Report) (int, error) {
	var findings []tell.Finding
	untilInterrupt(func(ctx context.Context) { findings = tell.Shrink(ctx, s.named(a.program), r, s.shrink) })
	unwritten := a.write(s, r, findings)
	if s.asJSON {
		if err := tell.JSON(a.stdout, r, findings); err != nil {
			return 0, err
		}
	} else {
		a.tellPeople(r, findings)
	}
	met := !s.requireMarks || a.tellNever(r)
	switch {
	case r.Err != nil:
		return 0, r.Err
	case unwritten:
		return exitUsage, nil
	case len(findings) > 0, !met:
		return exitFailed, nil
	}
	return exitHeld, nil
}

// named is what is searched, and how commands name it.
func (s *search) named(program string) tell.Subject {
	u := tell.Subject{Subject: s.Subject, Program: program}
	switch {
	case s.defect != "":
		u.Defect, u.Flags = true, "-defect "+s.defect
		u.Run = "matrix " + u.Flags
	case s.store != "memory":
		u.Flags = "-store " + s.store
		u.Run = "run " + u.Flags
	}
	return u
}

// write writes the files that were asked for. One that can't be written is told, and keeps back
// nothing of what was found.
func (a *app) write(s *search, r *explore.Report, findings []tell.Finding) (unwritten bool) {
	complain := func(flag, name string, err error) {
		if err != nil {
			fmt.Fprintf(a.stderr, "holdsim: explore: -%s %s: %v\n", flag, name, err)
			unwritten = true
		}
	}
	if s.save != "" && len(findings) > 0 {
		complain("save", s.save, tell.Save(findings, s.save))
	}
	if s.junit != "" {
		f, err := os.Create(s.junit)
		if err == nil {
			err = errors.Join(tell.JUnit(f, r, findings), f.Close())
		}
		complain("junit", s.junit, err)
	}
	return unwritten
}

// tellNever says what the search should have come across and didn't, and whether there is no such thing.
func (a *app) tellNever(r *explore.Report) (none bool) {
	marks, moments := r.Marks.Never(), r.Coverage.Missing()
	for _, m := range marks {
		fmt.Fprintf(a.stderr, "holdsim: explore: mark never hit: %s: %s\n", m.Name, m.Doc)
	}
	for _, m := range moments {
		fmt.Fprintf(a.stderr, "holdsim: explore: never struck: %s\n", m)
	}
	return len(marks)+len(moments) == 0
}

func (a *app) tellPeople(r *explore.Report, findings []tell.Finding) {
	for _, lines := range [][]string{r.Lines(), r.Coverage.Table(), r.Marks.Lines()} {
		fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
		fmt.Fprintln(a.stdout)
	}
	for _, o := range r.Orders {
		fmt.Fprintln(a.stdout, o.Line())
	}
	if len(r.Orders) > 0 {
		fmt.Fprintln(a.stdout)
	}
	for _, f := range findings { // what matters most is what a terminal still shows
		f.Text(a.stdout)
	}
	if !r.Complete {
		fmt.Fprintln(a.stdout, "the search was cut short: this is what was found so far")
	}
	fmt.Fprintln(a.stdout, r.Summary())
}
