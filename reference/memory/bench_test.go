package memory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// many are n holds, created over 48 hours.
func many(n int) []reference.Hold {
	holds := make([]reference.Hold, n)
	for i := range holds {
		ends := start.Add(48 * time.Hour / time.Duration(n) * time.Duration(i)).Truncate(time.Second)
		holds[i] = hold(reference.HoldID(fmt.Sprintf("h%06d", i)), ends)
	}
	return holds
}

func loaded(b *testing.B, clock *hand, holds []reference.Hold) *memory.Store {
	b.Helper()
	s := memory.NewStore(clock.now)
	if err := s.Load(holds, nil); err != nil {
		b.Fatal(err)
	}
	return s
}

// BenchmarkDue reads a page of 500 of 100,000 holds, of which 50,000 are over.
func BenchmarkDue(b *testing.B) {
	s := loaded(b, &hand{start.Add(24 * time.Hour)}, many(100_000))
	q := reference.DueQuery{Kind: reference.Expire, Limit: 500}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q.After = reference.Window{ExpiresAt: start.Add(time.Duration(i%20) * time.Hour)}
		if found, err := s.Due(context.Background(), q); len(found) != 500 || err != nil {
			b.Fatalf("%d found, %v", len(found), err)
		}
	}
}

// BenchmarkDueNothing asks what is due to remind of where 100,000 holds are far off.
func BenchmarkDueNothing(b *testing.B) {
	s := loaded(b, &hand{start.Add(-24 * time.Hour)}, many(100_000))
	q := reference.DueQuery{Kind: reference.Remind, Lead: 3 * time.Minute, Cutoff: 30 * time.Second, Limit: 500}
	b.ReportAllocs()
	for b.Loop() {
		if found, err := s.Due(context.Background(), q); len(found) != 0 || err != nil {
			b.Fatalf("%d found, %v", len(found), err)
		}
	}
}

// BenchmarkCreate fills an empty store; what it prints per operation is per hold.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		holds := many(n)
		for _, order := range []string{"in-order", "random"} {
			b.Run(fmt.Sprintf("%s-%d", order, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s := memory.NewStore((&hand{start}).now)
					for _, h := range holds {
						if err := s.Create(context.Background(), h); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/hold")
			})
			rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { holds[i], holds[j] = holds[j], holds[i] })
		}
	}
}

// BenchmarkClaim claims, settles and claims again, one reminder after the other of 100,000 holds.
func BenchmarkClaim(b *testing.B) {
	holds, clock, p := many(100_000), &hand{start}, reference.DefaultPolicy()
	s := loaded(b, clock, holds)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i == len(holds) {
			b.StopTimer()
			s, i = loaded(b, clock, holds), 0
			b.StartTimer()
		}
		clock.Time = holds[i].ExpiresAt.Add(-time.Minute)
		r := reference.Reminder{Window: holds[i].Window(), Channel: reference.Email}
		q := reference.ClaimRequest{Reminder: r, Token: "t", Lead: p.Lead, Cutoff: p.Cutoff, Lease: p.Lease, Order: p.Order}
		if c, err := s.Claim(context.Background(), q); c.Answer != reference.Granted || err != nil {
			b.Fatal(c, err)
		}
		o := reference.Settlement{Reminder: r, Token: "t", Outcome: reference.Outcome{Verdict: reference.Sent}}
		if a, err := s.Settle(context.Background(), o); a != reference.Recorded || err != nil {
			b.Fatal(a, err)
		}
		if c, err := s.Claim(context.Background(), q); c.Answer != reference.Settled || err != nil {
			b.Fatal(c, err)
		}
	}
}

// BenchmarkTwelve makes a store, twelve holds, and expires them.
func BenchmarkTwelve(b *testing.B) {
	holds := many(12)
	b.ReportAllocs()
	for b.Loop() {
		s := memory.NewStore((&hand{start.Add(72 * time.Hour)}).now)
		if err := s.Load(holds, nil); err != nil {
			b.Fatal(err)
		}
		if windows, err := s.ExpireOverdue(context.Background(), time.Hour, 20); len(windows) != 12 || err != nil {
			b.Fatal(windows, err)
		}
	}
}

// BenchmarkQueue publishes, receives and acknowledges one message, among others that are hidden.
func BenchmarkQueue(b *testing.B) {
	for _, others := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("among-%d", others), func(b *testing.B) {
			ctx, clock := context.Background(), &hand{start}
			q := memory.NewQueue(clock.now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 10})
			for i := range others {
				if _, err := q.Publish(ctx, []reference.Entry{{Delay: time.Hour + time.Duration(i)*time.Millisecond}}); err != nil {
					b.Fatal(err)
				}
			}
			entries := []reference.Entry{{Key: "k", Payload: make([]byte, 200)}}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := q.Publish(ctx, entries); err != nil {
					b.Fatal(err)
				}
				got, err := q.Receive(ctx, 1, 0)
				if len(got) != 1 || err != nil {
					b.Fatal(got, err)
				}
				if err := q.Ack(ctx, got[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
