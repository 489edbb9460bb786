package backend

import (
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// Memory is the backend that keeps everything in the process: the model.
type Memory struct{}

// Name is memory.
func (Memory) Name() string { return "memory" }

// Open makes a store and a queue.
func (Memory) Open(now func() time.Time, visibility time.Duration, maxReceives int) (Store, Broker, error) {
	return memoryStore{memory.NewStore(now)}, memory.NewQueue(now, memory.QueueConfig{Visibility: visibility, MaxReceives: maxReceives}), nil
}

type memoryStore struct{ *memory.Store }

func (s memoryStore) Snapshot() ([]reference.Hold, []reference.Row, error) {
	holds, rows := s.Store.Snapshot()
	return holds, rows, nil
}
