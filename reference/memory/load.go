package memory

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seathold/seathold/reference"
)

// Load adds holds and rows in any state that they could have come to, and nothing if one of them
// can't be or is there already. A row needs its hold, loaded before or with it.
func (s *Store) Load(holds []reference.Hold, rows []reference.Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	loaded := make(map[reference.HoldID]reference.Hold, len(holds))
	for _, h := range holds {
		if err := s.checkHold(h, loaded); err != nil {
			return fmt.Errorf("load hold %s: %w", h.ID, err)
		}
		loaded[h.ID] = h
	}
	seen := make(map[rowName]bool, len(rows))
	for _, r := range rows {
		if err := s.checkRow(r, loaded, seen); err != nil {
			return fmt.Errorf("load row %s: %w", r.Reminder, err)
		}
	}
	for _, h := range holds {
		s.add(h)
	}
	for _, r := range rows {
		s.write(s.holds[r.Hold], r)
	}
	return nil
}

type rowName struct {
	hold    reference.HoldID
	second  int64
	channel reference.Channel
}

func (s *Store) checkHold(h reference.Hold, loaded map[reference.HoldID]reference.Hold) error {
	if err := h.Check(); err != nil {
		return err
	}
	switch h.State {
	case reference.Held, reference.Confirmed, reference.Cancelled, reference.Expired:
	default:
		return fmt.Errorf("unknown state %q: %w", h.State, reference.ErrInvalid)
	}
	if _, twice := loaded[h.ID]; twice || s.holds[h.ID] != nil {
		return reference.ErrHoldExists
	}
	return nil
}

func (s *Store) checkRow(r reference.Row, loaded map[reference.HoldID]reference.Hold, seen map[rowName]bool) error {
	e := s.holds[r.Hold]
	h, found := loaded[r.Hold]
	if e != nil {
		h, found = e.hold, true
	}
	if !found {
		return reference.ErrNoHold
	}
	if !h.Has(r.Channel) {
		return fmt.Errorf("the hold has channels %v: %w", h.Channels, reference.ErrInvalid)
	}
	h.ExpiresAt = r.ExpiresAt
	if err := h.Check(); err != nil {
		return err
	}
	if err := checkRowState(r); err != nil {
		return err
	}
	name := rowName{r.Hold, r.ExpiresAt.Unix(), r.Channel}
	if seen[name] || e.row(r.Reminder) != nil {
		return fmt.Errorf("there is such a row: %w", reference.ErrInvalid)
	}
	seen[name] = true
	return nil
}

func checkRowState(r reference.Row) error {
	if r.Doubt != "" && r.Doubt != reference.Timeout && r.Doubt != reference.Lapsed {
		return fmt.Errorf("doubt %q is neither %s nor %s: %w", r.Doubt, reference.Timeout, reference.Lapsed, reference.ErrInvalid)
	}
	switch r.Outcome {
	case reference.Outcome{}:
		if (r.Token == "") != r.LeaseUntil.IsZero() {
			return fmt.Errorf("an open row has a token and a lease, or neither: %w", reference.ErrInvalid)
		}
		if !r.SettledAt.IsZero() {
			return fmt.Errorf("an open row was not settled: %w", reference.ErrInvalid)
		}
	case reference.Outcome{Verdict: reference.Sent},
		reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected},
		reference.Outcome{Verdict: reference.Dropped, Reason: reference.Throttled},
		reference.Outcome{Verdict: reference.Dropped, Reason: reference.Stalled},
		reference.Outcome{Verdict: reference.Dropped, Reason: reference.Missed},
		reference.Outcome{Verdict: reference.Unknown, Reason: reference.Timeout},
		reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed}:
		if r.SettledAt.IsZero() {
			return fmt.Errorf("a row with an outcome has the time of it: %w", reference.ErrInvalid)
		}
	default:
		return fmt.Errorf("unknown outcome %s: %w", r.Outcome, reference.ErrInvalid)
	}
	return nil
}

// Snapshot copies everything: holds by id, and rows by hold, window and channel.
func (s *Store) Snapshot() ([]reference.Hold, []reference.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	holds := make([]reference.Hold, 0, len(s.holds))
	var rows []reference.Row
	for _, id := range slices.Sorted(maps.Keys(s.holds)) {
		e := s.holds[id]
		holds = append(holds, copyOf(e.hold))
		rows = append(rows, e.rows...)
	}
	return holds, rows
}
