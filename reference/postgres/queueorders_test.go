package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// queueOperation is one call of a Queue at one time; handed is a message received before, whose
// visibility has ended.
type queueOperation struct {
	name string
	do   func(q *Queue, handed reference.Delivery) string
}

func queueOperations() []queueOperation {
	ctx := context.Background()
	publish := func(keys ...string) func(*Queue, reference.Delivery) string {
		return func(q *Queue, _ reference.Delivery) string {
			var entries []reference.Entry
			for _, key := range keys {
				entries = append(entries, reference.Entry{Key: key, Payload: []byte("x")})
			}
			results, err := q.Publish(ctx, entries)
			var fresh []bool
			for _, r := range results {
				fresh = append(fresh, !r.Duplicate)
			}
			return fmt.Sprint(fresh, err) // ids have gaps after a race
		}
	}
	receive := func(max int) func(*Queue, reference.Delivery) string {
		return func(q *Queue, _ reference.Delivery) string {
			got, err := q.Receive(ctx, max, 0)
			answer := ""
			for _, d := range got {
				answer += fmt.Sprintf("%s received %d times, ", d.MessageID, d.Receives)
			}
			return answer + fmt.Sprint(err)
		}
	}
	return []queueOperation{
		{"publish", publish("k2", "n1", "n2")},
		{"publish-some-of-the-same", publish("n2", "n3")},
		{"receive", receive(1)},
		{"receive-two", receive(2)},
		{"ack", func(q *Queue, d reference.Delivery) string { return fmt.Sprint(q.Ack(ctx, d)) }},
		{"nack", func(q *Queue, d reference.Delivery) string { return fmt.Sprint(q.Nack(ctx, d, time.Hour)) }},
		{"dead-letter", func(q *Queue, d reference.Delivery) string { return fmt.Sprint(q.DeadLetter(ctx, d, "why")) }},
		{"redrive", func(q *Queue, _ reference.Delivery) string { return fmt.Sprint(q.Redrive(ctx, []string{"1", "2"})) }},
	}
}

// queueOutcome is what two operations came to. Messages are named by their keys.
type queueOutcome struct {
	Answers [2]string
	Left    []string
}

// TestQueueOrders takes every pair of queue operations through every order of their steps, from a
// queue with a dead letter (1), a message that was handed over and is visible again (2), and one
// that was not (3). What comes of it is what comes of one after the other.
func TestQueueOrders(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	m := newMatch(t, db)
	clock := &hand{nudge}
	near := newWorld(db, clock)
	now := nudge.Add(2 * time.Minute)
	reset := func() {
		empty(t, db)
		clock.Time = nudge
		if err := errors.Join(receiveOne(near), near.queue.DeadLetter(ctx, near.handed, "before")); err != nil {
			t.Fatal(err)
		}
		got, err := near.queue.Receive(ctx, 1, 0)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		near.handed = got[0]
		clock.Time = now
	}
	for i, a := range queueOperations() {
		for _, b := range queueOperations()[i:] {
			pair := [2]queueOperation{a, b}
			var want [2]queueOutcome
			for first := range pair {
				reset()
				for _, i := range []int{first, 1 - first} {
					want[first].Answers[i] = pair[i].do(near.queue, near.handed)
				}
				want[first].Left = leftInQueue(t, db)
			}
			var calls [2]func(database) string
			for i, o := range pair {
				calls[i] = func(d database) string {
					q := NewQueue(db, near.queue.config, WithNow(func() time.Time { return now }))
					q.db = d
					return o.do(q, near.handed)
				}
			}
			m.allOrders(t, reset, calls, func(p played) {
				got := queueOutcome{p.answers, leftInQueue(t, db)}
				if !reflect.DeepEqual(got, want[0]) && !reflect.DeepEqual(got, want[1]) {
					t.Errorf("%s A, %s B, %s: neither A before B (-want +got)\n%s\nnor B before A (-want +got)\n%s",
						a.name, b.name, p.order, cmp.Diff(want[0], got), cmp.Diff(want[1], got))
				}
			})
		}
	}
}

func leftInQueue(t *testing.T, db *sql.DB) (left []string) {
	t.Helper()
	rows, err := db.Query(`
		select concat_ws(' ', 'message', message_key, case when message_id <= 3 then message_id end, visible_at, receives) from queue_messages
		union all
		select concat_ws(' ', 'dead', message_id, reason, receives) from queue_dead_letters
		order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		left = append(left, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return left
}

// TestPublishersAtOnce has several publishers store the same keys at once, each in an order of its
// own, which must not make them wait for each other in a circle. Each key is stored once, by one of
// them, and all agree on its id.
func TestPublishersAtOnce(t *testing.T) {
	db := migrated(t)
	const publishers, batches, size = 4, 6, 500
	for batch := range batches {
		var results [publishers]map[string]reference.Published
		var all sync.WaitGroup
		for n := range publishers {
			order := rand.New(rand.NewPCG(uint64(batch), uint64(n))).Perm(size)
			all.Go(func() {
				var err error
				q := NewQueue(db, QueueConfig{Visibility: time.Minute, MaxReceives: 3})
				if results[n], err = publishKeys(q, batch, order); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		for i := range size {
			key, fresh := fmt.Sprintf("k%d-%d", batch, i), 0
			for _, of := range results {
				if !of[key].Duplicate {
					fresh++
				}
				if of[key].MessageID != results[0][key].MessageID {
					t.Errorf("%s is both %s and %s", key, of[key].MessageID, results[0][key].MessageID)
				}
			}
			if fresh != 1 {
				t.Errorf("%s was stored %d times", key, fresh)
			}
		}
	}
}

func publishKeys(q *Queue, batch int, order []int) (map[string]reference.Published, error) {
	var entries []reference.Entry
	for _, i := range order {
		entries = append(entries, reference.Entry{Key: fmt.Sprintf("k%d-%d", batch, i), Payload: []byte("x")})
	}
	results, err := q.Publish(ctx, entries)
	byKey := map[string]reference.Published{}
	for i, r := range results {
		byKey[entries[i].Key] = r
	}
	return byKey, err
}

// TestReceiversAtOnce has several receivers empty a queue: each message is handed over once.
func TestReceiversAtOnce(t *testing.T) {
	db := migrated(t)
	q := NewQueue(db, QueueConfig{Visibility: time.Hour, MaxReceives: 3})
	const receivers, messages = 4, 200
	if _, err := q.Publish(t.Context(), slices.Repeat([]reference.Entry{{Payload: []byte("x")}}, messages)); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	handed := map[string]int{}
	var all sync.WaitGroup
	for range receivers {
		all.Go(func() {
			for {
				got, err := q.Receive(t.Context(), 3, 0)
				if err != nil {
					t.Error(err)
				}
				if len(got) == 0 {
					return
				}
				for _, d := range got {
					mu.Lock()
					handed[d.MessageID]++
					mu.Unlock()
					if err := q.Ack(t.Context(), d); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for id, n := range handed {
		if n != 1 {
			t.Errorf("%s was handed over %d times", id, n)
		}
	}
	if len(handed) != messages {
		t.Errorf("%d were handed over, want %d", len(handed), messages)
	}
}
