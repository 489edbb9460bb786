package main

import (
	"context"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
)

// timedStore and timedQueue say where a sweep's time goes.
type timedStore struct {
	reference.SweepStore
	took *time.Duration
}

func (s timedStore) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	began := time.Now()
	defer func() { *s.took += time.Since(began) }()
	return s.SweepStore.Due(ctx, q)
}

type timedQueue struct {
	reference.Publisher
	took *time.Duration
}

func (q timedQueue) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	began := time.Now()
	defer func() { *q.took += time.Since(began) }()
	return q.Publisher.Publish(ctx, entries)
}

// split makes one large sweep in this process, and says what of its time is finding, publishing, and
// the rest.
func (b *bench) split(ctx context.Context) error {
	d, err := b.migrated(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.fill(ctx, b.due, 0); err != nil {
		return err
	}
	raw, err := d.insertRaw(ctx, messages(b.due))
	if err != nil {
		return err
	}
	sweeper := d.sweeper()
	var finding, publishing time.Duration
	sweeper.Store, sweeper.Queue = timedStore{sweeper.Store, &finding}, timedQueue{sweeper.Queue, &publishing}
	began := time.Now()
	report, err := sweeper.Run(ctx)
	if err != nil {
		return err
	}
	whole := time.Since(began)
	of := func(part time.Duration) []float64 {
		return []float64{1000 * part.Seconds() / float64(report.Pages)}
	}
	b.table.print(line{what: "a page of it, in all", unit: "ms", ours: of(whole), raw: of(raw), more: fmt.Sprint(report.Pages, " pages")})
	b.table.print(line{what: "  finding", unit: "ms", ours: of(finding)})
	b.table.print(line{what: "  publishing", unit: "ms", ours: of(publishing), raw: of(raw)})
	return nil
}
