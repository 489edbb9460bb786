package memory

import (
	"context"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
)

// Due implements reference.SweepStore. It costs the page, what it skips (held holds with a row for
// every channel, and open rows that wait), and the logarithm of the rest.
func (s *Store) Due(ctx context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	if err := ended(ctx, "due to", q.Kind); err != nil {
		return nil, err
	}
	now := s.lock()
	defer s.mu.Unlock()
	if q.Kind == reference.Expire {
		return s.dueToExpire(q, now), nil
	}
	return s.dueToRemind(q, now), nil
}

func (s *Store) dueToExpire(q reference.DueQuery, now time.Time) []reference.Nomination {
	var found []reference.Nomination
	for p := s.held.after(keyOf(q.After, nil)); len(found) < q.Limit; p.i++ {
		k, ok := s.held.at(&p)
		if !ok || now.Before(k.entry.hold.ExpiresAt) {
			break
		}
		found = append(found, nominate(q, k, now))
	}
	return found
}

// dueToRemind merges the held holds that are due with the windows that have an open row.
func (s *Store) dueToRemind(q reference.DueQuery, now time.Time) []reference.Nomination {
	var found []reference.Nomination
	after := keyOf(q.After, nil)
	held, open := s.held.after(s.firstBeforeCutoff(after, q, now)), s.open.after(after)
	for len(found) < q.Limit {
		h, due := s.held.at(&held)
		due = due && !now.Before(h.entry.hold.ExpiresAt.Add(-q.Lead))
		o, left := s.open.at(&open)
		switch {
		case !due && !left:
			return found
		case due && (!left || h.compare(o) <= 0):
			held.i++
			both := left && h.compare(o) == 0
			if both {
				open.i++
			}
			if h.entry.lacksRow() || both && h.entry.ready(h.second, now) {
				found = append(found, nominate(q, h, now))
			}
		default:
			open.i++
			if o.entry.ready(o.second, now) {
				found = append(found, nominate(q, o, now))
			}
		}
	}
	return found
}

// firstBeforeCutoff is after, or a key behind which every window's cut-off is still to come,
// whichever is further.
func (s *Store) firstBeforeCutoff(after windowKey, q reference.DueQuery, now time.Time) windowKey {
	// A window that ends in this very second has its cut-off now, or had it: the whole second is
	// passed over, and no id is as long as this one.
	passed := windowKey{second: now.Add(q.Cutoff).Unix(), id: beyondIDs}
	if passed.compare(after) > 0 {
		return passed
	}
	return after
}

// beyondIDs is after every id, for no UTF-8 has this byte.
const beyondIDs = "\xff"

// lacksRow says whether some channel of the hold has no row in its present window.
func (e *entry) lacksRow() bool {
	rows := e.in(e.hold.Window())
	for _, c := range e.hold.Channels {
		if !slices.ContainsFunc(rows, func(r reference.Row) bool { return r.Channel == c }) {
			return true
		}
	}
	return false
}

// ready says whether a row of the window that ends at second is open, and nothing keeps it back.
func (e *entry) ready(second int64, now time.Time) bool {
	for _, r := range e.in(reference.Window{Hold: e.hold.ID, ExpiresAt: time.Unix(second, 0)}) {
		if _, waiting := r.Waiting(now); r.Open() && !waiting {
			return true
		}
	}
	return false
}

func nominate(q reference.DueQuery, k windowKey, now time.Time) reference.Nomination {
	h := &k.entry.hold
	w := reference.Window{Hold: k.id, ExpiresAt: time.Unix(k.second, 0).UTC()}
	due := w.ExpiresAt
	if q.Kind == reference.Remind {
		due = due.Add(-q.Lead)
	}
	return reference.Nomination{
		Message: reference.Message{Kind: q.Kind, Window: w, Learner: h.Learner, Section: h.Section, Zone: h.Zone},
		Age:     now.Sub(due),
	}
}

// ExpireOverdue implements reference.SweepStore.
func (s *Store) ExpireOverdue(ctx context.Context, age time.Duration, limit int) ([]reference.Window, error) {
	if err := ended(ctx, "expire what is overdue by", age); err != nil {
		return nil, err
	}
	now := s.lock()
	defer s.mu.Unlock()
	var windows []reference.Window
	for len(windows) < limit {
		k, ok := s.held.at(&place{})
		if !ok || now.Before(k.entry.hold.ExpiresAt.Add(age)) {
			break
		}
		windows = append(windows, k.entry.hold.Window())
		s.expire(k.entry, "", now)
	}
	return windows, nil
}

// RecordSweep implements reference.SweepStore.
func (s *Store) RecordSweep(ctx context.Context, r reference.Report) error {
	if err := ended(ctx, "record sweep", r.ID); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.recorded[r.ID] {
		s.recorded[r.ID] = true
		s.sweeps = append(s.sweeps, r)
	}
	return nil
}

// Sweeps gives the reports, in the order in which they were recorded.
func (s *Store) Sweeps() []reference.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sweeps)
}
