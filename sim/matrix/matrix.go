// Package matrix puts every defect to every scenario: a suite is worth what it notices. A defect
// that no scenario kills, and a scenario that kills no defect, are findings.
//
// A scenario kills a defect if its run with the defect breaks a promise or an expectation that it
// keeps with the reference, if two runs differ, or if the run doesn't come to rest. Another golden
// text is no kill, nor is a fault that doesn't fire or an at line that changes nothing.
//
// A search of a fixed budget, which knows no defect, is put to each of them as well: see Hunt.
package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
)

// Base is what defects are put to: a scenario, or several runs under one name.
type Base struct {
	Name string
	Runs []*script.Scenario
	// Documentation is why it may kill nothing; empty if it must kill something.
	Documentation string
	// Judge gives what is wrong with a run; nil is suite.Judge.
	Judge func(*script.Scenario, *sim.Result) []report.Failure
}

// documentation marks, in the header of a scenario, why that may kill nothing.
const documentation = "Documentation:"

// OfScenario makes a base of a scenario.
func OfScenario(s *script.Scenario) Base {
	b := Base{Name: s.Name, Runs: []*script.Scenario{s}}
	for _, line := range s.Header {
		if why, found := strings.CutPrefix(line, documentation); found {
			b.Documentation = strings.TrimSpace(why)
		}
	}
	return b
}

// Matrix is who killed whom.
type Matrix struct {
	Defects []defects.Defect
	Bases   []Base
	// Kills are by defect and base, in their orders; nil where the defect survived.
	Kills [][]*Kill
	// Hunts are what a search of Budget runs came to, by defect; nil if there was none.
	Hunts  []Hunt
	Budget int
}

// ReferenceError is a base that the reference itself doesn't pass, so that it can judge no defect.
type ReferenceError struct {
	Base     string
	Failures []report.Failure
}

// Error gives the first failure.
func (e *ReferenceError) Error() string {
	return fmt.Sprintf("%s fails with the reference: %s", e.Base, e.Failures[0].Sentence)
}

// Run puts every defect to every base, at most jobs at a time. The answer doesn't depend on how many.
func Run(all []defects.Defect, bases []Base, jobs int) (*Matrix, error) {
	m := &Matrix{Defects: all, Bases: bases, Kills: make([][]*Kill, len(all))}
	tries := make([][]try, len(bases))
	err := each(len(bases), jobs, func(i int) (err error) {
		tries[i], err = prepare(bases[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		m.Kills[i] = make([]*Kill, len(bases))
	}
	err = each(len(all)*len(bases), jobs, func(i int) (err error) {
		d, b := i/len(bases), i%len(bases)
		m.Kills[d][b], err = killed(all[d], tries[b])
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// each does n things, at most jobs at a time, and gives the errors in the order of the things.
func each(n, jobs int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(min(jobs, n), 1) {
		workers.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}

// Survivors are the defects that no scenario killed, whatever a search found.
func (m *Matrix) Survivors() []defects.Defect {
	var out []defects.Defect
	for i, kills := range m.Kills {
		if !slices.ContainsFunc(kills, func(k *Kill) bool { return k != nil }) {
			out = append(out, m.Defects[i])
		}
	}
	return out
}

// killsOf counts what a base killed.
func (m *Matrix) killsOf(base int) int {
	n := 0
	for _, kills := range m.Kills {
		if kills[base] != nil {
			n++
		}
	}
	return n
}

// Idle are the bases that killed nothing and say no reason for it.
func (m *Matrix) Idle() []Base {
	var out []Base
	for i, b := range m.Bases {
		if b.Documentation == "" && m.killsOf(i) == 0 {
			out = append(out, b)
		}
	}
	return out
}

// first gives the kill of a defect that says most and came soonest in virtual time, and its base; of
// equals that of the first base.
func (m *Matrix) first(d int) (*Kill, Base) {
	var soonest *Kill
	var by Base
	for i, k := range m.Kills[d] {
		if k != nil && (soonest == nil || k.First.compare(soonest.First) < 0) {
			soonest, by = k, m.Bases[i]
		}
	}
	return soonest, by
}

// ways are all that a defect was killed by, in order.
func (m *Matrix) ways(d int) []Way {
	var all []Way
	for _, k := range m.Kills[d] {
		if k != nil {
			all = append(all, k.By...)
		}
	}
	return sorted(all)
}

// The repaired design must show how much is left to be mended.
const (
	repairedName        = "published-repaired"
	repairedPromisesMin = 5
)

// Findings are what is wrong with the suite, a sentence each; none if it is worth its name.
func (m *Matrix) Findings() []string {
	var out []string
	for _, d := range m.Survivors() {
		out = append(out, fmt.Sprintf("no scenario kills %s: %s", d.Name, d.Mistake))
	}
	for _, b := range m.Idle() {
		out = append(out, fmt.Sprintf("%s kills no defect, and its header has no line %q with a reason", b.Name, "# "+documentation))
	}
	for i, d := range m.Defects {
		if promises := promisesOf(m.ways(i)); d.Name == repairedName && len(promises) < repairedPromisesMin {
			out = append(out, fmt.Sprintf("%s is killed by %d promises %v, and must be by %d", d.Name, len(promises), promises, repairedPromisesMin))
		}
	}
	return out
}

// Summary is the last line.
func (m *Matrix) Summary() string {
	documents := 0
	for _, b := range m.Bases {
		if b.Documentation != "" {
			documents++
		}
	}
	search := ""
	if m.Hunts != nil {
		search = fmt.Sprintf("; a search of %d runs finds %d", m.Budget, m.found())
	}
	return fmt.Sprintf("%d defects, %d survive; %d scenarios, %d documentation, %d idle%s",
		len(m.Defects), len(m.Survivors()), len(m.Bases), documents, len(m.Idle()), search)
}

func sorted(ways []Way) []Way {
	slices.SortFunc(ways, func(a, b Way) int { return cmp.Compare(a, b) })
	return slices.Compact(ways)
}
