package published

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// table is seat_holds and a table of claims, of which hold_id is the key.
type table struct {
	*memory.Store
	claims map[reference.HoldID]reference.Token
}

// Due takes every held hold that runs out within the look-ahead, the longest over first.
func (t table) Due(_ context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	return defect.Nominate(t.Store, q, func(h reference.Hold, _ []reference.Row, now time.Time) bool {
		if q.Kind == reference.Expire {
			q.Lead = 0
		}
		return !now.Before(h.ExpiresAt.Add(-q.Lead))
	}), nil
}

// Claim is insert … on conflict do nothing. Both channels ask for it, so that every send has one.
func (t table) Claim(_ context.Context, q reference.ClaimRequest) (claim reference.Claim, _ error) {
	t.Edit(q.Reminder.Hold, func(now time.Time, _ *reference.Hold, rows *[]reference.Row) {
		holder, taken := t.claims[q.Reminder.Hold]
		if taken && holder != q.Token {
			claim.Answer = reference.Settled
			return
		}
		t.claims[q.Reminder.Hold] = q.Token
		claim = reference.Claim{Answer: reference.Granted, LeaseLeft: q.Lease}
		defect.Write(rows, reference.Row{
			Reminder: q.Reminder, Token: q.Token, LeaseUntil: now.Add(q.Lease), FirstClaimedAt: now, MessageID: q.MessageID,
		})
	})
	return claim, nil
}

// Expire is an update by hold_id alone.
func (t table) Expire(_ context.Context, w reference.Window, _ string) (reference.Expiry, time.Duration, error) {
	t.Edit(w.Hold, func(_ time.Time, h *reference.Hold, _ *[]reference.Row) {
		if h != nil {
			h.State = reference.Expired
		}
	})
	return reference.ExpiredNow, 0, nil
}
