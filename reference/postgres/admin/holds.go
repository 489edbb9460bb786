package admin

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

const (
	holdColumns = `h.hold_id, h.learner_id, h.section_id, h.expires_at, h.timezone, h.state, h.channels`
	rowColumns  = `r.hold_id, r.window_expires_at, r.channel, r.token, r.lease_until, r.not_before, r.doubt,
	r.first_claimed_at, r.outcome, r.reason, r.message_id, r.provider_ref, r.settled_at`
)

// HoldFilter chooses holds; what is empty or zero does not restrict.
type HoldFilter struct {
	State   reference.State
	Learner reference.LearnerID
	Section reference.SectionID
	// From and To restrict expires_at: From at or after, To before.
	From, To time.Time
	Limit    int
}

const listHolds = `
select ` + holdColumns + `
from seat_holds h
where ($1 = '' or h.state = $1) and ($2 = '' or h.learner_id = $2) and ($3 = '' or h.section_id = $3)
	and ($4::timestamptz is null or h.expires_at >= $4) and ($5::timestamptz is null or h.expires_at < $5)
order by h.expires_at, h.hold_id
limit $6`

// Holds lists holds by the time at which they expire.
func (t Tables) Holds(ctx context.Context, f HoldFilter) ([]reference.Hold, error) {
	holds := []reference.Hold{}
	args := []any{string(f.State), string(f.Learner), string(f.Section), at(f.From), at(f.To), f.Limit}
	err := each(ctx, t.DB, listHolds, args, func(rows *sql.Rows) error {
		h, err := scanHold(rows)
		holds = append(holds, h)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list holds: %w", err)
	}
	return holds, nil
}

// Facts is what the tables say about some holds at one instant.
type Facts struct {
	Now   time.Time
	Holds map[reference.HoldID]reference.Hold
	Rows  map[reference.Reminder]reference.Row
}

// Of gives the facts about one reminder, as decisions of package reference take them.
func (f Facts) Of(r reference.Reminder) reference.Facts {
	of := reference.Facts{Now: f.Now}
	if h, found := f.Holds[r.Hold]; found {
		of.Hold = &h
	}
	if row, found := f.Rows[r]; found {
		of.Row = &row
	}
	return of
}

const (
	holdsOf = `select ` + holdColumns + ` from seat_holds h where h.hold_id = any ($1)`
	rowsOf  = `select ` + rowColumns + ` from reminders r where r.hold_id = any ($1) order by r.hold_id, r.window_expires_at, r.channel`
)

// Facts reads the facts about some holds.
func (t Tables) Facts(ctx context.Context, ids []reference.HoldID) (Facts, error) {
	f := Facts{Holds: map[reference.HoldID]reference.Hold{}, Rows: map[reference.Reminder]reference.Row{}}
	err := t.Snapshot(ctx, patience, func(c *sql.Tx) (err error) {
		if f.Now, err = now(ctx, c); err != nil {
			return err
		}
		return readFacts(ctx, c, ids, func(h reference.Hold) { f.Holds[h.ID] = h }, func(r reference.Row) { f.Rows[r.Reminder] = r })
	})
	if err != nil {
		return Facts{}, fmt.Errorf("read %d holds: %w", len(ids), err)
	}
	return f, nil
}

func readFacts(ctx context.Context, c conn, ids []reference.HoldID, hold func(reference.Hold), row func(reference.Row)) error {
	err := each(ctx, c, holdsOf, []any{texts(ids)}, func(rows *sql.Rows) error {
		h, err := scanHold(rows)
		hold(h)
		return err
	})
	if err != nil {
		return err
	}
	return each(ctx, c, rowsOf, []any{texts(ids)}, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		row(r)
		return err
	})
}

func scanHold(rows *sql.Rows) (h reference.Hold, err error) {
	var names pq.StringArray
	err = rows.Scan(&h.ID, &h.Learner, &h.Section, &h.ExpiresAt, &h.Zone, &h.State, &names)
	h.ExpiresAt, h.Channels = h.ExpiresAt.UTC(), channels(names)
	return h, err
}

func channels(names pq.StringArray) []reference.Channel {
	out := make([]reference.Channel, len(names))
	for i, name := range names {
		out[i] = reference.Channel(name)
	}
	return out
}

func scanRow(rows *sql.Rows) (reference.Row, error) {
	var c RowColumns
	err := rows.Scan(c.Dest()...)
	row, _ := c.Row()
	return row, err
}

// RowColumns are where the columns of a reminder go, in the order in which RowColumnNames has them.
// All may be NULL, as in an outer join.
type RowColumns struct {
	hold, channel, token, doubt, outcome, reason, messageID, providerRef sql.Null[string]
	window, leaseUntil, notBefore, firstClaimedAt, settledAt             sql.Null[time.Time]
}

// RowColumnNames are the columns of reminders r.
const RowColumnNames = rowColumns

// HoldColumnNames are the columns of seat_holds h, in the order in which HoldAndRow takes them.
const HoldColumnNames = holdColumns

// Dest is what to scan into.
func (c *RowColumns) Dest() []any {
	return []any{
		&c.hold, &c.window, &c.channel, &c.token, &c.leaseUntil, &c.notBefore, &c.doubt,
		&c.firstClaimedAt, &c.outcome, &c.reason, &c.messageID, &c.providerRef, &c.settledAt,
	}
}

// Row gives the row; false if there is none.
func (c *RowColumns) Row() (reference.Row, bool) {
	return reference.Row{
		Reminder: reference.Reminder{
			Window:  reference.Window{Hold: reference.HoldID(c.hold.V), ExpiresAt: utc(c.window)},
			Channel: reference.Channel(c.channel.V),
		},
		Token: reference.Token(c.token.V), LeaseUntil: utc(c.leaseUntil), NotBefore: utc(c.notBefore),
		Doubt: reference.Reason(c.doubt.V), FirstClaimedAt: utc(c.firstClaimedAt),
		Outcome:   reference.Outcome{Verdict: reference.Verdict(c.outcome.V), Reason: reference.Reason(c.reason.V)},
		MessageID: c.messageID.V, ProviderRef: c.providerRef.V, SettledAt: utc(c.settledAt),
	}, c.hold.Valid
}

// HoldAndRow are the columns of a hold, and of one of its reminders where it has any.
type HoldAndRow struct {
	Hold  reference.Hold
	names pq.StringArray
	row   RowColumns
}

// Dest is what to scan into.
func (c *HoldAndRow) Dest() []any {
	h := &c.Hold
	return append([]any{&h.ID, &h.Learner, &h.Section, &h.ExpiresAt, &h.Zone, &h.State, &c.names}, c.row.Dest()...)
}

// Scanned gives what was scanned; the row is nil if there is none.
func (c *HoldAndRow) Scanned() (reference.Hold, *reference.Row) {
	h := c.Hold
	h.ExpiresAt, h.Channels = h.ExpiresAt.UTC(), channels(c.names)
	if row, found := c.row.Row(); found {
		return h, &row
	}
	return h, nil
}

const deleteHold = `delete from seat_holds where hold_id = $1`

// DeleteHold removes a hold and its reminders, whatever they are. It is for a hold that was only a
// test: a message about it that comes later finds none, and is dead-lettered.
func (t Tables) DeleteHold(ctx context.Context, id reference.HoldID) error {
	if _, err := t.DB.ExecContext(ctx, deleteHold, id); err != nil {
		return fmt.Errorf("delete %s: %w", id, err)
	}
	return nil
}
