package defect

import (
	"context"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// Nominate gives the page that q asks for, of the held holds that are due by what due says.
func Nominate(s *memory.Store, q reference.DueQuery, due func(h reference.Hold, rows []reference.Row, now time.Time) bool) []reference.Nomination {
	var found []reference.Nomination
	for _, h := range s.Held() {
		if len(found) == q.Limit || h.Window().Compare(q.After) <= 0 {
			continue
		}
		s.Edit(h.ID, func(now time.Time, _ *reference.Hold, rows *[]reference.Row) {
			if due(h, *rows, now) {
				found = append(found, nomination(q, h, now))
			}
		})
	}
	return found
}

func nomination(q reference.DueQuery, h reference.Hold, now time.Time) reference.Nomination {
	from := h.ExpiresAt
	if q.Kind == reference.Remind {
		from = from.Add(-q.Lead)
	}
	return reference.Nomination{
		Message: reference.Message{Kind: q.Kind, Window: h.Window(), Learner: h.Learner, Section: h.Section, Zone: h.Zone},
		Age:     now.Sub(from),
	}
}

// InTime says that at now h is due by q, and before its cut-off.
func InTime(q reference.DueQuery, h reference.Hold, now time.Time) bool {
	return !now.Before(h.ExpiresAt.Add(-q.Lead)) && now.Before(h.ExpiresAt.Add(-q.Cutoff))
}

// LacksRow says whether some channel of h has no row in its present window.
func LacksRow(h reference.Hold, rows []reference.Row) bool {
	for _, c := range h.Channels {
		if Find(rows, reference.Reminder{Window: h.Window(), Channel: c}) == nil {
			return true
		}
	}
	return false
}

// Filtered gives the page that q asks for, of those that the reference would nominate and keep keeps.
func Filtered(ctx context.Context, s *memory.Store, q reference.DueQuery, keep func(reference.Nomination) bool) ([]reference.Nomination, error) {
	whole := q
	whole.Limit = 1 << 30
	all, err := s.Due(ctx, whole)
	var found []reference.Nomination
	for _, n := range all {
		if len(found) < q.Limit && keep(n) {
			found = append(found, n)
		}
	}
	return found, err
}

// MessageIn reads an entry's message; one that is none is the zero Message.
func MessageIn(e reference.Entry) reference.Message {
	m, _ := reference.DecodeMessage(e.Payload)
	return m
}
