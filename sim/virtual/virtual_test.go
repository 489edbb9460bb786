package virtual

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func never() bool { return false }

func TestOrder(t *testing.T) {
	s := NewSchedule(start, 100)
	var got []string
	say := func(word string) func() {
		return func() { got = append(got, fmt.Sprintf("%s at %s", word, s.Now().Sub(start))) }
	}
	s.AtTie(start.Add(time.Second), NewStream(1, "a", "tie"), "tied", say("tied"))
	s.At(start.Add(2*time.Second), say("later"))
	s.At(start.Add(time.Second), say("first"))
	s.At(start.Add(time.Second), say("second"))
	s.At(start.Add(-time.Hour), say("past"))
	s.At(start.Add(3*time.Second), say("not reached"))
	if err := s.Until(start.Add(2*time.Second), never); err != nil {
		t.Fatal(err)
	}
	want := []string{"past at 0s", "first at 1s", "second at 1s", "tied at 1s", "later at 2s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestTies shows that the seed decides what comes first at one instant, for every pair, and that a
// third party changes nothing about a pair.
func TestTies(t *testing.T) {
	order := func(seed uint64, names ...string) string {
		s := NewSchedule(start, 100)
		var got []string
		for _, name := range names {
			s.NewNode(name, "worker", seed).Spawn(func(p *Process) {
				p.SleepUntil(start.Add(time.Second))
				got = append(got, name)
			})
		}
		if err := s.Until(start.Add(time.Minute), never); err != nil {
			t.Fatal(err)
		}
		return strings.Join(got, "")
	}
	seen := map[string]int{}
	for seed := range uint64(200) {
		two, three := order(seed, "a", "b"), order(seed, "a", "b", "c")
		seen[two]++
		if strings.ReplaceAll(three, "c", "") != two {
			t.Errorf("seed %d: %s without c, and %s with it", seed, two, three)
		}
		if again := order(seed, "a", "b"); again != two {
			t.Errorf("seed %d: %s and then %s", seed, two, again)
		}
	}
	if seen["ab"] < 60 || seen["ba"] < 60 {
		t.Errorf("the seed hardly decides: %v", seen)
	}
}

func TestLimit(t *testing.T) {
	s := NewSchedule(start, 1000)
	s.NewNode("w1", "worker", 1).Spawn(func(p *Process) {
		for {
			p.SleepUntil(s.Now())
		}
	})
	if err := s.Until(start, never); err == nil || !strings.Contains(err.Error(), "more than 1000 things") {
		t.Errorf("a run that doesn't come to rest: error %v", err)
	}
}

func TestCrash(t *testing.T) {
	s := NewSchedule(start, 10_000)
	n := s.NewNode("w1", "worker", 1)
	var errs []error
	n.Fail = func(err error) { errs = append(errs, err) }
	var ended, reached bool
	n.Spawn(func(p *Process) {
		defer func() { ended = true }()
		ctx := n.Context()
		if err := (Waiter{p}).Wait(ctx, time.Hour); !errors.Is(err, context.Canceled) || !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("after a crash Wait gives %v, and the context %v", err, ctx.Err())
			reached = true
		}
	})
	n.Spawn(func(p *Process) {
		for { // a loop that doesn't end with its context
			_ = (Waiter{p}).Wait(n.Context(), time.Second)
		}
	})
	s.At(start.Add(time.Minute), n.Crash)
	if err := s.Until(start.Add(2*time.Minute), never); err != nil {
		t.Fatal(err)
	}
	if !ended || reached || n.Up() {
		t.Errorf("ended %t, went on %t, up %t; want true, false, false", ended, reached, n.Up())
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "w1 made 1000 port calls") {
		t.Errorf("a loop that doesn't end: told %v, want one error that names the node", errs)
	}
	n.Begin()
	if !n.Up() || n.Running() != 0 || n.Context().Err() != nil {
		t.Error("a new life is not a fresh one")
	}
}

func TestStall(t *testing.T) {
	s := NewSchedule(start, 100)
	n := s.NewNode("w1", "worker", 1)
	var woke time.Time
	var saw time.Duration
	n.Spawn(func(p *Process) {
		before := n.Clock().Now()
		p.SleepUntil(start.Add(time.Second))
		woke, saw = s.Now(), n.Clock().Since(before)
	})
	s.At(start.Add(500*time.Millisecond), func() { n.Stall(start.Add(time.Minute)) })
	if err := s.Until(start.Add(time.Hour), never); err != nil {
		t.Fatal(err)
	}
	if !woke.Equal(start.Add(time.Minute)) || saw != time.Minute {
		t.Errorf("woke at %s, having seen %s pass; want a minute each", woke, saw)
	}
}

func TestClock(t *testing.T) {
	s := NewSchedule(start, 100)
	n := s.NewNode("w1", "worker", 1)
	n.Skew = 10 * time.Minute
	c := n.Clock()
	outer, cancel := c.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	inner, cancelInner := c.WithTimeout(outer, time.Hour)
	until, cancelUntil := c.WithDeadline(context.Background(), c.Now().Add(90*time.Second))
	defer cancelUntil()
	if got := c.Now(); !got.Equal(start.Add(10 * time.Minute)) {
		t.Errorf("a clock 10 minutes fast says %s", got)
	}
	if got := DeadlineOf(inner); !got.Equal(start.Add(time.Minute)) {
		t.Errorf("a context outlasts the one it came from: until %s", got)
	}
	for _, step := range []struct {
		after                time.Duration
		outer, inner, untilE error
	}{
		{59 * time.Second, nil, nil, nil},
		{time.Minute, context.DeadlineExceeded, context.DeadlineExceeded, nil},
		{90 * time.Second, context.DeadlineExceeded, context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		if err := s.Until(start.Add(step.after), never); err != nil {
			t.Fatal(err)
		}
		if outer.Err() != step.outer || inner.Err() != step.inner || until.Err() != step.untilE {
			t.Errorf("after %s: %v, %v, %v", step.after, outer.Err(), inner.Err(), until.Err())
		}
	}
	cancelInner()
	fresh, cancelFresh := c.WithTimeout(context.Background(), time.Hour)
	cancelFresh()
	if fresh.Err() != context.Canceled {
		t.Errorf("a cancelled context says %v", fresh.Err())
	}
	for name, wait := range map[string]func(){
		"After": func() { c.After(1) }, "Sleep": func() { c.Sleep(1) }, "Tick": func() { c.Tick(1) },
		"Ticker": func() { c.Ticker(1) }, "Timer": func() { c.Timer(1) }, "AfterFunc": func() { c.AfterFunc(1, func() {}) },
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), name) {
					t.Errorf("%s: recovered %v, want a panic that names it", name, p)
				}
			}()
			wait()
		}()
	}
}

// TestSince: as in production, how long ago something was doesn't depend on what became of the wall
// clock since.
func TestSince(t *testing.T) {
	s := NewSchedule(start, 100)
	n := s.NewNode("w1", "worker", 1)
	c := n.Clock()
	var read []time.Time
	for i, skew := range []time.Duration{0, time.Hour, -time.Hour, 0, time.Hour} {
		s.At(start.Add(time.Duration(i)*time.Minute), func() {
			n.Skew = skew
			if now := c.Now(); now.Truncate(time.Microsecond).Sub(s.Now()) != skew {
				t.Errorf("now is %s at %s, want it off by %s", now, s.Now(), skew)
			}
			read = append(read, c.Now())
			for j, at := range read {
				if got, want := c.Since(at), time.Duration(i-j)*time.Minute; got != want || c.Until(at) != -want {
					t.Errorf("with a skew of %s: since reading %d it is %s, and until it %s; want %s", skew, j, got, c.Until(at), want)
				}
			}
		})
	}
	if err := s.Until(start.Add(time.Hour), never); err != nil {
		t.Fatal(err)
	}
	if len(read) != 5 {
		t.Errorf("%d readings, want 5", len(read))
	}
}
