package stores

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

var localTimeArithmetic = defect.Defect{
	Name:    "local-time-arithmetic",
	Mistake: "expires_at is kept as the learner's wall clock shows it, and compared with UTC",
	Seen:    "holds that died on the next sweep in zones ahead of UTC: https://github.com/woocommerce/woocommerce/issues/43593",
	New: defect.Database(func(s *memory.Store) defect.Store {
		return localTime{defect.Decisions{
			Store: s,
			Claimed: func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row) {
				if f.Hold != nil {
					f.Now = seenFrom(*f.Hold, f.Now)
				}
				return q.Decide(f)
			},
			Expired: func(w reference.Window, h reference.Hold, _ []reference.Row, now time.Time) (reference.Expiry, time.Duration) {
				return reference.DecideExpiry(w, &h, seenFrom(h, now))
			},
			Dropped: defect.AsReference,
		}}
	}),
}

// seenFrom is now as it compares with h's expires_at, when that is off by the zone.
func seenFrom(h reference.Hold, now time.Time) time.Time {
	return now.Add(h.ExpiresAt.Sub(wall(h.Zone, h.ExpiresAt)))
}

type localTime struct{ defect.Decisions }

func (s localTime) Due(_ context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	return defect.Nominate(s.Store, q, func(h reference.Hold, rows []reference.Row, now time.Time) bool {
		now = seenFrom(h, now)
		if q.Kind == reference.Expire {
			return !now.Before(h.ExpiresAt)
		}
		return defect.InTime(q, h, now) && defect.LacksRow(h, rows)
	}), nil
}

func (s localTime) ExpireOverdue(ctx context.Context, age time.Duration, limit int) ([]reference.Window, error) {
	var windows []reference.Window
	for _, h := range s.Held() {
		if len(windows) == limit || seenFrom(h, s.Now()).Before(h.ExpiresAt.Add(age)) {
			continue
		}
		if _, _, err := s.Expire(ctx, h.Window(), ""); err != nil {
			return windows, err
		}
		windows = append(windows, h.Window())
	}
	return windows, nil
}
