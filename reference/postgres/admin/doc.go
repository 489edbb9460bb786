// Package admin reads and tidies, for an operator, what package postgres keeps. Nothing of the
// pipeline calls it: it takes no message from the queue, claims nothing, and writes no outcome.
//
// What belongs together is read in one snapshot. Writes are transactions, which are not run again
// unasked, so that the numbers they give are those of what they did.
package admin

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"
)

// Tables are the tables of one database, which postgres.Migrate made.
type Tables struct{ DB *sql.DB }

// conn is a transaction or the pool.
type conn interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Snapshot lets what read at one instant: everything it reads with c is of the same state. Nothing
// is written. A read may take as long as ctx allows, up to patience.
func (t Tables) Snapshot(ctx context.Context, patience time.Duration, what func(c *sql.Tx) error) error {
	tx, err := t.DB.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	// Nothing was written, so that nothing hangs on how it ends.
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`set local statement_timeout = %d`, max(1, patience.Milliseconds()))); err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	return what(tx)
}

// patience is for reads of an operator's who is waiting for them.
const patience = time.Minute

// inTx runs what in a transaction, and commits it if that returns nil.
func (t Tables) inTx(ctx context.Context, what func(tx *sql.Tx) error) error {
	tx, err := t.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	// After Commit it does nothing, and what it returns says nothing new.
	defer func() { _ = tx.Rollback() }()
	if err := what(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Now reads the database's clock.
func (t Tables) Now(ctx context.Context) (time.Time, error) { return now(ctx, t.DB) }

func now(ctx context.Context, c conn) (at time.Time, err error) {
	err = each(ctx, c, `select clock_timestamp()`, nil, func(rows *sql.Rows) error { return rows.Scan(&at) })
	if err != nil {
		return time.Time{}, fmt.Errorf("read the database's clock: %w", err)
	}
	return at.UTC(), nil
}

// each runs a query and hands over row by row.
func each(ctx context.Context, c conn, query string, args []any, row func(*sql.Rows) error) error {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// utc is t in UTC, and the zero time for NULL.
func utc(t sql.Null[time.Time]) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return t.V.UTC()
}

// at is t as a parameter, NULL for the zero time.
func at(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func texts[S ~string](all []S) pq.StringArray {
	out := make(pq.StringArray, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return out
}
