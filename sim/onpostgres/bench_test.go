package onpostgres

import (
	"context"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/script"
)

const twelve = `# Twelve holds, and an hour.
# Source: by design
# At stake: P2.

queue   profile=table
fixture twelve

run for=1h
`

// BenchmarkTwelveHoldHour runs a scenario whole, and says how many times as long that takes as its
// statements do by themselves.
func BenchmarkTwelveHoldHour(b *testing.B) {
	s, err := script.Parse("bench.txt", []byte(twelve))
	if err != nil {
		b.Fatal(err)
	}
	real, err := Start(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := real.Close(); err != nil {
			b.Error(err)
		}
	})
	t := &timed{Backend: real}
	if _, err := sim.Run(s, t); err != nil { // prepares the statements
		b.Fatal(err)
	}
	t.spent, t.calls = 0, 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sim.Run(s, t); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(t.calls)/float64(b.N), "calls/run")
	b.ReportMetric(float64(b.Elapsed())/float64(t.spent), "x-statements")
}

// timed sums up the time that calls of the real store and queue take.
type timed struct {
	*Backend
	spent time.Duration
	calls int
}

func (t *timed) since(began time.Time) {
	t.spent += time.Since(began)
	t.calls++
}

func (t *timed) Open(now func() time.Time, visibility time.Duration, maxReceives int) (sim.Store, sim.Broker, error) {
	defer t.since(time.Now())
	s, q, err := t.Backend.Open(now, visibility, maxReceives)
	return timedStore{s, t}, timedQueue{q, t}, err
}

type timedStore struct {
	sim.Store
	t *timed
}

func (s timedStore) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	defer s.t.since(time.Now())
	return s.Store.Due(ctx, q)
}

func (s timedStore) ExpireOverdue(ctx context.Context, age time.Duration, limit int) ([]reference.Window, error) {
	defer s.t.since(time.Now())
	return s.Store.ExpireOverdue(ctx, age, limit)
}

func (s timedStore) RecordSweep(ctx context.Context, r reference.Report) error {
	defer s.t.since(time.Now())
	return s.Store.RecordSweep(ctx, r)
}

func (s timedStore) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	defer s.t.since(time.Now())
	return s.Store.Claim(ctx, q)
}

func (s timedStore) Settle(ctx context.Context, m reference.Settlement) (reference.SettleAnswer, error) {
	defer s.t.since(time.Now())
	return s.Store.Settle(ctx, m)
}

func (s timedStore) Expire(ctx context.Context, w reference.Window, id string) (reference.Expiry, time.Duration, error) {
	defer s.t.since(time.Now())
	return s.Store.Expire(ctx, w, id)
}

func (s timedStore) Load(holds []reference.Hold, rows []reference.Row) error {
	defer s.t.since(time.Now())
	return s.Store.Load(holds, rows)
}

func (s timedStore) Snapshot() ([]reference.Hold, []reference.Row, error) {
	defer s.t.since(time.Now())
	return s.Store.Snapshot()
}

type timedQueue struct {
	sim.Broker
	t *timed
}

func (q timedQueue) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	defer q.t.since(time.Now())
	return q.Broker.Publish(ctx, entries)
}

func (q timedQueue) Receive(ctx context.Context, limit int, wait time.Duration) ([]reference.Delivery, error) {
	defer q.t.since(time.Now())
	return q.Broker.Receive(ctx, limit, wait)
}

func (q timedQueue) Ack(ctx context.Context, d reference.Delivery) error {
	defer q.t.since(time.Now())
	return q.Broker.Ack(ctx, d)
}

func (q timedQueue) NextVisible() (time.Time, bool) {
	defer q.t.since(time.Now())
	return q.Broker.NextVisible()
}
