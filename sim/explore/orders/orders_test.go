package orders_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore/orders"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/script"
)

func parse(t testing.TB, holds int, lines string) *script.Scenario {
	t.Helper()
	src := "# Small.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z workers=(w1, w2)\n" +
		"provider email latency=0s\nprovider sms latency=0s\nholds\n  id expires\n"
	for i := range holds {
		src += fmt.Sprintf("  h%d 12:04\n", i+1)
	}
	s, err := script.Parse("small.txt", []byte(src+"\n"+lines+"run until=12:05\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcomes are the different ends that runs came to: the tables, and how often each was accepted.
type outcomes map[string]int

func (o outcomes) say(r *trial.Trial) {
	var lines []string
	for _, h := range r.Run.Trace.Holds {
		lines = append(lines, fmt.Sprint(h.ID, h.State, h.ExpiresAt))
	}
	for _, row := range r.Run.Trace.Rows {
		lines = append(lines, fmt.Sprint(row.Reminder, row.Outcome, row.Doubt, row.SettledAt))
	}
	lines = append(lines, fmt.Sprint(r.Stats.Accepted, r.Stats.Sends, r.Stats.SendsAfterChange))
	o[strings.Join(lines, "\n")]++
}

// TestNothingIsLost: what is left out as known comes to no other end than what was run.
func TestNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		holds       int
		preemptions int
	}{
		{"two holds", "", 2, 0},
		{"confirmed", "at 12:01 confirm h1\n", 1, 1},
		{"extended and cancelled", "at 12:01 extend h1 to=12:06\nat 12:01 cancel h1\n", 1, 1},
		{"twice", "fault duplicate after=receive\nat 12:01 cancel h1\n", 1, 1},
		{"one worker is named", "fault stall w1 before=settle by=1m\n", 1, 0},
		{"one worker's receive", "fault stall w2 after=receive by=1m\n", 2, 0},
		{"one worker is down", "fault outage store from=12:01 until=12:02:30 nodes=(w2)\n", 1, 0},
		{"deploy", "at 12:01 deploy w1\n", 1, 1},
		{"clocks differ", "fault skew w2 by=+1m\n", 1, 0},
	} {
		s := parse(t, c.holds, c.lines)
		few, all := outcomes{}, outcomes{}
		pruned, err := orders.Search{Subject: trial.Reference(), Preemptions: c.preemptions, Say: few.say}.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := orders.Search{Subject: trial.Reference(), Preemptions: c.preemptions, Everything: true, Say: all.say}.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		got, want := slices.Sorted(maps.Keys(few)), slices.Sorted(maps.Keys(all))
		if !slices.Equal(got, want) || !pruned.Complete || !whole.Complete {
			t.Errorf("%s: %d different ends of %d orders, and %d of all %d", c.name, len(got), pruned.Runs, len(want), whole.Runs)
		}
		if len(pruned.Findings)+len(whole.Findings) > 0 {
			t.Errorf("%s: %v, %v", c.name, pruned.Findings, whole.Findings)
		}
		t.Logf("%s: %d orders in place of %d, %d ends", c.name, pruned.Runs, whole.Runs, len(want))
	}
}

// racy is a store that forgets one receipt if calls came close together in one order: all looks of
// all sweeps before any claim, and between a claim and its settlement all that another worker does.
type racy struct {
	sim.Store
	now   func() time.Time
	at    time.Time
	calls []string
}

const race = "due due due due due due claim h1/email claim h2/email settle h2/email claim h2/sms settle h2/sms settle h1/email"

// say notes a call, and says whether it ends the race.
func (r *racy) say(call string) bool {
	if r.now().Sub(r.at) > time.Second {
		r.calls = nil
	}
	r.at = r.now()
	r.calls = append(r.calls, call)
	return strings.Join(r.calls, " ") == race
}

func (r *racy) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	r.say("due")
	return r.Store.Due(ctx, q)
}

func (r *racy) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	r.say(fmt.Sprintf("claim %s/%s", q.Reminder.Hold, q.Reminder.Channel))
	return r.Store.Claim(ctx, q)
}

func (r *racy) Settle(ctx context.Context, s reference.Settlement) (reference.SettleAnswer, error) {
	if r.say(fmt.Sprintf("settle %s/%s", s.Reminder.Hold, s.Reminder.Channel)) {
		return reference.Recorded, nil
	}
	return r.Store.Settle(ctx, s)
}

type racyBackend struct{ sim.Memory }

func (b racyBackend) Open(now func() time.Time, visibility time.Duration, maxReceives int) (sim.Store, sim.Broker, error) {
	store, queue, err := b.Memory.Open(now, visibility, maxReceives)
	return &racy{Store: store, now: now}, queue, err
}

// TestPlantedRace: a race that a thousand seeds miss is found by going through the orders, and what is
// found can be told without forcing anybody.
func TestPlantedRace(t *testing.T) {
	u := trial.Subject{Backend: racyBackend{}}
	s := parse(t, 2, "at 12:01 sweep\nat 12:01 sweep\n")
	for seed := uint64(1); seed <= 1000; seed++ {
		other := *s
		other.Seed = seed
		r, err := u.Run(&other)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) > 0 {
			t.Fatalf("seed %d finds it: %s", seed, r.Violations[0].Sentence)
		}
	}
	r, err := orders.Search{Subject: u, Preemptions: 2, First: true}.Run(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) == 0 {
		t.Fatalf("not found in %d orders", r.Runs)
	}
	for _, f := range r.Findings {
		again, err := orders.Replay(u, s, f.Choices)
		if err != nil {
			t.Fatal(err)
		}
		if _, broke := again.Broke(f.Broken); !broke {
			t.Errorf("%s: the order %v doesn't break it again", f.Broken, f.Choices)
		}
	}
	t.Logf("found in order %d", r.Runs)
	free, err := orders.Reproduce(context.Background(), u, s, r.Findings[0])
	if err != nil {
		t.Fatal(err)
	}
	told, err := u.Run(free)
	if err != nil {
		t.Fatal(err)
	}
	if _, broke := told.Broke(r.Findings[0].Broken); !broke {
		t.Errorf("%s: what was to reproduce it doesn't", r.Findings[0].Broken)
	}
}

// TestChance: an order by chance is the same again, and another one by another seed.
func TestChance(t *testing.T) {
	s := parse(t, 2, "at 12:01 sweep\n")
	different := map[uint64]bool{}
	for seed := uint64(1); seed <= 20; seed++ {
		var hashes [2]uint64
		for i := range hashes {
			r, err := trial.Reference().RunWith(s, sim.Options{Order: orders.NewChance(seed, 60, 3)})
			if err != nil {
				t.Fatal(err)
			}
			hashes[i] = r.Run.Hash
		}
		if hashes[0] != hashes[1] {
			t.Fatalf("seed %d gives two orders", seed)
		}
		different[hashes[0]] = true
	}
	if len(different) < 10 {
		t.Errorf("20 seeds give %d orders", len(different))
	}
}

// TestNoted: an order by chance is made again by its choices alone.
func TestNoted(t *testing.T) {
	s := parse(t, 2, "at 12:01 sweep\nat 12:01 confirm h2\n")
	for seed := uint64(1); seed <= 20; seed++ {
		noted := &orders.Noted{Order: orders.NewChance(seed, 60, 3)}
		r, err := trial.Reference().RunWith(s, sim.Options{Order: noted})
		if err != nil {
			t.Fatal(err)
		}
		again, err := orders.Replay(trial.Reference(), s, noted.Choices)
		if err != nil {
			t.Fatal(err)
		}
		if again.Run.Hash != r.Run.Hash {
			t.Errorf("seed %d: the choices %v give another run", seed, noted.Choices)
		}
	}
}
