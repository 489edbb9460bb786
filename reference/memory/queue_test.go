package memory_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// waiter turns the hand on, does something then, and writes down how long it was asked to wait.
type waiter struct {
	clock *hand
	then  func()
	waits []time.Duration
}

func (w *waiter) Wait(ctx context.Context, d time.Duration) error {
	w.waits = append(w.waits, d)
	w.clock.Time = w.clock.Add(d)
	if w.then != nil {
		w.then()
	}
	return ctx.Err()
}

func TestReceiveWaits(t *testing.T) {
	const poll = 2 * time.Second
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name  string
		delay time.Duration
		wait  time.Duration
		then  func(q *memory.Queue)
		want  []time.Duration
		got   int
		err   error
	}{
		{"not-when-a-message-is-there", 0, 5 * time.Second, nil, nil, 1, nil},
		{"not-when-not-asked-to", time.Hour, 0, nil, nil, 0, nil},
		{"to-the-end-in-polls", time.Hour, 5 * time.Second, nil, []time.Duration{poll, poll, time.Second}, 0, nil},
		{"until-a-message-is-visible", 3 * time.Second, 5 * time.Second, nil, []time.Duration{poll, time.Second}, 1, nil},
		{"until-one-is-published", time.Hour, 5 * time.Second, func(q *memory.Queue) {
			_, _ = q.Publish(context.Background(), []reference.Entry{{Payload: []byte("y")}})
		}, []time.Duration{poll}, 1, nil},
		{"until-its-context-ends", time.Hour, 5 * time.Second, func(*memory.Queue) { cancel() }, []time.Duration{poll}, 0, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &hand{start}
			w := &waiter{clock: clock}
			q := memory.NewQueue(clock.now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 3, Waiter: w, Poll: poll})
			if _, err := q.Publish(ctx, []reference.Entry{{Payload: []byte("x"), Delay: c.delay}}); err != nil {
				t.Fatal(err)
			}
			if c.then != nil {
				w.then = func() { c.then(q) }
			}
			got, err := q.Receive(ctx, 1, c.wait)
			if len(got) != c.got || !errors.Is(err, c.err) {
				t.Errorf("received %d messages and %v, want %d and %v", len(got), err, c.got, c.err)
			}
			if d := cmp.Diff(c.want, w.waits); d != "" {
				t.Errorf("waits (-want +got):\n%s", d)
			}
		})
	}
}

// TestQueueCounts follows messages through all the states there are.
func TestQueueCounts(t *testing.T) {
	ctx, clock := context.Background(), &hand{start}
	q := memory.NewQueue(clock.now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 1})
	wants := func(when string, want memory.QueueStats, next time.Duration) {
		t.Helper()
		if d := cmp.Diff(want, q.Stats()); d != "" {
			t.Errorf("%s: stats (-want +got):\n%s", when, d)
		}
		at, ok := q.NextVisible()
		if ok != (next >= 0) || ok && !at.Equal(start.Add(next)) {
			t.Errorf("%s: next visible is %v, %t, want %s after the start", when, at, ok, next)
		}
	}
	wants("empty", memory.QueueStats{}, -1)
	got, _ := q.Publish(ctx, []reference.Entry{{Key: "k"}, {}, {Delay: time.Hour}})
	if d := cmp.Diff([]reference.Published{{MessageID: "1"}, {MessageID: "2"}, {MessageID: "3"}}, got); d != "" {
		t.Fatalf("published (-want +got):\n%s", d)
	}
	wants("published", memory.QueueStats{Ready: 2, Delayed: 1}, 0)
	clock.Time = start.Add(time.Second)
	if _, err := q.Receive(ctx, 1, 0); err != nil {
		t.Fatal(err)
	}
	wants("received", memory.QueueStats{Ready: 1, Hidden: 1, Delayed: 1, Oldest: time.Second}, 0)
	clock.Time = start.Add(2 * time.Minute)
	if _, err := q.Receive(ctx, 2, 0); err != nil {
		t.Fatal(err)
	}
	wants("set aside", memory.QueueStats{Hidden: 1, Delayed: 1, Dead: 1, Oldest: 2 * time.Minute}, 3*time.Minute)
	if n := q.Purge(); n != 2 {
		t.Errorf("purged %d messages, want 2", n)
	}
	wants("purged", memory.QueueStats{Dead: 1}, -1)
	if n, err := q.Redrive(ctx, []string{"1", "1", "2"}); n != 1 || err != nil {
		t.Errorf("redrove %d and %v, want 1", n, err)
	}
	wants("redriven", memory.QueueStats{Ready: 1, Oldest: 2 * time.Minute}, 2*time.Minute)
	if got, _ := q.Publish(ctx, []reference.Entry{{Key: "k"}}); got[0].MessageID != "4" || got[0].Duplicate {
		t.Errorf("published as %+v, want message 4", got[0])
	}
}

// TestReceiptsNeverRepeat hands one message over, and redrives it, many times.
func TestReceiptsNeverRepeat(t *testing.T) {
	ctx, clock := context.Background(), &hand{start}
	q := memory.NewQueue(clock.now, memory.QueueConfig{Visibility: time.Second, MaxReceives: 2})
	if _, err := q.Publish(ctx, []reference.Entry{{Payload: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 100 {
		got, err := q.Receive(ctx, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range got {
			if seen[d.Receipt] {
				t.Fatalf("receipt %s came twice", d.Receipt)
			}
			seen[d.Receipt] = true
		}
		clock.Time = clock.Add(time.Second)
		if _, err := q.Redrive(ctx, []string{"1"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 67 {
		t.Errorf("%d hand-overs, want 67 of 100 receives, the others having set the message aside", len(seen))
	}
}

func TestListAfterNoDeadLetter(t *testing.T) {
	q := memory.NewQueue((&hand{start}).now, memory.QueueConfig{Visibility: time.Second, MaxReceives: 1})
	if _, err := q.List(context.Background(), "7", 1); !errors.Is(err, reference.ErrInvalid) {
		t.Errorf("error is %v, want one that wraps %q", err, reference.ErrInvalid)
	}
}

// TestQueueAtOnce publishes and consumes from several goroutines; every message is handed over once.
func TestQueueAtOnce(t *testing.T) {
	const workers, each = 8, 200
	q := memory.NewQueue((&hand{start}).now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 3})
	ended := make(chan error)
	got := make(chan string, workers*each)
	for w := range workers {
		go func() {
			for i := range each {
				if _, err := q.Publish(context.Background(), []reference.Entry{{Key: fmt.Sprint(w, i)}}); err != nil {
					ended <- err
					return
				}
				deliveries, err := q.Receive(context.Background(), 1, 0)
				for _, d := range deliveries {
					got <- d.MessageID
					err = errors.Join(err, q.Ack(context.Background(), d))
				}
				if err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	for range workers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	close(got)
	seen := map[string]bool{}
	for id := range got {
		seen[id] = true
	}
	if len(seen) != workers*each || q.Stats() != (memory.QueueStats{}) {
		t.Errorf("%d messages came, want %d, and left are %+v", len(seen), workers*each, q.Stats())
	}
}
