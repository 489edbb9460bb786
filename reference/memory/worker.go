package memory

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference"
)

// Claim implements reference.WorkerStore.
func (s *Store) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	if err := ended(ctx, "claim", q.Reminder); err != nil {
		return reference.Claim{}, err
	}
	now := s.lock()
	defer s.mu.Unlock()
	f, e := s.facts(q.Reminder, now)
	claim, row := q.Decide(f)
	if row != nil {
		s.write(e, *row)
	}
	return claim, nil
}

// Settle implements reference.WorkerStore.
func (s *Store) Settle(ctx context.Context, settlement reference.Settlement) (reference.SettleAnswer, error) {
	if err := ended(ctx, "settle", settlement.Reminder); err != nil {
		return "", err
	}
	now := s.lock()
	defer s.mu.Unlock()
	f, e := s.facts(settlement.Reminder, now)
	answer, row := settlement.DecideSettle(f)
	if row != nil {
		s.write(e, *row)
	}
	return answer, nil
}

// Release implements reference.WorkerStore.
func (s *Store) Release(ctx context.Context, r reference.Release) error {
	if err := ended(ctx, "release", r.Reminder); err != nil {
		return err
	}
	now := s.lock()
	defer s.mu.Unlock()
	f, e := s.facts(r.Reminder, now)
	if f.Row == nil {
		return nil
	}
	if row, applies := r.Apply(*f.Row, now); applies {
		s.write(e, row)
	}
	return nil
}

// Expire implements reference.WorkerStore.
func (s *Store) Expire(ctx context.Context, w reference.Window, messageID string) (reference.Expiry, time.Duration, error) {
	if err := ended(ctx, "expire", w); err != nil {
		return "", 0, err
	}
	now := s.lock()
	defer s.mu.Unlock()
	e := s.holds[w.Hold]
	var h *reference.Hold
	if e != nil {
		h = &e.hold
	}
	answer, wait := reference.DecideExpiry(w, h, now)
	if answer == reference.ExpiredNow {
		s.expire(e, messageID, now)
	}
	return answer, wait, nil
}

// expire gives e's seat back, and accounts for every channel on which no attempt was made, or none
// that may have been accepted. Other open rows are left to their worker or their lapse.
func (s *Store) expire(e *entry, messageID string, now time.Time) {
	w := e.hold.Window()
	s.leaveHeld(e, reference.Expired)
	for _, c := range e.hold.Channels {
		row := reference.Row{Reminder: reference.Reminder{Window: w, Channel: c}}
		if was := e.row(row.Reminder); was != nil {
			row = *was
		}
		if !row.Free() || row.Doubt != "" {
			continue
		}
		row.Outcome, row.MessageID, row.SettledAt = row.Abandoned(), messageID, now
		s.write(e, row)
	}
}

// leaveHeld ends the held state of e, which is in it.
func (s *Store) leaveHeld(e *entry, to reference.State) {
	s.held.remove(keyOf(e.hold.Window(), e))
	e.hold.State = to
}
