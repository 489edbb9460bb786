package memory_test

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
	"github.com/seathold/seathold/reference/porttest"
)

// The ports that this package implements.
var (
	_ reference.SweepStore  = (*memory.Store)(nil)
	_ reference.WorkerStore = (*memory.Store)(nil)
	_ reference.HoldStore   = (*memory.Store)(nil)
	_ reference.Publisher   = (*memory.Queue)(nil)
	_ reference.Consumer    = (*memory.Queue)(nil)
	_ reference.DeadLetters = (*memory.Queue)(nil)
)

// start is when a test's clock starts.
var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// hand is a clock that a test turns by hand.
type hand struct{ time.Time }

func (h *hand) now() time.Time { return h.Time }

func openStores(*testing.T) porttest.Stores {
	clock := &hand{start}
	s := memory.NewStore(clock.now)
	return porttest.Stores{
		Sweep: s, Worker: s, Holds: s,
		SetNow: func(t time.Time) { clock.Time = t },
		Load:   s.Load,
		Snapshot: func() ([]reference.Hold, []reference.Row, error) {
			holds, rows := s.Snapshot()
			return holds, rows, nil
		},
	}
}

func TestStores(t *testing.T)       { porttest.TestStores(t, openStores) }
func TestStoresAtOnce(t *testing.T) { porttest.TestStoresAtOnce(t, openStores) }

func TestQueue(t *testing.T) {
	porttest.TestQueue(t, func(*testing.T) porttest.Queue {
		clock := &hand{start}
		q := memory.NewQueue(clock.now, memory.QueueConfig{Visibility: time.Minute, MaxReceives: 3})
		return porttest.Queue{
			Publisher: q, Consumer: q, DeadLetters: q,
			Advance: func(d time.Duration) { clock.Time = clock.Add(d) },
			Traits: porttest.Traits{
				KeyMemory: porttest.WhileStored, Ordered: true, Nack: true, DeadLetter: true, Visibility: time.Minute, MaxReceives: 3,
			},
		}
	})
}
