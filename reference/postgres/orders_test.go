package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// player is one of two transactions that a test takes through their steps. It is the database of
// a Store whose every BEGIN, statement and COMMIT waits for its turn.
type player struct {
	conn *sql.Conn
	pid  int
	// coarse takes a statement that is a transaction of its own as one step.
	coarse bool
	ready  chan string   // the step that it wants to take next, or ended
	turn   chan struct{} // take it
	// prepared are the statements that conn knows.
	prepared map[string]*sql.Stmt
}

func (p *player) stmt(ctx context.Context, statement string) (*sql.Stmt, error) {
	if known := p.prepared[statement]; known != nil {
		return known, nil
	}
	made, err := p.conn.PrepareContext(ctx, statement)
	if err == nil {
		p.prepared[statement] = made
	}
	return made, err
}

const ended = "ended"

// step waits for the turn to do what.
func (p *player) step(what string) {
	p.ready <- what
	<-p.turn
}

// query runs a statement as the pool does, in a transaction of its own.
func (p *player) query(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	stmt, err := p.stmt(ctx, statement)
	if err != nil {
		return nil, err
	}
	if p.coarse {
		p.step("statement")
		return stmt.QueryContext(ctx, args...)
	}
	p.step("begin")
	tx, err := p.conn.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	p.step("statement")
	rows, err := tx.StmtContext(ctx, stmt).QueryContext(ctx, args...)
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	// The rows are read before the commit, and given from a statement that has nothing to do with
	// the tables, so that they can be read after it.
	values, names, err := readAll(rows)
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	p.step("commit")
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	return p.conn.QueryContext(ctx, constant(values, names))
}

// inTx begins together with the first statement: BEGIN alone does nothing that another could see.
func (p *player) inTx(ctx context.Context, what func(conn) error) error {
	t := &playedTx{player: p}
	if err := what(t); err != nil {
		if t.tx != nil {
			_ = t.tx.Rollback()
		}
		return err
	}
	p.step("commit")
	return t.tx.Commit()
}

type playedTx struct {
	player *player
	tx     *sql.Tx
}

func (t *playedTx) query(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	stmt, err := t.player.stmt(ctx, statement)
	if err != nil {
		return nil, err
	}
	t.player.step("statement")
	if t.tx == nil {
		tx, err := t.player.conn.BeginTx(ctx, nil)
		if err != nil {
			return nil, err
		}
		t.tx = tx
	}
	return t.tx.StmtContext(ctx, stmt).QueryContext(ctx, args...)
}

// readAll reads rows as text.
func readAll(rows *sql.Rows) (values [][]sql.Null[string], types []string, err error) {
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	for _, c := range columns {
		types = append(types, c.DatabaseTypeName())
	}
	for rows.Next() {
		line := make([]sql.Null[string], len(columns))
		dest := make([]any, len(columns))
		for i := range line {
			dest[i] = &line[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, nil, err
		}
		values = append(values, line)
	}
	return values, types, rows.Err()
}

// constant is a statement that gives those values.
func constant(values [][]sql.Null[string], types []string) string {
	var lines []string
	for _, line := range values {
		var columns []string
		for i, v := range line {
			literal := "null"
			if v.Valid {
				literal = "'" + strings.ReplaceAll(v.V, "'", "''") + "'"
			}
			columns = append(columns, literal+"::"+types[i])
		}
		lines = append(lines, "select "+strings.Join(columns, ", "))
	}
	if len(lines) == 0 {
		return "select where false"
	}
	return strings.Join(lines, " union all ")
}

// match plays two operations against each other, in one order of their steps.
type match struct {
	control *sql.Conn
	players [2]*player
}

func newMatch(t *testing.T, db *sql.DB) *match {
	t.Helper()
	connect := func() *sql.Conn {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	m := &match{control: connect()}
	for i := range m.players {
		m.players[i] = &player{conn: connect(), prepared: map[string]*sql.Stmt{}}
		if err := m.players[i].conn.QueryRowContext(t.Context(), "select pg_backend_pid()").Scan(&m.players[i].pid); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// blocked asks Postgres whether p waits for another to finish.
func (m *match) blocked(t *testing.T, p *player) bool {
	t.Helper()
	var waits bool
	pids := fmt.Sprintf("{%d,%d}", m.players[0].pid, m.players[1].pid)
	err := m.control.QueryRowContext(t.Context(), "select pg_isolation_test_session_is_blocked($1, $2)", p.pid, pids).Scan(&waits)
	if err != nil {
		t.Fatal(err)
	}
	return waits
}

// order is which player takes each step.
type order []int

func (o order) String() string {
	var b strings.Builder
	for _, i := range o {
		b.WriteByte(byte('A' + i))
	}
	return b.String()
}

// played is what one order came to.
type played struct {
	order order
	// choices are how many players could have taken each step.
	choices []int
	// last is who ended last.
	last    int
	answers [2]string
	// waited says that one had to wait for the other.
	waited bool
}

// play takes the players' operations through their steps: as begin says for as long as it does, and
// then the first who can.
func (m *match) play(t *testing.T, begin order, operations [2]func(database) string) played {
	t.Helper()
	var result played
	var both sync.WaitGroup
	for i, p := range m.players {
		p.ready, p.turn = make(chan string), make(chan struct{})
		both.Go(func() {
			result.answers[i] = operations[i](p)
			p.ready <- ended
		})
	}
	var next [2]string // the step that a player waits to take; empty while it runs
	turn := 0
	for next != [2]string{ended, ended} {
		before := next
		able := m.settle(t, &next, turn)
		for _, i := range []int{turn, 1 - turn} { // in the order in which they were looked at
			if next[i] == ended && before[i] != ended {
				result.last = i
			}
		}
		switch {
		case len(able) == 0 && next != [2]string{ended, ended}:
			t.Fatalf("%s: both wait for each other", result.order)
		case len(able) == 0:
			continue
		}
		turn = able[0]
		if n := len(result.order); n < len(begin) {
			turn = begin[n]
		}
		result.waited = result.waited || next[1-turn] == ""
		result.choices = append(result.choices, len(able))
		result.order = append(result.order, turn)
		next[turn] = ""
		m.players[turn].turn <- struct{}{}
	}
	both.Wait()
	return result
}

// settle waits until each player is ready for its next step, has ended or, as Postgres says, waits
// for the other, and gives those who are ready. Who moved last comes first: when it stands still,
// whether the other waits for it doesn't change any more.
func (m *match) settle(t *testing.T, next *[2]string, moved int) (able []int) {
	t.Helper()
	for _, i := range []int{moved, 1 - moved} {
		for next[i] == "" {
			select {
			case next[i] = <-m.players[i].ready:
				continue
			case <-time.After(time.Millisecond): // how often Postgres is asked
			}
			if m.blocked(t, m.players[i]) {
				break
			}
		}
	}
	for i := range next {
		if next[i] != "" && next[i] != ended {
			able = append(able, i)
		}
	}
	return able
}

const ordersMax = 20_000

// allOrders plays every order of the steps of two operations, and hands over what each came to.
// Reset is called before each.
func (m *match) allOrders(t *testing.T, reset func(), operations [2]func(database) string, check func(played)) int {
	t.Helper()
	var begin order
	for n := 1; n <= ordersMax; n++ {
		reset()
		p := m.play(t, begin, operations)
		check(p)
		begin = following(p)
		if begin == nil {
			return n
		}
	}
	t.Fatalf("more than %d orders", ordersMax)
	return 0
}

// following is how the next order begins after p: where the first player was taken last though both
// were able, the second is taken.
func following(p played) order {
	for i := len(p.order) - 1; i >= 0; i-- {
		if p.choices[i] == 2 && p.order[i] == 0 {
			return append(slices.Clone(p.order[:i]), 1)
		}
	}
	return nil
}
