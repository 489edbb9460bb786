package shrink

import (
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
)

// each tries changes one after another, those that change nothing left out.
func (k *shrinker) each(changes ...func(*script.Scenario)) bool {
	helped := false
	for _, change := range changes {
		probe := clone(k.s)
		change(probe)
		if same(probe, k.s) {
			continue
		}
		helped = k.try(change) || helped
	}
	return helped
}

// policy goes back to the defaults: all of it at once, or each setting by itself.
func (k *shrinker) policy() bool {
	p := defaults().Policy
	return k.each(
		func(s *script.Scenario) {
			period := s.Policy.SweepPeriod // it is cron's
			s.Policy, s.Unchecked = p, false
			s.Policy.SweepPeriod = period
		},
		func(s *script.Scenario) { s.Unchecked = false },
		func(s *script.Scenario) { s.Policy.Lead, s.Policy.Cutoff = p.Lead, p.Cutoff },
		func(s *script.Scenario) { s.Policy.Lead = p.Lead },
		func(s *script.Scenario) { s.Policy.Cutoff = p.Cutoff },
		func(s *script.Scenario) {
			s.Policy.SendTimeout, s.Policy.Lease, s.Policy.Visibility = p.SendTimeout, p.Lease, p.Visibility
		},
		func(s *script.Scenario) { s.Policy.SendTimeout = p.SendTimeout },
		func(s *script.Scenario) { s.Policy.StoreTimeout, s.Policy.LockTimeout = p.StoreTimeout, p.LockTimeout },
		func(s *script.Scenario) { s.Policy.Lease = p.Lease },
		func(s *script.Scenario) { s.Policy.Visibility = p.Visibility },
		func(s *script.Scenario) { s.Policy.MaxReceives = p.MaxReceives },
		func(s *script.Scenario) { s.Policy.Order = p.Order },
		func(s *script.Scenario) { s.Policy.Page = p.Page },
		func(s *script.Scenario) { s.Policy.Renominate = p.Renominate },
		func(s *script.Scenario) { s.Policy.SweepBudget = p.SweepBudget },
		func(s *script.Scenario) { s.Policy.Backstop = p.Backstop },
		func(s *script.Scenario) { s.Policy.LongPoll = p.LongPoll },
	)
}

// seedsMax is how many small seeds are tried in place of a large one.
const seedsMax = 5

// world goes back to the defaults of cron, queue, providers and the seed, and to the usual start.
func (k *shrinker) world() bool {
	d := defaults()
	changes := []func(*script.Scenario){
		func(s *script.Scenario) { s.Cron = d.Cron },
		func(s *script.Scenario) { s.Cron.Every, s.Cron.Spec, s.Cron.Zone = d.Cron.Every, "", d.Cron.Zone },
		func(s *script.Scenario) { s.Cron.Jitter = 0 },
		func(s *script.Scenario) { s.Cron.Retries = 0 },
		func(s *script.Scenario) { s.Cron.Timeout = d.Cron.Timeout },
		func(s *script.Scenario) { s.Queue = d.Queue },
		func(s *script.Scenario) { s.Queue.Profile = d.Queue.Profile },
		func(s *script.Scenario) { s.Queue.Dedup = d.Queue.Dedup },
		func(s *script.Scenario) { s.Queue.Retention = d.Queue.Retention },
		func(s *script.Scenario) { s.Queue.Latency = 0 },
		func(s *script.Scenario) { s.Restart = d.Restart },
		func(s *script.Scenario) { shift(s, d.Start.Sub(s.Start)) },
	}
	for i := range k.s.Providers {
		changes = append(changes,
			func(s *script.Scenario) { s.Providers[i] = d.Providers[i] },
			func(s *script.Scenario) { s.Providers[i].Keys = 0 },
			func(s *script.Scenario) { s.Providers[i].Latency = d.Providers[i].Latency })
	}
	helped := k.each(changes...)
	for seed := uint64(1); seed <= seedsMax && seed < k.s.Seed; seed++ {
		if k.try(func(s *script.Scenario) { s.Seed = seed }) {
			return true
		}
	}
	return helped
}

// shift moves everything in time.
func shift(s *script.Scenario, by time.Duration) {
	all := moments(s)
	s.Start = s.Start.Add(by)
	for _, m := range all {
		m.set(m.at.Add(by))
	}
}

// nodes takes workers away: what named one names another then.
func (k *shrinker) nodes() bool {
	helped := false
	for i := len(k.s.Nodes) - 1; i >= 0 && len(k.s.Nodes) > 1; i-- {
		helped = k.try(func(s *script.Scenario) {
			gone := s.Nodes[i].Name
			s.Nodes = slices.Delete(s.Nodes, i, i+1)
			rename(s, gone, s.Nodes[0].Name)
		}) || helped
	}
	for i := range k.s.Nodes {
		helped = k.each(
			func(s *script.Scenario) { s.Nodes[i].Slots = 1 },
			func(s *script.Scenario) { s.Nodes[i].Skew = 0 },
			func(s *script.Scenario) { s.Nodes[i].Restart = s.Restart },
		) || helped
	}
	return helped
}

// rename gives a node another name, everywhere.
func rename(s *script.Scenario, from, to string) {
	for i := range s.Steps {
		switch step := &s.Steps[i]; {
		case step.Do != nil && step.Do.Who == from:
			step.Do.Who = to
		case step.Fault != nil:
			if step.Fault.Who == from {
				step.Fault.Who = to
			}
			for j, n := range step.Fault.Nodes {
				if n == from {
					step.Fault.Nodes[j] = to
				}
			}
			slices.Sort(step.Fault.Nodes)
			step.Fault.Nodes = slices.Compact(step.Fault.Nodes)
		}
	}
}

// holdValues makes holds plain.
func (k *shrinker) holdValues() bool {
	helped := false
	for i := range k.s.Holds {
		helped = k.each(plainHold(func(s *script.Scenario) *reference.Hold { return &s.Holds[i] })...) || helped
	}
	for i, step := range k.s.Steps {
		if step.Do == nil || step.Do.Verb != "create" {
			continue
		}
		if k.try(func(s *script.Scenario) { // it may as well be there from the start
			h := s.Steps[i].Do.New
			s.Steps = slices.Delete(s.Steps, i, i+1)
			s.Holds = append(s.Holds, h)
		}) {
			return true
		}
		helped = k.each(plainHold(func(s *script.Scenario) *reference.Hold { return &s.Steps[i].Do.New })...) || helped
	}
	return helped
}

func plainHold(of func(*script.Scenario) *reference.Hold) []func(*script.Scenario) {
	return []func(*script.Scenario){
		func(s *script.Scenario) { of(s).Zone = "UTC" },
		func(s *script.Scenario) { of(s).Channels = slices.Clone(reference.Channels) },
		func(s *script.Scenario) {
			h := of(s)
			h.Learner, h.Section = reference.LearnerID("learner-"+h.ID), reference.SectionID("section-"+h.ID)
		},
		func(s *script.Scenario) { of(s).State = reference.Held },
	}
}

// faultWords takes words away from fault lines, or says by hold and channel what a number said.
func (k *shrinker) faultWords() bool {
	helped := false
	for i := range k.s.Steps {
		if k.s.Steps[i].Fault == nil {
			continue
		}
		var changes []func(*script.Scenario)
		for _, change := range plainer(k.violation.Hold, k.violation.Channel) {
			changes = append(changes, func(s *script.Scenario) { change(s.Steps[i].Fault) })
		}
		helped = k.each(changes...) || helped
	}
	return helped
}

func plainer(hold reference.HoldID, channel reference.Channel) []func(*faults.Fault) {
	nth := func(text string) faults.Nth {
		n, err := faults.ParseNth(text)
		if err != nil {
			panic(err) // the text is our own
		}
		return n
	}
	about := func(n string) func(*faults.Fault) {
		return func(f *faults.Fault) {
			if !f.Nth.Set() {
				return
			}
			f.On, f.Channel, f.Nth = hold, channel, faults.Nth{}
			if n != "" {
				f.Nth = nth(n)
			}
		}
	}
	return []func(*faults.Fault){
		func(f *faults.Fault) { f.Maybe = false },
		func(f *faults.Fault) { f.From, f.Until = faults.Instant{}, faults.Instant{} },
		func(f *faults.Fault) { f.Until = faults.Instant{} },
		func(f *faults.Fault) { f.From = faults.Instant{} },
		func(f *faults.Fault) { f.Nth = faults.Nth{} },
		about(""), about("2"), about("3"),
		func(f *faults.Fault) { f.Channel = "" },
		func(f *faults.Fault) { f.On = "" },
		func(f *faults.Fault) { f.Nodes = nil },
		func(f *faults.Fault) { f.Restart = 0 },
		func(f *faults.Fault) { f.Status = 0 },
		func(f *faults.Fault) { f.RetryAfter = 0 },
		func(f *faults.Fault) {
			if faults.IsNode(f.Who) {
				f.Who = "worker"
			}
		},
	}
}

// times rounds times and durations.
func (k *shrinker) times() bool {
	helped := false
	for i := range moments(k.s) {
		for _, unit := range []time.Duration{time.Hour, 10 * time.Minute, time.Minute, 10 * time.Second, time.Second, time.Millisecond} {
			if k.round(i, unit) {
				helped = true
				break
			}
		}
	}
	for i := range lengths(k.s) {
		for _, unit := range []time.Duration{time.Hour, time.Minute, 10 * time.Second, time.Second, time.Millisecond} {
			d := *lengths(k.s)[i]
			if d <= 0 || d%unit == 0 {
				break // it is round, and rounder than by what comes next
			}
			if d.Round(unit) > 0 && k.try(func(s *script.Scenario) { *lengths(s)[i] = d.Round(unit) }) {
				helped = true
				break
			}
		}
	}
	return helped
}

// round sets one time to a multiple of the unit, if it isn't one: below it or above.
func (k *shrinker) round(i int, unit time.Duration) bool {
	all := moments(k.s)
	if i >= len(all) || all[i].end && unit > time.Minute || all[i].at.Equal(all[i].at.Truncate(unit)) {
		return false
	}
	down := all[i].at.Truncate(unit)
	for _, to := range []time.Time{down, down.Add(unit)} {
		if (unit <= time.Minute || to.Before(all[i].at)) && k.try(func(s *script.Scenario) { moments(s)[i].set(to) }) {
			return true
		}
	}
	return false
}

// names are h1, h2, … and w1, w2, …
func (k *shrinker) names() bool {
	helped := false
	for i, id := range holdsOf(k.s) {
		name := reference.HoldID(fmt.Sprintf("h%d", i+1))
		if id != name && !slices.Contains(holdsOf(k.s), name) {
			helped = k.try(func(s *script.Scenario) { renameHold(s, id, name) }) || helped
		}
	}
	for i := range k.s.Nodes {
		from, to := k.s.Nodes[i].Name, fmt.Sprintf("w%d", i+1)
		if from == to || slices.ContainsFunc(k.s.Nodes, func(n script.Node) bool { return n.Name == to }) {
			continue
		}
		helped = k.try(func(s *script.Scenario) {
			s.Nodes[i].Name = to
			rename(s, from, to)
		}) || helped
	}
	return helped
}

func renameHold(s *script.Scenario, from, to reference.HoldID) {
	change := func(h *reference.Hold) {
		if h.ID == from {
			h.ID, h.Learner, h.Section = to, reference.LearnerID("learner-"+to), reference.SectionID("section-"+to)
		}
	}
	for i := range s.Holds {
		change(&s.Holds[i])
	}
	for i := range s.Rows {
		if s.Rows[i].Hold == from {
			s.Rows[i].Hold = to
		}
	}
	for i := range s.Steps {
		switch step := &s.Steps[i]; {
		case step.Fault != nil && step.Fault.On == from:
			step.Fault.On = to
		case step.Do != nil && step.Do.Hold == from:
			step.Do.Hold = to
			change(&step.Do.New)
		}
	}
}
