package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

// Store keeps holds, reminders and sweep reports. Any number of goroutines and processes may use
// the same tables. It implements reference.SweepStore, reference.WorkerStore and
// reference.HoldStore.
type Store struct {
	sql *sql.DB
	db  database
	now func() time.Time
}

var (
	_ reference.SweepStore  = (*Store)(nil)
	_ reference.WorkerStore = (*Store)(nil)
	_ reference.HoldStore   = (*Store)(nil)
)

// Option changes how a Store or a Queue works.
type Option func(*settings)

type settings struct{ now func() time.Time }

// WithNow replaces the database's clock. Times count in whole microseconds.
func WithNow(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// NewStore makes a store on the tables of db, which Migrate made.
func NewStore(db *sql.DB, options ...Option) *Store {
	return &Store{sql: db, db: newPool(db), now: apply(options).now}
}

// With gives a store on the same connections and prepared statements, with other options.
func (s *Store) With(options ...Option) *Store {
	return &Store{sql: s.sql, db: s.db, now: apply(options).now}
}

func apply(options []Option) settings {
	var s settings
	for _, o := range options {
		o(&s)
	}
	return s
}

// clock is the parameter by which statements know the time: NULL for the database's own.
func clock(now func() time.Time) any {
	if now == nil {
		return nil
	}
	return time.UnixMicro(now().UnixMicro()).UTC()
}

func (s *Store) clock() any { return clock(s.now) }

// askMax is how often a decision is taken anew because what it was taken on had changed.
const askMax = 10

const lockHold = `
select learner_id, section_id, expires_at, timezone, state, channels
from seat_holds
where hold_id = $1
for share`

// The clock is read by a statement begun after the lock was had.
const readRow = `
select coalesce($4::timestamptz, clock_timestamp()),
	r.hold_id is not null, r.token, r.lease_until, r.not_before, r.doubt, r.first_claimed_at,
	r.outcome, r.reason, r.message_id, r.provider_ref, r.settled_at
from (select) always
left join reminders r on r.hold_id = $1 and r.window_expires_at = $2 and r.channel = $3`

// decide takes a decision about r as package reference defines it: with the hold locked, by the row
// and the clock as they are then. It is taken again if the row was changed before the decision was
// written, which needs somebody who writes rows without the hold's lock: a settlement or a release.
func (s *Store) decide(ctx context.Context, r reference.Reminder, decision func(reference.Facts) *reference.Row) error {
	for range askMax {
		written := true
		err := s.db.inTx(ctx, func(tx conn) error {
			facts, err := s.facts(ctx, tx, r)
			if err != nil {
				return err
			}
			if row := decision(facts); row != nil {
				written, err = replace(ctx, tx, facts.Row, *row)
			}
			return err
		})
		if err != nil || written {
			return err
		}
	}
	return fmt.Errorf("the row changed under each of %d decisions", askMax)
}

func (s *Store) facts(ctx context.Context, tx conn, r reference.Reminder) (reference.Facts, error) {
	var facts reference.Facts
	hold := reference.Hold{ID: r.Hold}
	held, err := one(ctx, tx, lockHold, []any{r.Hold}, holdColumns(&hold)...)
	if err != nil {
		return facts, err
	}
	if held {
		hold.ExpiresAt = hold.ExpiresAt.UTC()
		facts.Hold = &hold
	}
	var found bool
	var c rowColumns
	args := []any{r.Hold, r.ExpiresAt, r.Channel, s.clock()}
	if _, err := one(ctx, tx, readRow, args, append([]any{&facts.Now, &found}, c.dest()...)...); err != nil {
		return facts, err
	}
	facts.Now = facts.Now.UTC()
	if found {
		row := c.row(r)
		facts.Row = &row
	}
	return facts, nil
}

const insertRow = `
insert into reminders (hold_id, window_expires_at, channel,
	token, lease_until, not_before, doubt, first_claimed_at, outcome, reason, message_id, provider_ref, settled_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict do nothing
returning true`

const updateRow = `
update reminders
set token = $4, lease_until = $5, not_before = $6, doubt = $7, first_claimed_at = $8,
	outcome = $9, reason = $10, message_id = $11, provider_ref = $12, settled_at = $13
where hold_id = $1 and window_expires_at = $2 and channel = $3
	and token is not distinct from $14 and lease_until is not distinct from $15
	and not_before is not distinct from $16 and doubt is not distinct from $17
	and outcome is not distinct from $18 and reason is not distinct from $19
returning true`

// replace writes row in place of exactly the one that was read; false says that it is no longer there.
func replace(ctx context.Context, tx conn, read *reference.Row, row reference.Row) (bool, error) {
	args := []any{
		row.Hold, row.ExpiresAt, row.Channel,
		text(row.Token), at(row.LeaseUntil), at(row.NotBefore), text(row.Doubt), at(row.FirstClaimedAt),
		text(row.Outcome.Verdict), text(row.Outcome.Reason), text(row.MessageID), text(row.ProviderRef), at(row.SettledAt),
	}
	statement, done := insertRow, false
	if read != nil {
		statement = updateRow
		args = append(args, text(read.Token), at(read.LeaseUntil), at(read.NotBefore), text(read.Doubt),
			text(read.Outcome.Verdict), text(read.Outcome.Reason))
	}
	_, err := one(ctx, tx, statement, args, &done)
	return done, err
}

// holdColumns are where the columns of a hold go that follow its id; the time comes back in the
// connection's zone.
func holdColumns(h *reference.Hold) []any {
	return []any{&h.Learner, &h.Section, &h.ExpiresAt, &h.Zone, &h.State, (*channels)(&h.Channels)}
}

// channels are a hold's as a column and as a parameter.
type channels []reference.Channel

// Scan implements sql.Scanner.
func (c *channels) Scan(column any) error {
	var names pq.StringArray
	if err := names.Scan(column); err != nil {
		return err
	}
	*c = make(channels, len(names))
	for i, name := range names {
		(*c)[i] = reference.Channel(name)
	}
	return nil
}

// Value implements driver.Valuer.
func (c channels) Value() (driver.Value, error) {
	names := make(pq.StringArray, len(c))
	for i, of := range c {
		names[i] = string(of)
	}
	return names.Value()
}

// rowColumns are the columns of a row that follow its name.
type rowColumns struct {
	token, doubt, verdict, reason, messageID, providerRef sql.Null[string]
	leaseUntil, notBefore, firstClaimedAt, settledAt      sql.Null[time.Time]
}

func (c *rowColumns) dest() []any {
	return []any{
		&c.token, &c.leaseUntil, &c.notBefore, &c.doubt, &c.firstClaimedAt,
		&c.verdict, &c.reason, &c.messageID, &c.providerRef, &c.settledAt,
	}
}

func (c *rowColumns) row(r reference.Reminder) reference.Row {
	return reference.Row{
		Reminder: r, Token: reference.Token(c.token.V), LeaseUntil: utc(c.leaseUntil), NotBefore: utc(c.notBefore),
		Doubt: reference.Reason(c.doubt.V), FirstClaimedAt: utc(c.firstClaimedAt),
		Outcome:   reference.Outcome{Verdict: reference.Verdict(c.verdict.V), Reason: reference.Reason(c.reason.V)},
		MessageID: c.messageID.V, ProviderRef: c.providerRef.V, SettledAt: utc(c.settledAt),
	}
}
