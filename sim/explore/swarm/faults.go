package swarm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
)

// faultsMax is how many faults a seed makes up at most.
const faultsMax = 7

const triesMax = 100 // for a line that can strike

// faults are of some kinds only; each is drawn by itself.
func (m *maker) faults() {
	d := m.draw("faults", "kinds")
	kinds := some(d, faults.Kinds())
	n := pick(d, 0, 1, 1, 2, 3, 4, faultsMax)
	if len(kinds) == 0 {
		return
	}
	for i := range n {
		f := m.draw(fmt.Sprintf("fault %d", i), "fault")
		k := pick(f, kinds...)
		for range triesMax {
			line := m.fault(f, k)
			if parsed, err := faults.ParseLine(line); err == nil && !m.nonsense(parsed) {
				m.line("fault %s", line)
				break
			}
		}
	}
}

// nonsense is what the scenario refuses though the fault by itself is one; and a second slowness of
// sends, for the two together may have a send arrive when its key is forgotten: see more.
func (m *maker) nonsense(f faults.Fault) bool {
	slow := f.Kind == faults.Slow && f.Point == faults.ProviderSend
	if slow && m.slowSends || f.Kind == faults.ReExecute && f.Point.Port() == "queue" && m.profile != "table" {
		return true
	}
	m.slowSends = m.slowSends || slow
	return false
}

// fault draws the words of a line. Many a line is none, and then is drawn again.
func (m *maker) fault(d draw, k faults.Kind) string {
	w := []string{"maybe", string(k)}
	add := func(n, of int64, words ...string) {
		if d.in(n, of) {
			w = append(w, pick(d, words...))
		}
	}
	add(1, 2, append([]string{"worker", "sweep", "store", "queue", "provider", "learner"}, m.workers...)...)
	if k == faults.Lock || d.in(1, 3) {
		w = append(w, "on="+pick(d, m.seats...).name)
	}
	switch shape := d.between(0, 3); {
	case k == faults.Double || k == faults.Retry || k == faults.Redrive || shape == 0 && (k == faults.Crash || k == faults.Stall):
		w = append(w, "at="+m.at(d.seconds(time.Second, m.end)))
	case k == faults.Lock || k == faults.Pause || k == faults.Outage || k == faults.Skew || shape == 1:
		from := d.seconds(time.Second, m.end)
		w = append(w, "from="+m.at(from), "until="+m.at(from+m.length(d)))
	}
	if calls := k.Calls(); len(calls) > 0 && !strings.Contains(strings.Join(w, " "), "at=") {
		w = append(w, pick(d, calls...).String())
	}
	add(1, 4, "channel="+string(pick(d, reference.Channels...)))
	add(1, 3, "nth=1", "nth=2", "nth=3", "nth=1..3", "nth=all", "nth=4..9")
	if all := slices.Index(w, "nth=all"); all > 0 && !strings.Contains(strings.Join(w, " "), "until=") {
		w[all] = "nth=1..9" // what strikes for ever is no fault but another world
	}
	w = append(w, m.more(d, k)...)
	return strings.Join(w, " ")
}

// length is how long something lasts.
func (m *maker) length(d draw) time.Duration {
	return pick(d, time.Second, 7*time.Second, 20*time.Second, time.Minute, 3*time.Minute, m.policy.Backstop+time.Minute)
}

// more are the words that only some kinds have.
func (m *maker) more(d draw, k faults.Kind) []string {
	p := m.policy
	long := pick(d, time.Millisecond, time.Second, p.StoreTimeout, p.SendTimeout, p.Lease, p.Visibility, p.Visibility+time.Second, p.Lead, p.Lead+time.Minute)
	if k == faults.Slow { // a send that arrives when its key is forgotten is accepted again: no retake can be that late
		long = min(long, 9*p.SendTimeout)
	}
	switch k {
	case faults.Stall, faults.Slow, faults.Delay, faults.Retry:
		if k == faults.Slow && d.in(1, 4) {
			return []string{"per-item=" + dur(long)}
		}
		return []string{"by=" + dur(long)}
	case faults.Duplicate:
		return pick(d, nil, nil, []string{"by=" + dur(long)})
	case faults.Skew:
		return []string{"by=" + pick(d, "+", "-") + dur(long)}
	case faults.Throttle:
		return []string{"retry-after=" + pick(d, "none", "1s", "20s", "1m", "10m", "48h")}
	case faults.Crash:
		return pick(d, nil, nil, []string{"restart=" + pick(d, "1s", "30s", "3m", "never")})
	case faults.Error:
		return pick(d, nil, []string{"status=503"})
	}
	return nil
}
