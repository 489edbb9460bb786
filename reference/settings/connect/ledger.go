package connect

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/watch"
)

// Ledger reads of the tables what metrics need, and is asked for nothing else. It implements
// watch.Ledger.
type Ledger struct {
	*postgres.Store
	DB *sql.DB
}

var _ watch.Ledger = Ledger{}

// dropped finds what expiring wrote by the message that it noted. Under no message, as the sweep
// writes them, it may find what an earlier sweep wrote of the same window, but a window expires once.
const dropped = `
select r.channel, r.reason, count(*)
from unnest($1::text[], $2::timestamptz[]) as w (hold_id, expires_at)
join reminders r on r.hold_id = w.hold_id and r.window_expires_at = w.expires_at
where r.outcome = 'dropped' and r.settled_at >= r.window_expires_at and r.message_id is not distinct from $3
group by r.channel, r.reason
order by r.channel, r.reason`

// Dropped implements watch.Ledger.
func (l Ledger) Dropped(ctx context.Context, windows []reference.Window, messageID string) ([]watch.Dropped, error) {
	ids, times := make(pq.StringArray, len(windows)), make(pq.StringArray, len(windows))
	for i, w := range windows {
		ids[i], times[i] = string(w.Hold), w.ExpiresAt.UTC().Format(time.RFC3339)
	}
	rows, err := l.DB.QueryContext(ctx, dropped, ids, times, sql.NullString{String: messageID, Valid: messageID != ""})
	if err != nil {
		return nil, fmt.Errorf("read what was dropped: %w", err)
	}
	defer rows.Close()
	var found []watch.Dropped
	for rows.Next() {
		var d watch.Dropped
		if err := rows.Scan(&d.Channel, &d.Reason, &d.Count); err != nil {
			return nil, fmt.Errorf("read what was dropped: %w", err)
		}
		found = append(found, d)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read what was dropped: %w", err)
	}
	return found, nil
}

const lastSweep = `
select sweep_id, found_remind, found_expire, published_remind, published_expire, queued, pages, backstop, drained,
	extract(epoch from clock_timestamp() - recorded_at)::float8
from sweep_runs
order by recorded_at desc, number desc
limit 1`

// LastSweep implements watch.Ledger.
func (l Ledger) LastSweep(ctx context.Context) (watch.SweepOnRecord, bool, error) {
	var s watch.SweepOnRecord
	var age float64
	r := &s.Report
	err := l.DB.QueryRowContext(ctx, lastSweep).Scan(&r.ID, &r.Found.Remind, &r.Found.Expire,
		&r.Published.Remind, &r.Published.Expire, &r.Queued, &r.Pages, &r.Backstop, &r.Drained, &age)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s, false, nil
	case err != nil:
		return s, false, fmt.Errorf("read the last sweep: %w", err)
	}
	s.Age = time.Duration(age * float64(time.Second))
	return s, true, nil
}
