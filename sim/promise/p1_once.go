package promise

import "github.com/seathold/seathold/sim/trace"

// watchOnce keeps P1: the provider accepts at most one send per reminder. What it accepted is
// counted by its own log, whatever anybody saw of it.
func watchOnce(t *trial, m *moment) {
	if m.What != trace.Accepted || m.reminder == nil || m.NoEffect {
		return
	}
	t.stats.Accepted++
	if f := &m.reminder.facts; f.accepted != always {
		t.breach(acceptedTwice, m, "%s was accepted at %s, and again at %s; a provider accepts at most one send of a reminder",
			t.named(m.reminder), t.clock(f.accepted), t.clock(m.now))
	}
}
