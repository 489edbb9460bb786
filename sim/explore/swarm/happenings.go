package swarm

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// happening is an at line.
type happening struct {
	at   time.Duration
	text string
}

// happenings are what people and operators do.
func (m *maker) happenings() {
	var all []happening
	for i := range m.seats {
		all = append(all, m.person(&m.seats[i])...)
	}
	all = append(all, m.operators()...)
	all = slices.DeleteFunc(all, func(h happening) bool { return h.at < 0 || h.at > m.end })
	slices.SortStableFunc(all, func(a, b happening) int { return cmp.Compare(a.at, b.at) })
	for _, h := range all {
		m.line("at %s %s", m.at(h.at), h.text)
	}
}

// person does something to a hold, most often near a time that matters.
func (m *maker) person(s *seat) []happening {
	d := m.draw("hold "+s.name, "person")
	var all []happening
	for range pick(d, 0, 0, 0, 1, 1, 2) {
		at := m.edge(d, s)
		if at < s.created {
			at = s.created + time.Second
		}
		switch d.between(0, 3) {
		case 0, 1:
			all = append(all, happening{at, pick(d, "confirm ", "cancel ") + s.name})
		default:
			to := max(s.expires, at.Truncate(time.Second)) + d.seconds(time.Second, m.policy.Lead+2*time.Minute)
			s.extended = to
			all = append(all, happening{at, fmt.Sprintf("extend %s to=%s", s.name, m.at(to.Truncate(time.Second)))})
			m.end = max(m.end, to+m.policy.every)
		}
	}
	return all
}

// edge is a time at which something about the hold changes, or just beside it, or any time.
func (m *maker) edge(d draw, s *seat) time.Duration {
	if d.in(1, 3) {
		return d.seconds(0, m.end)
	}
	at := pick(d, s.expires-m.policy.Lead, s.expires-m.policy.Cutoff, s.expires, s.expires)
	if d.in(1, 2) { // the sweep that finds it
		at = (at + m.policy.every - 1) / m.policy.every * m.policy.every
	}
	return at + pick(d, 0, 0, time.Microsecond, -time.Microsecond, time.Millisecond, 100*time.Millisecond, 300*time.Millisecond, time.Second, -time.Second)
}

// operators do each kind of thing in some worlds only.
func (m *maker) operators() []happening {
	d := m.draw("operator", "kinds")
	var all []happening
	for _, verb := range []string{"redrive", "redrive", "sweep", "purge", "deploy", "pause", "publish"} {
		if !d.in(1, 5) {
			continue
		}
		at := d.seconds(time.Second, m.end)
		switch verb {
		case "deploy":
			for i, w := range m.workers {
				all = append(all, happening{at + time.Duration(i)*pick(d, 0, 5*time.Second), "deploy " + w})
			}
		case "publish":
			all = append(all, happening{at, "publish " + m.stray(d)})
		case "pause":
			all = append(all, happening{at, "pause cron"}, happening{at + d.seconds(time.Second, 5*time.Minute), "resume cron"})
		default:
			all = append(all, happening{at, verb})
		}
	}
	return all
}

// stray is a message that no sweep has sent, about a window that is, was or will be.
func (m *maker) stray(d draw) string {
	s := pick(d, m.seats...)
	words := pick(d, "remind ", "remind ", "expire ") + s.name
	if s.extended > 0 && d.in(1, 2) {
		words += " window=" + m.moment(s.extended.Truncate(time.Second))
	}
	return words
}
