package explore

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
)

// Each gives the cases that are a base with one trouble of a kind more: every kind of package faults,
// and those of Acts.
func Each(b *Base, kind string) iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for line := range b.lines(kind) {
			c := b.fault(line)
			c.Again = "-each " + kind + " " + b.Ref
			if !yield(c) {
				return
			}
		}
		for do := range b.acts(kind) {
			name := fmt.Sprintf("%s, at %s %s", b.Name, b.offset(do.At), strings.TrimSpace(do.Verb+" "+string(do.Hold)+do.Who))
			if !yield(Case{Name: name, Again: "-each " + kind + " " + b.Ref, make: func() (*script.Scenario, error) { return b.doing(do), nil }}) {
				return
			}
		}
	}
}

func (b *Base) fault(line string) Case {
	return Case{Name: b.Name + ", fault " + line, make: func() (*script.Scenario, error) {
		s, _, err := b.with(line)
		return s, err
	}}
}

// EachKinds are the kinds that Each knows, in order: those of package faults, then Acts.
func EachKinds() []string {
	var all []string
	for _, k := range faults.Kinds() {
		all = append(all, string(k))
	}
	return append(all, Acts...)
}

// lines gives the fault lines of a kind that can strike in the run of the base.
func (b *Base) lines(kind string) iter.Seq[string] {
	return func(yield func(string) bool) {
		k := faults.Kind(kind)
		if !slices.Contains(faults.Kinds(), k) {
			return
		}
		going := true
		say := func(line string) bool {
			going = going && yield(line)
			return going
		}
		b.atCalls(k, say)
		b.lasting(k, say)
		b.idle(k, say)
		if making := periods[k]; going && making != nil {
			making(b, say)
		}
	}
}

// variants are what lines of a kind say besides which call they strike; by default nothing.
var variants = map[faults.Kind][]string{
	faults.Crash:     {"", "restart=2m"},
	faults.Stall:     {"by=25s", "by=70s", "by=4m"}, // past the lease, past the visibility, past the end
	faults.Slow:      {"by=6s", "by=12s", "by=3m"},  // past the store's timeout, the sender's, the cut-off
	faults.Duplicate: {"", "by=61s", "by=10m"},
	faults.Delay:     {"by=30s", "by=3m", "by=11m"},
	faults.Throttle:  {"retry-after=none", "retry-after=1s", "retry-after=20s", "retry-after=10m"},
}

func variantsOf(k faults.Kind) []string {
	if v, ok := variants[k]; ok {
		return v
	}
	return []string{""}
}

// variantsAt are those that make sense of one call: a sweep is not restarted, and a send that arrives
// only when its provider has forgotten its key is accepted again, which no sender can prevent.
func (b *Base) variantsAt(k faults.Kind, c cell) []string {
	return slices.DeleteFunc(slices.Clone(variantsOf(k)), func(rest string) bool {
		f, err := faults.ParseLine(fmt.Sprintf("%s %s=%s %s", k, c.phase, c.point.Short(), rest))
		late := k == faults.Slow && c == cell{faults.Before, faults.ProviderSend} &&
			slices.ContainsFunc(b.Providers, func(p script.Provider) bool { return p.Keys > 0 && f.By >= p.Keys })
		return err != nil || late
	})
}

// cell is one moment of one call.
type cell struct {
	phase faults.Phase
	point faults.Point
}

// cells are the moments of calls at which a line of that kind can say that it strikes.
func cells(k faults.Kind) []cell {
	var all []cell
	for _, c := range k.Calls() {
		all = append(all, cell{c.Phase, c.Point})
	}
	return all
}

// atCalls gives the lines that strike one call each.
func (b *Base) atCalls(k faults.Kind, say func(string) bool) {
	if k == faults.Reject || k == faults.Throttle {
		b.nth(string(k), b.count(faults.Before, faults.ProviderSend, ""), variantsOf(k), say)
		return
	}
	for _, c := range cells(k) {
		f, err := faults.ParseLine(fmt.Sprintf("%s %s=%s %s", k, c.phase, c.point.Short(), variantsOf(k)[0]))
		if err != nil {
			panic(err) // cells has just parsed it
		}
		if k == faults.ReExecute && c.point.Port() == "queue" && b.Queue.Profile != "table" {
			continue // no statement of a database
		}
		role := f.Who
		if !slices.Contains([]string{"worker", "sweep", "learner", "operator"}, role) {
			role = ""
		}
		b.nth(fmt.Sprintf("%s %s=%s", k, c.phase, c.point.Short()), b.count(c.phase, c.point, role), b.variantsAt(k, c), say)
	}
}

// nth gives a line for every one of n calls, in every variant.
func (b *Base) nth(line string, n int, variants []string, say func(string) bool) {
	for i := 1; i <= n; i++ {
		for _, rest := range variants {
			if !say(strings.TrimSpace(fmt.Sprintf("%s nth=%d %s", line, i, rest))) {
				return
			}
		}
	}
}

// idle gives the lines that strike a node which waits for a message: one point each, for an idle poll
// is like another.
func (b *Base) idle(k faults.Kind, say func(string) bool) {
	if k != faults.Crash && k != faults.Stall {
		return
	}
	for _, n := range b.Nodes {
		for _, rest := range variantsOf(k) {
			if !say(strings.TrimSpace(fmt.Sprintf("%s %s at=%s %s", k, n.Name, b.offset(b.Start.Add(time.Millisecond)), rest))) {
				return
			}
		}
	}
}

// periods give the lines of faults that strike an instant or last, one for every instant of the base
// at which that can make a difference.
var periods = map[faults.Kind]func(*Base, func(string) bool){
	faults.Outage: outages, faults.Lock: locks, faults.Skew: skews, faults.Pause: pauses,
	faults.Double: doubles, faults.Retry: retries, faults.Redrive: redrives,
}

// spans are lengths of what lasts: shorter than any timeout, past the store's, past the visibility,
// past the backstop.
var spans = []time.Duration{time.Second, 7 * time.Second, 90 * time.Second, 11 * time.Minute}

func (b *Base) span(from time.Time, d time.Duration) string {
	return fmt.Sprintf("from=%s until=%s", b.offset(from), b.offset(from.Add(d)))
}

func outages(b *Base, say func(string) bool) {
	for _, port := range []string{"store", "queue", "provider"} {
		for _, t := range b.instants(func(m *faults.Moment) bool { return m.Phase == faults.Before && m.Point.Port() == port }) {
			for _, d := range spans {
				if !say(fmt.Sprintf("outage %s %s", port, b.span(t, d))) {
					return
				}
			}
		}
		if len(b.Nodes) < 2 || port == "provider" {
			continue
		}
		one := b.Nodes[0].Name // that only it can't reach the port
		for _, t := range b.instants(func(m *faults.Moment) bool {
			return m.Phase == faults.Before && m.Point.Port() == port && m.Node == one
		}) {
			if !say(fmt.Sprintf("outage %s %s nodes=(%s)", port, b.span(t, spans[2]), one)) {
				return
			}
		}
	}
}

func locks(b *Base, say func(string) bool) {
	for _, h := range b.heldBy(b.End()) {
		for _, t := range b.instants(func(m *faults.Moment) bool {
			return m.Phase == faults.Before && m.Hold == h && m.Point.Port() == "store"
		}) {
			for _, d := range spans {
				if !say(fmt.Sprintf("lock on=%s %s", h, b.span(t, d))) {
					return
				}
			}
		}
	}
}

// wrongs are how wrong clocks are: a bit, past the lease, past the cut-off.
var wrongs = []string{"by=+1s", "by=-1s", "by=+25s", "by=-25s", "by=+1h", "by=-1h"}

func skews(b *Base, say func(string) bool) {
	who := []string{"sweep", "worker"}
	for _, n := range b.Nodes {
		who = append(who, n.Name)
	}
	calls := b.instants(func(m *faults.Moment) bool {
		return m.Phase == faults.Before && (m.Point == faults.WorkerClaim || m.Point == faults.ProviderSend)
	})
	for _, by := range wrongs {
		for _, w := range who {
			if !say(fmt.Sprintf("skew %s %s", w, by)) {
				return
			}
		}
		for _, t := range calls { // a clock that is set while an attempt is under way
			if !say(fmt.Sprintf("skew worker %s %s", b.span(t.Add(time.Millisecond), time.Minute), by)) {
				return
			}
		}
	}
}

func (b *Base) ticks() []time.Time {
	return b.times(func(e *trace.Event) bool { return e.What == trace.SweepStart })
}

func pauses(b *Base, say func(string) bool) {
	for _, t := range b.ticks() {
		for _, d := range []time.Duration{time.Minute, 4 * time.Minute, time.Hour} {
			if from := t.Add(-time.Second); from.After(b.Start) && !say("pause cron "+b.span(from, d)) {
				return
			}
		}
	}
}

func doubles(b *Base, say func(string) bool) {
	for _, t := range b.ticks() {
		if !say("double cron at=" + b.offset(t)) {
			return
		}
	}
}

func retries(b *Base, say func(string) bool) {
	for _, t := range b.ticks() {
		for _, by := range []string{"1ms", "5s", "1m"} {
			if !say(fmt.Sprintf("retry cron at=%s by=%s", b.offset(t), by)) {
				return
			}
		}
	}
}

// redrives come at every instant from the first dead letter on.
func redrives(b *Base, say func(string) bool) {
	dead := false
	for _, t := range b.times(func(e *trace.Event) bool {
		dead = dead || e.What == trace.BrokerDead || e.What == trace.What(faults.WorkerDeadLetter)
		return dead
	}) {
		if !say("redrive at="+b.offset(t)) || !say("redrive at="+b.offset(t.Add(time.Millisecond))) {
			return
		}
	}
}

// Acts are what people and operators do, in the words of at lines.
var Acts = []string{"confirm", "cancel", "extend", "purge", "sweep", "deploy"}

// acts gives what is done at every instant at which something happens, and just after.
func (b *Base) acts(verb string) iter.Seq[script.Do] {
	return func(yield func(script.Do) bool) {
		if !slices.Contains(Acts, verb) {
			return
		}
		for _, at := range b.times(func(*trace.Event) bool { return true }) {
			for _, t := range []time.Time{at, at.Add(time.Millisecond)} {
				if t.After(b.End()) {
					return
				}
				for _, do := range b.doings(verb, t) {
					if !yield(do) {
						return
					}
				}
			}
		}
	}
}

// doings are what somebody can do by a verb at one time: on each hold, or to each node.
func (b *Base) doings(verb string, t time.Time) []script.Do {
	var all []script.Do
	switch verb {
	case "purge", "sweep":
		return []script.Do{{At: t, Verb: verb}}
	case "deploy":
		for _, n := range b.Nodes {
			all = append(all, script.Do{At: t, Verb: verb, Who: n.Name})
		}
		return all
	}
	for _, h := range b.heldBy(t) {
		all = append(all, script.Do{At: t, Verb: verb, Hold: h, To: b.later(h)})
	}
	return all
}

// later is an end for a hold that is later than any it has in the base.
func (b *Base) later(id reference.HoldID) time.Time {
	end := b.End()
	for _, h := range b.Holds {
		if h.ID == id && h.ExpiresAt.After(end) {
			end = h.ExpiresAt
		}
	}
	return end.Truncate(time.Second).Add(2 * time.Minute)
}
