package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

// publish stores a batch of messages, no two with the same key, and gives one line per entry: the
// message that has the entry, and whether it is an earlier one. There is no message where another
// publisher stored the same key since the statement began; asking again finds it, or its absence.
//
// Ids are drawn in the order of the entries, and only for what is new, so that they have gaps only
// where publishers race; messages are stored in the order of their keys, so that publishers don't
// wait for each other in a circle. Again, entries without a key are known by the order of their ids.
const (
	publish = publishTo + publishRest

	publishTo = `
with clock as materialized (
	select coalesce($1::timestamptz, clock_timestamp()) as now
), entry as materialized (
	select ord, nullif(key, '') as key, payload, wait
	from unnest($2::text[], $3::bytea[], $4::text[]::interval[]) with ordinality as e (key, payload, wait, ord)
), earlier as materialized (
	select entry.ord, m.message_id, m.publish_token <> $5 as duplicate
	from entry join queue_messages m on m.message_key = entry.key`

	publishAgain = publishTo + `
	union all
	select keyless.ord, m.message_id, false
	from (
		select ord, row_number() over (order by ord) as place from entry where key is null
	) keyless join (
		select message_id, row_number() over (order by message_id) as place
		from queue_messages
		where publish_token = $5 and message_key is null
	) m using (place)` + publishRest

	publishRest = `
), numbered as materialized (
	select fresh.*, nextval('queue_message_ids') as message_id
	from (select * from entry where ord not in (select ord from earlier) order by ord) fresh
), stored as (
	insert into queue_messages (message_id, message_key, payload, published_at, visible_at, publish_token)
	select message_id, key, payload, now, now + wait, $5
	from numbered cross join clock
	order by key
	on conflict (message_key) where message_key is not null do nothing
	returning message_id
)
select ord, message_id, duplicate
from earlier
union all
select numbered.ord, stored.message_id, false
from numbered left join stored using (message_id)
order by ord`
)

// publishMax is how often a batch is sent because other publishers were storing the same keys.
const publishMax = 10

// Publish implements reference.Publisher. A key is remembered as long as its message is in the
// queue, which means until it is acknowledged or set aside. It stores all entries that are valid,
// or, on an error, perhaps none.
func (q *Queue) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	results := make([]reference.Published, len(entries))
	b := batch{first: map[string]int{}}
	for i, e := range entries {
		if results[i].Err = checkEntry(e); results[i].Err == nil {
			b.add(i, e)
		}
	}
	token := newToken()
	for tries := 1; len(b.send) > 0; tries++ {
		if tries > publishMax {
			return nil, fmt.Errorf("publish %d messages: %d of them met other publishers %d times", len(entries), len(b.send), publishMax)
		}
		left, err := q.publish(ctx, token, entries, b.send, results)
		if err != nil {
			return nil, explain(ctx, err, "publish", fmt.Sprintf("%d messages", len(entries)))
		}
		b.send = left
	}
	for i, first := range b.same {
		results[i] = reference.Published{MessageID: results[first].MessageID, Duplicate: true}
	}
	return results, nil
}

// batch is what is sent of some entries: of those with the same key only the first.
type batch struct {
	send  []int
	first map[string]int
	// same has the others, and the first of each.
	same map[int]int
}

func (b *batch) add(i int, e reference.Entry) {
	if e.Key != "" {
		if first, found := b.first[e.Key]; found {
			if b.same == nil {
				b.same = map[int]int{}
			}
			b.same[i] = first
			return
		}
		b.first[e.Key] = i
	}
	b.send = append(b.send, i)
}

func checkEntry(e reference.Entry) error {
	switch {
	case len(e.Payload) >= reference.PayloadBytesMax:
		return fmt.Errorf("publish: the payload has %d bytes, and must have fewer than %d: %w",
			len(e.Payload), reference.PayloadBytesMax, reference.ErrInvalid)
	case e.Delay < 0 || e.Delay > reference.DelayMax:
		return fmt.Errorf("publish: the delay is %s, and must be from 0 to %s: %w", e.Delay, reference.DelayMax, reference.ErrInvalid)
	case !utf8.ValidString(e.Key) || strings.ContainsRune(e.Key, 0):
		return fmt.Errorf("publish: the key %q is not text: %w", e.Key, reference.ErrInvalid)
	}
	return nil
}

// publish sends the entries of those indices once, puts down what became of them, and gives the
// indices of those that have to be sent again.
func (q *Queue) publish(ctx context.Context, token string, entries []reference.Entry, send []int, results []reference.Published) ([]int, error) {
	keys, payloads, waits := make([]string, len(send)), make([][]byte, len(send)), make([]string, len(send))
	for n, i := range send {
		keys[n], payloads[n], waits[n] = entries[i].Key, entries[i].Payload, interval(entries[i].Delay)
		if payloads[n] == nil {
			payloads[n] = []byte{} // nil would be NULL
		}
	}
	var again []int
	args := []any{q.clock(), pq.StringArray(keys), pq.ByteaArray(payloads), pq.StringArray(waits)}
	err := eachOnce(ctx, q.db, publish, publishAgain, token, args, func(rows *sql.Rows) error {
		var ord int64
		var id sql.Null[int64]
		var duplicate bool
		if err := rows.Scan(&ord, &id, &duplicate); err != nil {
			return err
		}
		i := send[ord-1]
		if !id.Valid {
			again = append(again, i)
			return nil
		}
		results[i] = reference.Published{MessageID: strconv.FormatInt(id.V, 10), Duplicate: duplicate}
		return nil
	})
	return again, err
}
