package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

// conn is where a statement runs: the pool, where each is a transaction of its own, or a
// transaction.
type conn interface {
	query(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// database is a conn that can begin transactions.
type database interface {
	conn
	// inTx runs what in a transaction at READ COMMITTED, and commits it if that returns nil.
	inTx(ctx context.Context, what func(conn) error) error
}

// pool runs prepared statements; each is prepared when it is first used, and again by database/sql
// on every connection that doesn't know it yet.
type pool struct {
	db       *sql.DB
	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func newPool(db *sql.DB) *pool { return &pool{db: db, prepared: map[string]*sql.Stmt{}} }

func (p *pool) stmt(ctx context.Context, statement string) (*sql.Stmt, error) {
	p.mu.Lock()
	known := p.prepared[statement]
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	// Not under the lock, so that one connection's trouble doesn't hold up the others.
	made, err := p.db.PrepareContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.prepared[statement]; known != nil {
		return known, made.Close()
	}
	p.prepared[statement] = made
	return made, nil
}

func (p *pool) query(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	stmt, err := p.stmt(ctx, statement)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (p *pool) inTx(ctx context.Context, what func(conn) error) error {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	// After Commit it does nothing, and what it returns says nothing new.
	defer func() { _ = tx.Rollback() }()
	if err := what(&transaction{p, tx}); err != nil {
		return err
	}
	return tx.Commit()
}

type transaction struct {
	pool *pool
	tx   *sql.Tx
}

func (t *transaction) query(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	stmt, err := t.pool.stmt(ctx, statement)
	if err != nil {
		return nil, err
	}
	return t.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...)
}

// one runs a statement that gives at most one row, and scans it; false says that there was none.
func one(ctx context.Context, c conn, statement string, args []any, dest ...any) (bool, error) {
	found := 0
	err := each(ctx, c, statement, args, func(rows *sql.Rows) error {
		found++
		return rows.Scan(dest...)
	})
	if err == nil && found > 1 {
		err = fmt.Errorf("%d rows where there is one at most", found)
	}
	return found == 1, err
}

// each runs a statement and hands over row by row.
func each(ctx context.Context, c conn, statement string, args []any, row func(*sql.Rows) error) error {
	rows, err := c.query(ctx, statement, args...)
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

// once is an argument that can be sent one time: database/sql asks for its value anew each time
// that it runs the statement, the first time and again after driver.ErrBadConn.
type once struct {
	value string
	sent  bool
}

// Value implements driver.Valuer.
func (o *once) Value() (driver.Value, error) {
	if o.sent {
		return nil, errSentBefore
	}
	o.sent = true
	return o.value, nil
}

// errSentBefore says that a statement was sent and not answered: it may have taken effect.
var errSentBefore = errors.New("sent before and not answered")

// eachOnce runs first with token as its last argument, and if that was not answered it runs again,
// which finds by the token what the first run left, and answers for it.
func eachOnce(ctx context.Context, c conn, first, again, token string, args []any, row func(*sql.Rows) error) error {
	n := len(args)
	err := each(ctx, c, first, append(args[:n:n], &once{value: token}), row)
	if errors.Is(err, errSentBefore) {
		err = each(ctx, c, again, append(args[:n:n], token), row)
	}
	return err
}

// explain wraps err with what was tried on what. A statement that was cancelled because ctx ended
// comes back from lib/pq as an error of the server's, or of the connection's: that wraps the
// context's error, too. One that waited for a lock for too long wraps ErrLocked.
func explain(ctx context.Context, err error, what string, on any) error {
	if err == nil {
		return nil
	}
	if hasCode(err, lockNotAvailable) {
		return fmt.Errorf("%s %v: %w: %w", what, on, reference.ErrLocked, err)
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		return fmt.Errorf("%s %v: %w: %w", what, on, ended, err)
	}
	return fmt.Errorf("%s %v: %w", what, on, err)
}

// SQLSTATE codes, by the names that PostgreSQL's appendix A gives them.
const (
	checkViolation      = "23514"
	foreignKeyViolation = "23503"
	uniqueViolation     = "23505"
	lockNotAvailable    = "55P03"
)

func hasCode(err error, code string) bool {
	var of *pq.Error
	return errors.As(err, &of) && string(of.Code) == code
}

// interval is d as a parameter for ::interval, which keeps microseconds.
func interval(d time.Duration) string {
	return strconv.FormatInt(d.Microseconds(), 10) + " microseconds"
}

// utc is t as the models keep it: in UTC, and the zero time for NULL.
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

// text is s as a parameter, NULL for the empty string.
func text[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}
