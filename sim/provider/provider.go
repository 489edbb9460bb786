// Package provider is who delivers on one channel, simulated. What it accepted is the ground truth,
// kept apart from what any caller saw.
package provider

import (
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// Provider accepts sends. One that honours reminder keys accepts each once for as long as it
// remembers them.
type Provider struct {
	Channel reference.Channel
	// Horizon is how long it remembers a reminder key from when it first accepted by it; zero if it
	// honours none.
	Horizon time.Duration
	// Latency is how long a reply takes.
	Latency time.Duration

	accepted []Acceptance
	of       map[reference.Reminder]int
	keys     map[string]receipt
	made     int
}

// Acceptance is how often one reminder was accepted.
type Acceptance struct {
	Reminder reference.Reminder
	Times    int
}

type receipt struct {
	ref string
	at  time.Time
}

// New makes a provider that has accepted nothing.
func New(channel reference.Channel, horizon, latency time.Duration) *Provider {
	return &Provider{Channel: channel, Horizon: horizon, Latency: latency, of: map[reference.Reminder]int{}, keys: map[string]receipt{}}
}

// Take is a call that has reached the provider: it accepts, or remembers that it has.
func (v *Provider) Take(r reference.Reminder, now time.Time) (ref string, repeat bool) {
	key := r.Key()
	if had, ok := v.keys[key]; ok && now.Before(had.at.Add(v.Horizon)) {
		return had.ref, true
	}
	v.made++
	ref = fmt.Sprintf("%s-%d", v.Channel, v.made)
	if v.Horizon > 0 {
		v.keys[key] = receipt{ref, now}
	}
	i, ok := v.of[r]
	if !ok {
		i = len(v.accepted)
		v.of[r] = i
		v.accepted = append(v.accepted, Acceptance{Reminder: r})
	}
	v.accepted[i].Times++
	return ref, false
}

// Accepted gives what was accepted, in the order of the first time.
func (v *Provider) Accepted() []Acceptance { return append([]Acceptance(nil), v.accepted...) }
