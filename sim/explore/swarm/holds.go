package swarm

import (
	"fmt"
	"slices"
	"time"
)

// holdsMax is how many holds a seed makes up at most.
const holdsMax = 8

func (m *maker) holds() {
	m.line("holds")
	m.line("  id created expires zone state channels")
	n := m.draw("holds", "count").between(1, holdsMax)
	crowd := m.draw("holds", "crowd").in(1, 3) // all at once
	for i := range n {
		name := fmt.Sprintf("h%d", i+1)
		d := m.draw("hold "+name, "hold")
		s := seat{name: name, state: "held", channels: "email,sms"}
		switch {
		case crowd:
			s.expires = m.policy.Lead + 2*m.policy.every
		case d.in(1, 10):
			s.expires = -d.seconds(0, 5*time.Minute) // over since before the start
		default:
			s.expires = d.seconds(0, m.policy.Lead+6*time.Minute)
		}
		switch {
		case d.in(1, 8) && s.expires > 0:
			s.created = min(d.seconds(time.Second, 2*time.Minute), s.expires)
		case d.in(1, 12):
			s.state = pick(d, "confirmed", "cancelled", "expired")
		}
		if d.in(1, 5) {
			s.channels = pick(d, "email", "sms")
		}
		created := "-"
		if s.created > 0 {
			created = m.at(s.created)
		}
		m.line("  %s %s %s %s %s %s", name, created, m.moment(s.expires), pick(d, "UTC", "America/New_York", "Asia/Kolkata", "!Mars/Base"), s.state, s.channels)
		m.seats = append(m.seats, s)
		m.end = max(m.end, s.expires)
	}
	m.end += m.draw("run", "length").seconds(m.policy.every, 2*m.policy.Lead)
}

// moment writes a time of a hold, which may lie before the start.
func (m *maker) moment(d time.Duration) string {
	if d >= 0 {
		return m.at(d)
	}
	return m.start().Add(d).Format(time.RFC3339)
}

func (m *maker) start() time.Time {
	d := m.draw("world", "world")
	t, err := time.Parse(time.RFC3339, pick(skipWorkers(d), "2026-03-02T12:00:00Z", "2026-03-08T06:55:00Z", "2026-10-25T00:50:00Z", "2026-12-31T23:50:00Z"))
	if err != nil {
		panic(err) // the text is our own
	}
	return t
}

// skipWorkers draws what world draws before the start.
func skipWorkers(d draw) draw {
	d.between(1, 3)
	return d
}

// reminders are there at the start in some worlds: what a process left that is no more.
func (m *maker) reminders() {
	if !m.draw("reminders", "any").in(1, 4) {
		return
	}
	var rows []string
	for _, s := range m.seats {
		d := m.draw("hold "+s.name, "reminders")
		if s.created > 0 || s.channels != "email,sms" || !d.in(1, 3) {
			continue
		}
		due := min(s.expires-m.policy.Lead, 0) // nothing is claimed before
		for _, c := range []string{"email", "sms"} {
			if row := m.reminder(d, s, c, due); row != "" {
				rows = append(rows, row)
			}
		}
	}
	if len(rows) > 0 {
		m.line("reminders")
		m.line("  hold channel outcome doubt claimed lease not-before token")
		for _, r := range slices.All(rows) {
			m.line("  %s", r)
		}
	}
}

func (m *maker) reminder(d draw, s seat, channel string, due time.Duration) string {
	claimed := max(due, -d.seconds(time.Second, time.Minute))
	if s.expires-m.policy.Lead > claimed {
		return "" // not due yet
	}
	switch d.between(0, 4) {
	case 0:
		return fmt.Sprintf("%s %s sent - %s - - -", s.name, channel, m.moment(claimed))
	case 1: // lapsed, or about to
		return fmt.Sprintf("%s %s open %s %s %s - before-%s-%s", s.name, channel, pick(d, "-", "-", "lapsed"), m.moment(claimed), m.moment(claimed+m.policy.Lease), s.name, channel)
	case 2: // given back
		return fmt.Sprintf("%s %s open - %s - %s -", s.name, channel, m.moment(claimed), m.moment(claimed+d.seconds(time.Second, time.Minute)))
	case 3: // given back in doubt
		return fmt.Sprintf("%s %s open timeout %s - - -", s.name, channel, m.moment(claimed))
	}
	return ""
}
