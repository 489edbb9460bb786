package memory

import (
	"time"

	"github.com/seathold/seathold/reference"
)

// Edit lets do change a hold and its rows as no port would, in one transaction: with it a test puts
// a wrong store in place of this one. Where there is no such hold, do gets nil, and rows that go
// nowhere. A hold keeps its id, and a row its hold.
func (s *Store) Edit(id reference.HoldID, do func(now time.Time, h *reference.Hold, rows *[]reference.Row)) {
	now := s.lock()
	defer s.mu.Unlock()
	e := s.holds[id]
	if e == nil {
		do(now, nil, new([]reference.Row))
		return
	}
	s.held.remove(keyOf(e.hold.Window(), e))
	for _, r := range e.rows {
		s.open.remove(keyOf(r.Window, e))
	}
	rows := e.rows
	e.rows = nil
	do(now, &e.hold, &rows)
	if e.hold.State == reference.Held {
		s.held.insert(keyOf(e.hold.Window(), e))
	}
	for _, r := range rows {
		s.write(e, r)
	}
}

// Now reads the database's clock.
func (s *Store) Now() time.Time {
	now := s.lock()
	defer s.mu.Unlock()
	return now
}

// Held gives the holds in state held, in the order of their windows.
func (s *Store) Held() []reference.Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	var holds []reference.Hold
	for p := (place{}); ; p.i++ {
		k, ok := s.held.at(&p)
		if !ok {
			return holds
		}
		holds = append(holds, copyOf(k.entry.hold))
	}
}
