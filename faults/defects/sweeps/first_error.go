package sweeps

import (
	"context"
	"fmt"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var sweepStopsAtFirstPublishError = defect.Defect{
	Name:    "sweep-stops-at-first-publish-error",
	Mistake: "The first message that can't be published ends the sweep, and keeps back all behind it",
	Seen:    "a nightly job that died at the same row each time: https://github.com/polarsource/polar/pull/13782",
	New:     defect.Sweeper(func(s *reference.Sweeper) { s.Queue = &stopping{Publisher: s.Queue} }),
}

type stopping struct {
	reference.Publisher
	stopped error
}

func (q *stopping) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	results := make([]reference.Published, len(entries))
	for i, e := range entries {
		if q.stopped != nil {
			results[i].Err = fmt.Errorf("not tried: %w", q.stopped)
			continue
		}
		one, err := q.Publisher.Publish(ctx, []reference.Entry{e})
		if err != nil {
			return nil, err
		}
		results[i], q.stopped = one[0], one[0].Err
	}
	return results, nil
}
