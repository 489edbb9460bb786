package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
)

// The server of the tests doesn't sync, so that what is measured is round trips and statements, not
// disks.

func BenchmarkClaimSettle(b *testing.B) {
	db := migrated(b)
	s := NewStore(db, WithNow(func() time.Time { return nudge }))
	holds := make([]reference.Hold, b.N)
	for i := range holds {
		holds[i] = heldHold(reference.HoldID(fmt.Sprint("h", i)))
	}
	if err := s.Load(b.Context(), holds, nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		r := reference.Reminder{Window: holds[i].Window(), Channel: reference.Email}
		if claim, err := s.Claim(b.Context(), claimOf(r, "a")); err != nil || claim.Answer != reference.Granted {
			b.Fatal(claim, err)
		}
		settlement := settlementOf(reference.Sent, "", "a")
		settlement.Reminder = r
		if answer, err := s.Settle(b.Context(), settlement); err != nil || answer != reference.Recorded {
			b.Fatal(answer, err)
		}
	}
}

func BenchmarkClaimInTransaction(b *testing.B) {
	db := migrated(b)
	s := NewStore(db, WithNow(func() time.Time { return nudge }))
	if err := s.Load(b.Context(), []reference.Hold{heldHold("h1")}, []reference.Row{claimedRow(time.Hour)}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if claim, err := s.Claim(b.Context(), claimOf(email, "b")); err != nil || claim.Answer != reference.Busy {
			b.Fatal(claim, err)
		}
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, size := range []int{1, 500} {
		b.Run(fmt.Sprintf("batch-%d", size), func(b *testing.B) {
			q := NewQueue(migrated(b), QueueConfig{Visibility: time.Minute, MaxReceives: 10})
			payload := make([]byte, 200)
			entries := make([]reference.Entry, size)
			b.ReportAllocs()
			b.ResetTimer()
			for n := range b.N {
				for i := range entries {
					entries[i] = reference.Entry{Key: fmt.Sprintf("k%d-%d", n, i), Payload: payload}
				}
				if _, err := q.Publish(b.Context(), entries); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size*b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

func BenchmarkReceiveAck(b *testing.B) {
	q := NewQueue(migrated(b), QueueConfig{Visibility: time.Minute, MaxReceives: 10})
	for left := b.N; left > 0; left -= 1000 {
		entries := make([]reference.Entry, min(left, 1000))
		for i := range entries {
			entries[i].Payload = make([]byte, 200)
		}
		if _, err := q.Publish(b.Context(), entries); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		got, err := q.Receive(b.Context(), 1, 0)
		if err != nil || len(got) != 1 {
			b.Fatal(got, err)
		}
		if err := q.Ack(b.Context(), got[0]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDue reads pages of 500 where 100,000 holds are held.
func BenchmarkDue(b *testing.B) {
	db := migrated(b)
	if _, err := db.Exec(fill); err != nil {
		b.Fatal(err)
	}
	s := NewStore(db)
	for _, kind := range []reference.Kind{reference.Remind, reference.Expire} {
		b.Run(string(kind), func(b *testing.B) {
			q := reference.DueQuery{Kind: kind, Lead: time.Hour, Cutoff: 30 * time.Second, Limit: 500}
			b.ReportAllocs()
			for range b.N {
				if page, err := s.Due(b.Context(), q); err != nil || kind == reference.Remind && len(page) != q.Limit {
					b.Fatal(len(page), err)
				}
			}
		})
	}
}

func BenchmarkReset(b *testing.B) {
	s := NewStore(migrated(b))
	var holds []reference.Hold
	for i := range 12 {
		holds = append(holds, heldHold(reference.HoldID(fmt.Sprint("h", i))))
	}
	for range b.N {
		if err := s.Reset(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := s.Load(b.Context(), holds, nil); err != nil {
			b.Fatal(err)
		}
	}
}
