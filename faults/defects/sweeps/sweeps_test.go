package sweeps

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var begin = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// broker takes what is published, but for what fails.
type broker struct {
	took  []string
	keys  map[string]bool
	fails string
}

func (b *broker) Publish(_ context.Context, entries []reference.Entry) ([]reference.Published, error) {
	results := make([]reference.Published, len(entries))
	for i, e := range entries {
		m := defect.MessageIn(e)
		switch name := fmt.Sprintf("%s %s", m.Kind, m.Window.Hold); {
		case name == b.fails:
			results[i].Err = errors.New("refused")
		case !b.keys[e.Key]:
			b.keys[e.Key] = true
			b.took = append(b.took, name)
		}
	}
	return results, nil
}

type tokens struct{}

func (tokens) NewToken() reference.Token { return "t1" }

// days has a pipeline sweep at each time, over holds that run out 2 minutes after the beginning.
func days(t *testing.T, d *defect.Defect, b *broker, page int, rows []reference.Row, at ...time.Duration) []string {
	t.Helper()
	now := begin
	var holds []reference.Hold
	for _, id := range []reference.HoldID{"h1", "h2", "h3"} {
		holds = append(holds, reference.Hold{ID: id, Learner: "ann", Section: "s", ExpiresAt: begin.Add(2 * time.Minute), State: reference.Held, Channels: []reference.Channel{reference.Email}})
	}
	raw := memory.NewStore(func() time.Time { return now })
	if err := raw.Load(holds, rows); err != nil {
		t.Fatal(err)
	}
	var store reference.SweepStore = raw
	sweep := defect.Sweep(func(*reference.Sweeper) {})
	if d != nil {
		p := d.New(2)
		if p.Store != nil {
			store = p.Store(raw)
		}
		if p.Sweep != nil {
			sweep = p.Sweep
		}
	}
	b.keys = map[string]bool{}
	for _, after := range at {
		now = begin.Add(after)
		mock := clock.NewMock()
		mock.Set(now)
		policy := reference.DefaultPolicy()
		policy.Page = page
		// What a sweep reports is not at stake here, and some of these fail.
		_, _ = sweep(context.Background(), &reference.Sweeper{Store: store, Queue: b, Clock: mock, Tokens: tokens{}, Policy: policy})
	}
	return b.took
}

// TestOneSweepDiffers shows of each defect what it publishes where the reference publishes
// something else.
func TestOneSweepDiffers(t *testing.T) {
	all := []string{"remind h1", "remind h2", "remind h3"}
	var free []reference.Row
	for _, id := range []reference.HoldID{"h1", "h2", "h3"} {
		r := reference.Reminder{Window: reference.Window{Hold: id, ExpiresAt: begin.Add(2 * time.Minute)}, Channel: reference.Email}
		free = append(free, reference.Row{Reminder: r, FirstClaimedAt: begin, NotBefore: begin})
	}
	const page = 500
	for _, c := range []struct {
		defect    defect.Defect
		page      int
		rows      []reference.Row
		fails     string
		at        []time.Duration
		want, bad []string
	}{
		{limitWithoutPaging, 2, nil, "", []time.Duration{0}, all, all[:2]},
		{pageCursorThatSkipsTies, 2, nil, "", []time.Duration{0}, all, all[:2]},
		{sinceLastRunSweep, page, nil, "remind h1", []time.Duration{0, time.Minute}, []string{"remind h2", "remind h3", "remind h2", "remind h3"}, []string{"remind h2", "remind h3"}},
		{sweepStopsAtFirstPublishError, page, nil, "remind h2", []time.Duration{0}, []string{"remind h1", "remind h3"}, all[:1]},
		{marksPublishedBeforePublishing, page, nil, "", []time.Duration{0, time.Minute}, append(all[:3:3], all...), all},
		{messageKeyThatNeverChanges, page, nil, "", []time.Duration{0, time.Minute}, append(all[:3:3], all...), all},
		{renominationSlowerThanTheDueSpan, page, nil, "", []time.Duration{0, time.Minute}, append(all[:3:3], all...), all},
		{openRowsNotNominated, page, free, "", []time.Duration{0}, all, nil},
		{rangesOverAMap, page, nil, "", []time.Duration{0}, all, []string{"remind h3", "remind h2", "remind h1"}},
		{delayedMessageInsteadOfASweep, page, nil, "", []time.Duration{-time.Hour}, nil, append(all[:3:3], "expire h1", "expire h2", "expire h3")},
	} {
		t.Run(c.defect.Name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, days(t, nil, &broker{fails: c.fails}, c.page, c.rows, c.at...)); diff != "" {
				t.Errorf("the reference (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.bad, days(t, &c.defect, &broker{fails: c.fails}, c.page, c.rows, c.at...)); diff != "" {
				t.Errorf("the defect (-want +got):\n%s", diff)
			}
		})
	}
}
