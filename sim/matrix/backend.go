package matrix

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/backend"
)

// On is a backend on memory whose runs are a defect's. Every run counts as another process.
func On(d defects.Defect) sim.Backend { return &wrong{Memory: sim.Memory{}, defect: d} }

type wrong struct {
	sim.Memory
	defect  defects.Defect
	process atomic.Int64
}

// Open makes a store that brings the defect's loops along.
func (b *wrong) Open(now func() time.Time, visibility time.Duration, maxReceives int) (sim.Store, sim.Broker, error) {
	_, queue, err := b.Memory.Open(now, visibility, maxReceives)
	if err != nil {
		return nil, nil, err
	}
	raw := memory.NewStore(now)
	s := store{Store: raw, raw: raw, pipeline: b.defect.New(int(b.process.Add(1)))}
	if s.pipeline.Store != nil {
		s.Store = s.pipeline.Store(raw)
	}
	return s, queue, nil
}

// store is a defect's database, and the model behind it.
type store struct {
	defect.Store
	raw      *memory.Store
	pipeline defect.Pipeline
}

var _ backend.Pipeline = store{}

func (s store) Load(holds []reference.Hold, rows []reference.Row) error {
	return s.raw.Load(holds, rows)
}

func (s store) Snapshot() ([]reference.Hold, []reference.Row, error) {
	holds, rows := s.raw.Snapshot()
	return holds, rows, nil
}

func (s store) Work(ctx, accept context.Context, w *reference.Worker) error {
	if s.pipeline.Work == nil {
		return w.Run(ctx, accept)
	}
	return s.pipeline.Work(ctx, accept, w)
}

func (s store) Sweep(ctx context.Context, sweeper *reference.Sweeper) (reference.Report, error) {
	if s.pipeline.Sweep == nil {
		return sweeper.Run(ctx)
	}
	return s.pipeline.Sweep(ctx, sweeper)
}
