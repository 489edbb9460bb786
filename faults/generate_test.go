package faults

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// some are values for each key of a line, good and bad together.
var some = map[string][]string{
	"on": {"h1", "p500", "a-b.c_d"}, "channel": {"email", "sms"}, "nth": {"1", "3", "2..4", "all"},
	"at": instants, "from": instants, "until": instants,
	"by": {"1s", "20ms", "1h30m", "3d", "-10m", "+10m", "1.5s"}, "per-item": {"1s", "250us"},
	"status": {"400", "425", "429", "500", "503"}, "retry-after": {"none", "1s", "8760h"},
	"restart": {"never", "5s"}, "nodes": {"w1", "(w1, w2)", "(w1,sweep)", "(sweep#3)"},
}

var instants = []string{"12:00", "12:00:01", "12:00:01.250", "+90s", "+0s", "+3h", "2026-03-02T12:00:00Z", "2026-03-02T14:00:00.000001+02:00"}

// generator makes lines at random that are likely to be right.
type generator struct{ *rand.Rand }

func (g generator) one(from []string) string { return from[g.IntN(len(from))] }

// line is of kind k: what it needs, one of what it needs one of, and some of what it takes.
func (g generator) line(k kind) string {
	words := []string{g.one([]string{"", "maybe"}), string(k.name)}
	if len(k.who) > 0 && g.IntN(4) > 0 {
		words = append(words, strings.ReplaceAll(g.one(k.who), anyNode, g.one([]string{"w1", "sweep#7"})))
	}
	slots := slices.Clone(k.needs)
	for _, set := range k.oneOf {
		slots = append(slots, g.one(set))
	}
	for _, slot := range k.takes {
		if g.IntN(3) == 0 {
			slots = append(slots, slot)
		}
	}
	g.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	for _, slot := range slots {
		if slot == aCall {
			phase := k.phases[g.IntN(len(k.phases))]
			words = append(words, string(phase)+"="+g.one(shorts(k.points)))
		} else {
			words = append(words, slot+"="+g.one(some[slot]))
		}
	}
	return strings.Join(words, " ")
}

// TestRoundTrip makes many faults of each kind; each comes back from what it prints.
func TestRoundTrip(t *testing.T) {
	const seed, tries, often = 1, 2_000, 60
	g := generator{rand.New(rand.NewPCG(seed, seed))}
	for _, k := range kinds {
		made := 0
		for range tries {
			line := g.line(k)
			f, err := ParseLine(line)
			if err != nil {
				continue
			}
			made++
			if again, err := ParseLine(f.String()); err != nil || !reflect.DeepEqual(again, f) {
				t.Errorf("%s prints as %s, which gives %s, %v", line, f, again, err)
			}
		}
		if made < often {
			t.Errorf("%s: seed %d made %d in %d tries, and fewer than %d are too few to trust", k.name, seed, made, tries, often)
		}
	}
}
