package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"strconv"
	"time"

	"github.com/seathold/seathold/reference"
)

// QueueConfig is how a Queue behaves.
type QueueConfig struct {
	// Visibility is how long a message that was handed over stays hidden.
	Visibility time.Duration
	// MaxReceives is how often a message is handed over before it is set aside; at least 1.
	MaxReceives int
	// PollInterval is how often a waiting Receive looks again; 200ms if it is zero.
	PollInterval time.Duration
	// Waiter lets an empty Receive wait; if it is nil, Receive answers at once.
	Waiter reference.Waiter
}

const pollDefault = 200 * time.Millisecond

// Queue is a queue of messages. They are handed over in the order in which they become visible, and
// then of their ids, at least once each. Any number of goroutines and processes may use the same
// table. It implements reference.Publisher, reference.Consumer and reference.DeadLetters.
type Queue struct {
	db     database
	now    func() time.Time
	config QueueConfig
}

var (
	_ reference.Publisher   = (*Queue)(nil)
	_ reference.Consumer    = (*Queue)(nil)
	_ reference.DeadLetters = (*Queue)(nil)
)

// NewQueue makes a queue on the tables of db, which Migrate made.
func NewQueue(db *sql.DB, c QueueConfig, options ...Option) *Queue {
	return newQueue(newPool(db), c, options)
}

// With gives a queue on the same connections and prepared statements, with another configuration
// and other options.
func (q *Queue) With(c QueueConfig, options ...Option) *Queue { return newQueue(q.db, c, options) }

func newQueue(db database, c QueueConfig, options []Option) *Queue {
	if c.PollInterval <= 0 {
		c.PollInterval = pollDefault
	}
	return &Queue{db: db, now: apply(options).now, config: c}
}

func (q *Queue) clock() any { return clock(q.now) }

// newToken names one call, so that its repetition knows what is its own. It need not be the same
// from run to run: nothing is decided or ordered by it.
func newToken() string { return rand.Text() }

// messageNumber is the number of a message, which in text is its id; false if it can't be one.
func messageNumber(id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == id
}

const nextVisible = `select min(visible_at) from queue_messages`

// NextVisible says when the first of the messages is or was visible, or false if there is none.
func (q *Queue) NextVisible(ctx context.Context) (time.Time, bool, error) {
	var next sql.Null[time.Time]
	if _, err := one(ctx, q.db, nextVisible, nil, &next); err != nil {
		return time.Time{}, false, explain(ctx, err, "find the next visible", "message")
	}
	return utc(next), next.Valid, nil
}

// QueueStats counts the messages of a Queue.
type QueueStats struct {
	// Ready messages are visible; Hidden ones were handed over, and are neither acknowledged nor
	// visible again; Delayed ones were not yet handed over since they were published with a delay.
	Ready, Hidden, Delayed int
	// Dead counts dead letters.
	Dead int
	// Oldest is how long ago the oldest message that is still in the queue was published.
	Oldest time.Duration
}

const queueStats = `
with clock as materialized (
	select coalesce($1::timestamptz, clock_timestamp()) as now
)
select count(*) filter (where visible_at <= (select now from clock)),
	count(*) filter (where visible_at > (select now from clock) and receives > 0),
	count(*) filter (where visible_at > (select now from clock) and receives = 0),
	(select count(*) from queue_dead_letters),
	(select now from clock),
	min(published_at)
from queue_messages`

// Stats counts; it looks at every message.
func (q *Queue) Stats(ctx context.Context) (QueueStats, error) {
	var s QueueStats
	var now time.Time
	var oldest sql.Null[time.Time]
	_, err := one(ctx, q.db, queueStats, []any{q.clock()}, &s.Ready, &s.Hidden, &s.Delayed, &s.Dead, &now, &oldest)
	if err != nil {
		return QueueStats{}, explain(ctx, err, "count", "messages")
	}
	if oldest.Valid {
		s.Oldest = max(0, now.Sub(oldest.V))
	}
	return s, nil
}

const purge = `
with purged as (
	delete from queue_messages returning 1
)
select count(*) from purged`

// Purge removes every message, dead letters excepted, and says how many there were.
func (q *Queue) Purge(ctx context.Context) (int, error) {
	n := 0
	// A transaction, so that it isn't run again unasked, and the count is that of the first run.
	err := q.db.inTx(ctx, func(tx conn) error {
		_, err := one(ctx, tx, purge, nil, &n)
		return err
	})
	if err != nil {
		return 0, explain(ctx, err, "purge", "messages")
	}
	return n, nil
}
