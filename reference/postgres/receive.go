package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
)

// receive hands over up to $2 messages under one receipt. It takes the first messages in order
// whatever they are: those that were handed over often enough are set aside, and counted, so that
// the caller asks for as many more. Again, it begins with what the receipt hands over already; no
// index serves that search.
//
// The ids go through an array, for the planner takes a limit that it doesn't know for a tenth of
// the table, and an array for a few.
const (
	receive = receiveTo + `
	where false` + receiveRest

	receiveAgain = receiveTo + `
	where receipt = $5` + receiveRest

	receiveTo = `
with clock as materialized (
	select coalesce($1::timestamptz, clock_timestamp()) as now
), had as materialized (
	select message_id, payload, receives
	from queue_messages`

	receiveRest = `
), taken as materialized (
	select message_id, visible_at
	from queue_messages
	where visible_at <= (select now from clock)
	order by visible_at, message_id
	limit $2::bigint - (select count(*) from had)
	for update skip locked
), worn as (
	delete from queue_messages
	where message_id = any (array(select message_id from taken)) and receives >= $3
	returning message_id, payload, published_at, receives
), dead as (
	insert into queue_dead_letters (message_id, payload, published_at, reason, receives, dead_at)
	select message_id, payload, published_at, format('received %s times', receives), receives, now
	from worn cross join clock
), handed as (
	update queue_messages m
	set visible_at = clock.now + $4::interval, receives = m.receives + 1, receipt = $5
	from clock
	where message_id = any (array(select message_id from taken)) and receives < $3
	returning m.message_id, m.payload, m.receives
), counted as (
	select count(*) as worn from worn
)
select counted.worn, all_handed.message_id, all_handed.payload, all_handed.receives
from counted left join (
	select had.*, null::timestamptz as place from had
	union all
	select handed.*, taken.visible_at from handed join taken using (message_id)
) all_handed on true
order by all_handed.place nulls first, all_handed.message_id`
)

// Receive implements reference.Consumer. A message that was handed over MaxReceives times, and is
// visible again, is set aside instead.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	for {
		deliveries, err := q.take(ctx, max)
		if err != nil {
			return nil, explain(ctx, err, "receive", max)
		}
		if len(deliveries) > 0 || q.config.Waiter == nil || wait <= 0 {
			return deliveries, nil
		}
		// What was waited is counted, so that this ends whatever the clocks do.
		step := min(wait, q.config.PollInterval)
		if err := q.config.Waiter.Wait(ctx, step); err != nil {
			return nil, fmt.Errorf("receive: %w", err)
		}
		wait -= step
	}
}

// takeMax is how often one Receive goes on because messages were set aside; each time it gets rid
// of some, and what is left then waits for the next Receive.
const takeMax = 100

// take hands over at most max messages that are visible.
func (q *Queue) take(ctx context.Context, max int) ([]reference.Delivery, error) {
	var deliveries []reference.Delivery
	for worn, takes := 1, 0; worn > 0 && len(deliveries) < max && takes < takeMax; takes++ {
		receipt := newToken()
		args := []any{q.clock(), max - len(deliveries), q.config.MaxReceives, interval(q.config.Visibility)}
		before := len(deliveries)
		err := eachOnce(ctx, q.db, receive, receiveAgain, receipt, args, func(rows *sql.Rows) error {
			var id, receives sql.Null[int64]
			var payload []byte
			if err := rows.Scan(&worn, &id, &payload, &receives); err != nil || !id.Valid {
				return err
			}
			deliveries = append(deliveries, reference.Delivery{
				MessageID: strconv.FormatInt(id.V, 10), Receipt: receipt, Payload: payload, Receives: int(receives.V),
			})
			return nil
		})
		if err != nil && before > 0 {
			// What was handed over before is not lost by what came after it.
			return deliveries[:before], nil
		}
		if err != nil {
			return nil, err
		}
	}
	return deliveries, nil
}

// Again, a message that is nowhere any more is one that the first run removed, or that is done with
// all the same.
const (
	ack = `
delete from queue_messages
where message_id = $1 and receipt = $2
returning true`

	ackAgain = `
with gone as (
	delete from queue_messages
	where message_id = $1 and receipt = $2
	returning true
)
select true
where exists (select from gone)
	or not exists (select from queue_messages where message_id = $1)
	and not exists (select from queue_dead_letters where message_id = $1)`
)

// Ack implements reference.Consumer.
func (q *Queue) Ack(ctx context.Context, d reference.Delivery) error {
	return q.end(ctx, "ack message", ack, ackAgain, nil, d)
}

// nack leaves the receipt as it is, so that it comes to the same when it is run twice.
const nack = `
update queue_messages
set visible_at = (select coalesce($1::timestamptz, clock_timestamp())) + $2::interval
where message_id = $3 and receipt = $4
returning true`

// Nack implements reference.Consumer. A wait of zero or less makes the message visible at once.
func (q *Queue) Nack(ctx context.Context, d reference.Delivery, after time.Duration) error {
	return q.end(ctx, "nack message", nack, nack, []any{q.clock(), interval(max(after, 0))}, d)
}

// Again, a message that this receipt set aside is one that the first run moved.
const (
	deadLetter = `
with moved as (
	delete from queue_messages
	where message_id = $3 and receipt = $4
	returning message_id, payload, published_at, receives
), dead as (
	insert into queue_dead_letters (message_id, payload, published_at, reason, receives, dead_at, receipt)
	select message_id, payload, published_at, $2, receives, (select coalesce($1::timestamptz, clock_timestamp())), $4
	from moved
	returning true
)
select true from dead`

	deadLetterAgain = deadLetter + `
union all
select true from queue_dead_letters where message_id = $3 and receipt = $4`
)

// DeadLetter implements reference.Consumer.
func (q *Queue) DeadLetter(ctx context.Context, d reference.Delivery, reason string) error {
	// A reason may quote a payload, and the database stores no zero bytes and nothing but UTF-8.
	reason = strings.ToValidUTF8(strings.ReplaceAll(reason, "\x00", "\uFFFD"), "\uFFFD")
	return q.end(ctx, "dead-letter message", deadLetter, deadLetterAgain, []any{q.clock(), reason}, d)
}

// end runs a statement that gives a line if the receipt still counted.
func (q *Queue) end(ctx context.Context, what, first, again string, args []any, d reference.Delivery) error {
	ours := false
	number, isNumber := messageNumber(d.MessageID)
	var err error
	if isNumber {
		err = eachOnce(ctx, q.db, first, again, d.Receipt, append(args, number), func(rows *sql.Rows) error {
			return rows.Scan(&ours)
		})
	}
	if err == nil && !ours {
		err = reference.ErrNotOurs
	}
	return explain(ctx, err, what, d.MessageID)
}
