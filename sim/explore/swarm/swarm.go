// Package swarm makes up whole scenarios, each from a seed: the world, holds and their people, the
// times after which something forgets, and what goes wrong. Every seed leaves whole kinds of trouble
// out, so that what is left is met more often and undisturbed (swarm testing: Groce et al., 2012).
//
// Each entity draws from a stream of its own, so that one more of something changes nothing about the
// rest. What is made up is a scenario file like any other.
package swarm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/virtual"
)

// Profiles are the brokers that worlds are made with; seeds take turns.
var Profiles = []string{"standard", "fifo", "table"}

// Scenario makes up the scenario of a seed. Profile is the broker's, or empty for the seed's own.
func Scenario(seed uint64, profile string) (*script.Scenario, error) {
	src := Text(seed, profile)
	s, err := script.Parse(fmt.Sprintf("seed-%d.txt", seed), []byte(src))
	if err != nil {
		return nil, fmt.Errorf("seed %d made up a scenario that is none: %w\n%s", seed, err, src)
	}
	return s, nil
}

// Text is the file.
func Text(seed uint64, profile string) string {
	if profile == "" {
		profile = Profiles[seed%uint64(len(Profiles))]
	}
	m := &maker{seed: seed, profile: profile}
	m.line("# Seed %d, as a search made it up.", seed)
	m.line("#\n# Source: by chance\n# At stake: P1, P2, P3, P4, P5, P6, P7, P8.\n")
	m.world()
	m.holds()
	m.reminders()
	m.line("")
	m.faults()
	m.happenings()
	m.line("\nrun until=%s", m.at(m.end))
	return m.b.String()
}

type maker struct {
	seed    uint64
	profile string
	b       strings.Builder
	policy  policy
	workers []string
	seats   []seat
	end     time.Duration // from the start
	// slowSends says that there is a fault that makes sends slow.
	slowSends bool
}

// seat is a hold that was made up; times are from the start.
type seat struct {
	name             string
	created, expires time.Duration
	extended         time.Duration // zero is not
	state, channels  string
}

func (m *maker) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// at writes a time from the start.
func (m *maker) at(d time.Duration) string {
	return "+" + faults.FormatDuration(d)
}

// draw is one entity's chance.
type draw struct{ *virtual.Stream }

func (m *maker) draw(entity, purpose string) draw {
	return draw{virtual.NewStream(m.seed, entity, purpose)}
}

// in is true in n of of cases.
func (d draw) in(n, of int64) bool { return d.Below(of) < n }

// between gives a number from low to high.
func (d draw) between(low, high int) int { return low + int(d.Below(int64(high-low+1))) }

// seconds gives a time in whole seconds.
func (d draw) seconds(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Below(int64((high-low)/time.Second)+1))*time.Second
}

// pick gives one of all.
func pick[T any](d draw, all ...T) T { return all[d.Below(int64(len(all)))] }

// some gives each of all with a chance of a half, in order.
func some[T any](d draw, all []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(T) bool { return d.in(1, 2) })
}
