// Package memory is the model of the stores and of the production queue: what reference/postgres
// does, without a database. It takes every decision from package reference, and keeps nothing over
// a restart.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seathold/seathold/reference"
)

// Store keeps holds, reminders and sweep reports. Any number of goroutines may use one. It
// implements reference.SweepStore, reference.WorkerStore and reference.HoldStore.
type Store struct {
	// mu is the lock of every hold at once, so that each call is one instant.
	mu    sync.Mutex
	now   func() time.Time
	holds map[reference.HoldID]*entry
	// held has the windows that holds in state held are in; open has those with an open row.
	held, open index[windowKey]
	sweeps     []reference.Report
	recorded   map[reference.Token]bool
}

// entry is a hold with all its rows, ordered by window and channel.
type entry struct {
	hold reference.Hold
	rows []reference.Row
}

// windowKey orders windows as reference.Window.Compare does. The seconds stand for the time, for
// two time.Time of one instant may differ.
type windowKey struct {
	second int64
	id     reference.HoldID
	entry  *entry
}

func (k windowKey) compare(o windowKey) int {
	if c := cmp.Compare(k.second, o.second); c != 0 {
		return c
	}
	return strings.Compare(string(k.id), string(o.id))
}

func keyOf(w reference.Window, e *entry) windowKey {
	return windowKey{w.ExpiresAt.Unix(), w.Hold, e}
}

// NewStore makes an empty store whose database clock is now. The store calls now while it holds
// its lock, as a database reads its clock from a locked row; now must not call the store.
func NewStore(now func() time.Time) *Store {
	return &Store{now: now, holds: map[reference.HoldID]*entry{}, recorded: map[reference.Token]bool{}}
}

// lock begins a transaction, and reads the clock after the lock is had.
func (s *Store) lock() time.Time {
	s.mu.Lock()
	return micro(s.now())
}

// micro is t as Postgres keeps it: in UTC and whole microseconds, without a monotonic reading.
func micro(t time.Time) time.Time { return time.UnixMicro(t.UnixMicro()).UTC() }

// ended says, wrapped, that ctx is over, if it is. It is generic so that on is not put on the heap
// for an error that hardly ever is.
func ended[T any](ctx context.Context, what string, on T) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %v: %w", what, on, err)
	}
	return nil
}

// find gives the place of r's row in e, or where it belongs.
func (e *entry) find(r reference.Reminder) (int, bool) {
	return slices.BinarySearchFunc(e.rows, r, func(row reference.Row, r reference.Reminder) int {
		if c := row.ExpiresAt.Compare(r.ExpiresAt); c != 0 {
			return c
		}
		return cmp.Compare(slices.Index(reference.Channels, row.Channel), slices.Index(reference.Channels, r.Channel))
	})
}

// row gives r's row as it is kept, or nil.
func (e *entry) row(r reference.Reminder) *reference.Row {
	if e == nil {
		return nil
	}
	if i, found := e.find(r); found {
		return &e.rows[i]
	}
	return nil
}

// facts reads what a decision about r needs. The pointers are into the store.
func (s *Store) facts(r reference.Reminder, now time.Time) (reference.Facts, *entry) {
	f := reference.Facts{Now: now}
	e := s.holds[r.Hold]
	if e != nil {
		f.Hold, f.Row = &e.hold, e.row(r)
	}
	return f, e
}

// write puts row in place of the one of its reminder, if any, and keeps the index of open rows.
func (s *Store) write(e *entry, row reference.Row) {
	row.ExpiresAt = micro(row.ExpiresAt)
	row.LeaseUntil, row.NotBefore = micro(row.LeaseUntil), micro(row.NotBefore)
	row.FirstClaimedAt, row.SettledAt = micro(row.FirstClaimedAt), micro(row.SettledAt)
	was := e.open(row.Window)
	if i, found := e.find(row.Reminder); found {
		e.rows[i] = row
	} else {
		if e.rows == nil {
			e.rows = make([]reference.Row, 0, len(e.hold.Channels))
		}
		e.rows = slices.Insert(e.rows, i, row)
	}
	switch is := e.open(row.Window); {
	case is && !was:
		s.open.insert(keyOf(row.Window, e))
	case was && !is:
		s.open.remove(keyOf(row.Window, e))
	}
}

// in gives e's rows of one window.
func (e *entry) in(w reference.Window) []reference.Row {
	from, to := 0, len(e.rows)
	for from < to && e.rows[from].ExpiresAt.Before(w.ExpiresAt) {
		from++
	}
	for from < to && e.rows[to-1].ExpiresAt.After(w.ExpiresAt) {
		to--
	}
	return e.rows[from:to]
}

// open says whether a row of w is open.
func (e *entry) open(w reference.Window) bool {
	return slices.ContainsFunc(e.in(w), reference.Row.Open)
}
