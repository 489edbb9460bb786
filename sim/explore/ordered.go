package explore

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seathold/seathold/sim/explore/orders"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/virtual"
)

// smallHolds is how many holds a base has at most that is searched in all orders.
const smallHolds = 3

// Small says that all orders of a base can be gone through.
func (b *Base) Small() bool {
	return len(b.heldBy(b.End())) <= smallHolds && len(b.Nodes) <= smallHolds
}

// Chances gives n cases that are a base in orders by random priorities.
func Chances(b *Base, n int) iter.Seq[Case] {
	const falls = 3
	steps := len(b.Moments) / 3 // three moments a call
	return func(yield func(Case) bool) {
		for i := 1; i <= n; i++ {
			c := Case{
				Name:  fmt.Sprintf("%s, order %d by chance", b.Name, i),
				Again: "-orders " + b.Ref,
				make:  func() (*script.Scenario, error) { return b.Scenario, nil },
				order: func() virtual.Order { return orders.NewChance(uint64(i), steps, falls) },
				alone: func(ctx context.Context, u trial.Subject, broken trial.Broken) (*script.Scenario, error) {
					noted := &orders.Noted{Order: orders.NewChance(uint64(i), steps, falls)}
					o := u.Options
					o.Order = noted
					if _, err := u.RunWith(b.Scenario, o); err != nil {
						return nil, err
					}
					return orders.Reproduce(ctx, u, b.Scenario, orders.Finding{Broken: broken, Choices: noted.Choices})
				},
			}
			if !yield(c) {
				return
			}
		}
	}
}

// OrdersReport is what going through the orders of one base came to.
type OrdersReport struct {
	Base string
	*orders.Result
	Took time.Duration
}

// Orders goes through all orders of bases, one base on each core, and takes what was covered into the
// report. A shard has every Shards-th base.
func (s Search) Orders(ctx context.Context, bases []*Base, preemptions, runsMax int) *Report {
	began := time.Now()
	if !s.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, s.Until)
		defer cancel()
	}
	bases = s.sharded(bases)
	r := &Report{Complete: true, Cores: max(s.Cores, 1)}
	r.Orders = make([]OrdersReport, len(bases))
	parts := make([]*part, len(bases))
	errs := make([]error, len(bases))
	slots := make(chan struct{}, r.Cores)
	var wait sync.WaitGroup
	for i, b := range bases {
		parts[i] = newPart(s, &atomic.Int64{})
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			r.Orders[i], errs[i] = s.ordersOf(ctx, b, parts[i], place{first: i + 1}, preemptions, runsMax)
		}()
	}
	wait.Wait()
	for i, p := range parts {
		r.merge(p)
		r.Complete = r.Complete && errs[i] == nil && r.Orders[i].Complete
		if errs[i] != nil && r.Err == nil {
			r.Err = fmt.Errorf("orders of %s: %w", bases[i].Name, errs[i])
		}
	}
	r.finish(nil)
	r.Took = time.Since(began)
	return r
}

func (s Search) sharded(bases []*Base) []*Base {
	var own []*Base
	for i, b := range bases {
		if s.mine(i + 1) {
			own = append(own, b)
		}
	}
	return own
}

func (s Search) ordersOf(ctx context.Context, b *Base, p *part, at place, preemptions, runsMax int) (OrdersReport, error) {
	began := time.Now()
	name := b.Name + " orders"
	p.plans[name] = &PlanReport{Name: name}
	search := orders.Search{Subject: s.Subject, Preemptions: preemptions, RunsMax: runsMax, Say: func(t *trial.Trial) {
		p.count(name, t)
	}}
	result, err := search.Run(ctx, b.Scenario)
	r := OrdersReport{Base: b.Name, Result: result, Took: time.Since(began)}
	for _, f := range result.Findings {
		at.second++
		c := Case{
			Name:  fmt.Sprintf("%s, in the order %s", b.Name, choices(f.Choices)),
			Again: fmt.Sprintf("-orders -preemptions %d %s", preemptions, b.Ref),
			make:  func() (*script.Scenario, error) { return b.Scenario, nil },
			alone: func(ctx context.Context, u trial.Subject, _ trial.Broken) (*script.Scenario, error) {
				return orders.Reproduce(ctx, u, b.Scenario, f)
			},
		}
		p.keep(&Finding{Broken: f.Broken, Case: c, Plan: name, Sentence: f.Sentence, Cases: f.Cases, place: at})
	}
	return r, err
}

// choices writes an order as a person could follow it.
func choices(all []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", "."), "[]")
}

// Line sums it up.
func (r OrdersReport) Line() string {
	word := "complete"
	if !r.Complete {
		word = "cut short"
	}
	return fmt.Sprintf("%-20s  %8d orders begun, %d of them ended in a known state; %d states with a choice, %s, %.1f s", r.Base, r.Runs, r.Ended, r.States, word, r.Took.Seconds())
}
