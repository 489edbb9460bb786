package defect

import (
	"context"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// Decisions is the model's database with other decisions; what is nil is decided as in the reference.
type Decisions struct {
	*memory.Store
	// Find gives the row that a reminder is taken to have, of all rows of its hold.
	Find    func(h *reference.Hold, rows []reference.Row, r reference.Reminder) *reference.Row
	Claimed func(q reference.ClaimRequest, f reference.Facts) (reference.Claim, *reference.Row)
	Settled func(s reference.Settlement, f reference.Facts) (reference.SettleAnswer, *reference.Row)
	// Released gives the row as it is after a release, and nil if it is deleted.
	Released func(r reference.Release, row reference.Row, now time.Time) *reference.Row
	// Expired says whether to expire a hold that is there; Dropped whether doing so ends an open row.
	// If one of them is set, so is the other.
	Expired func(w reference.Window, h reference.Hold, rows []reference.Row, now time.Time) (reference.Expiry, time.Duration)
	Dropped func(row reference.Row, now time.Time) bool
}

// Deciding is a pipeline on a database with other decisions.
func Deciding(d Decisions) func(int) Pipeline {
	return Database(func(s *memory.Store) Store {
		own := d // runs may be made at the same time
		own.Store = s
		return own
	})
}

// edit is one transaction about a reminder. Do gives the row to write, or nil.
func (d Decisions) edit(r reference.Reminder, do func(f reference.Facts) *reference.Row) {
	d.Edit(r.Hold, func(now time.Time, h *reference.Hold, rows *[]reference.Row) {
		f := reference.Facts{Now: now, Hold: h, Row: Find(*rows, r)}
		if d.Find != nil {
			f.Row = d.Find(h, *rows, r)
		}
		if row := do(f); row != nil {
			Write(rows, *row)
		}
	})
}

// Claim implements reference.WorkerStore.
func (d Decisions) Claim(_ context.Context, q reference.ClaimRequest) (claim reference.Claim, _ error) {
	decide := d.Claimed
	if decide == nil {
		decide = reference.ClaimRequest.Decide
	}
	d.edit(q.Reminder, func(f reference.Facts) (row *reference.Row) {
		claim, row = decide(q, f)
		return row
	})
	return claim, nil
}

// Settle implements reference.WorkerStore.
func (d Decisions) Settle(_ context.Context, s reference.Settlement) (answer reference.SettleAnswer, _ error) {
	decide := d.Settled
	if decide == nil {
		decide = reference.Settlement.DecideSettle
	}
	d.edit(s.Reminder, func(f reference.Facts) (row *reference.Row) {
		answer, row = decide(s, f)
		return row
	})
	return answer, nil
}

// Release implements reference.WorkerStore.
func (d Decisions) Release(ctx context.Context, r reference.Release) error {
	if d.Released == nil {
		return d.Store.Release(ctx, r)
	}
	d.Edit(r.Reminder.Hold, func(now time.Time, _ *reference.Hold, rows *[]reference.Row) {
		i := slices.IndexFunc(*rows, func(row reference.Row) bool { return Same(row.Reminder, r.Reminder) })
		if i < 0 {
			return
		}
		if row := d.Released(r, (*rows)[i], now); row != nil {
			(*rows)[i] = *row
		} else {
			*rows = slices.Delete(*rows, i, i+1)
		}
	})
	return nil
}

// Expire implements reference.WorkerStore.
func (d Decisions) Expire(ctx context.Context, w reference.Window, messageID string) (answer reference.Expiry, wait time.Duration, err error) {
	if d.Expired == nil {
		return d.Store.Expire(ctx, w, messageID)
	}
	d.Edit(w.Hold, func(now time.Time, h *reference.Hold, rows *[]reference.Row) {
		if answer = reference.ExpiryDone; h == nil {
			return
		}
		if answer, wait = d.Expired(w, *h, *rows, now); answer != reference.ExpiredNow {
			return
		}
		h.State = reference.Expired
		for _, c := range h.Channels {
			row := reference.Row{Reminder: reference.Reminder{Window: h.Window(), Channel: c}}
			if was := Find(*rows, row.Reminder); was != nil {
				row = *was
			}
			if row.Open() && d.Dropped(row, now) {
				row.Outcome, row.MessageID, row.SettledAt = row.Abandoned(), messageID, now
				Write(rows, row)
			}
		}
	})
	return answer, wait, nil
}

// AsReference is what Dropped is in the reference.
func AsReference(row reference.Row, _ time.Time) bool { return row.Free() && row.Doubt == "" }

// Same says that a and b are one reminder.
func Same(a, b reference.Reminder) bool { return a.Compare(b.Window) == 0 && a.Channel == b.Channel }

// Find gives r's row, or nil.
func Find(rows []reference.Row, r reference.Reminder) *reference.Row {
	for i := range rows {
		if Same(rows[i].Reminder, r) {
			return &rows[i]
		}
	}
	return nil
}

// Write puts row in place of its reminder's, or adds it.
func Write(rows *[]reference.Row, row reference.Row) {
	if was := Find(*rows, row.Reminder); was != nil {
		*was = row
	} else {
		*rows = append(*rows, row)
	}
}
