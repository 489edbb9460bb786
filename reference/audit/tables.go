package audit

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/admin"
)

// Count is how many reminders of a channel ended in a way, or haven't ended: open(claimed),
// open(lapsed) or open(free).
type Count struct {
	Channel reference.Channel `json:"channel"`
	Outcome string            `json:"outcome"`
	Count   int               `json:"count"`
}

// Report is what an audit found.
type Report struct {
	// At is the time of the tables, by the database's clock.
	At    time.Time     `json:"at"`
	Since time.Time     `json:"since,omitzero"`
	Bound time.Duration `json:"-"`
	// Holds counts by state; those held are Overdue where their time is over.
	Holds     map[reference.State]int `json:"holds"`
	Overdue   int                     `json:"overdue"`
	Reminders []Count                 `json:"reminders"`
	// Log is nil where no provider's log was given.
	Log *LogReport `json:"provider_log,omitempty"`
	// Findings are the first findingsMax; Broken counts all, by promise and class.
	Findings []Finding `json:"findings"`
	Broken   []Broken  `json:"broken"`
}

// LogReport is what the comparison with a provider's log counted.
type LogReport struct {
	Accepted           int `json:"accepted"`
	UnknownAccepted    int `json:"unknown_accepted"`
	UnknownNotAccepted int `json:"unknown_not_accepted"`
	DoubledByPolicy    int `json:"doubled_by_policy"`
}

// Broken is how often a promise was broken in a way.
type Broken struct {
	Promise string `json:"promise"`
	Class   string `json:"class"`
	Count   int    `json:"count"`
}

// Clean says that no promise was found broken.
func (r *Report) Clean() bool { return len(r.Broken) == 0 }

// patience is how long reading all holds may take.
const patience = 30 * time.Minute

const holdsAndRows = `
select ` + admin.HoldColumnNames + `, ` + admin.RowColumnNames + `
from seat_holds h left join reminders r on r.hold_id = h.hold_id
where $1::timestamptz is null or h.expires_at >= $1
order by h.hold_id, r.window_expires_at, r.channel`

// Tables judges every hold whose window ends at or after rules.Since, as of one instant, which
// becomes rules.Now. It needs memory for the log and one hold. A log must have been closed before:
// what is accepted has a row first. It may be nil.
func Tables(ctx context.Context, db *sql.DB, rules Rules, log *Log) (*Report, error) {
	a := &auditor{rules: rules, log: log, counts: map[Count]int{}, report: &Report{
		Since: rules.Since, Bound: rules.Bound(), Holds: map[reference.State]int{}, Findings: []Finding{}, Broken: []Broken{},
	}}
	for _, s := range []reference.State{reference.Held, reference.Confirmed, reference.Cancelled, reference.Expired} {
		a.report.Holds[s] = 0
	}
	tables := admin.Tables{DB: db}
	if err := tables.Snapshot(ctx, patience, func(c *sql.Tx) error { return a.read(ctx, c) }); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	a.end()
	return a.report, nil
}

type auditor struct {
	rules  Rules
	log    *Log
	report *Report
	counts map[Count]int
}

func (a *auditor) read(ctx context.Context, c *sql.Tx) error {
	if err := c.QueryRowContext(ctx, `select clock_timestamp()`).Scan(&a.rules.Now); err != nil {
		return err
	}
	a.rules.Now = a.rules.Now.UTC()
	a.report.At = a.rules.Now
	rows, err := c.QueryContext(ctx, holdsAndRows, since(a.rules.Since))
	if err != nil {
		return err
	}
	defer rows.Close()
	var hold reference.Hold
	var own []reference.Row
	begun := false
	for rows.Next() {
		var columns admin.HoldAndRow
		if err := rows.Scan(columns.Dest()...); err != nil {
			return err
		}
		h, row := columns.Scanned()
		if begun && h.ID != hold.ID {
			a.judge(hold, own)
			own = own[:0]
		}
		hold, begun = h, true
		if row != nil {
			own = append(own, *row)
		}
	}
	if begun {
		a.judge(hold, own)
	}
	return rows.Err()
}

func since(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func (a *auditor) judge(h reference.Hold, rows []reference.Row) {
	a.report.Holds[h.State]++
	if h.State == reference.Held && !a.rules.Now.Before(h.ExpiresAt) {
		a.report.Overdue++
	}
	for _, row := range rows {
		if row.ExpiresAt.Before(a.rules.Since) {
			continue
		}
		outcome := row.Outcome.String()
		if row.Open() {
			outcome = "open(" + standing(row, a.rules.Now) + ")"
		}
		a.counts[Count{Channel: row.Channel, Outcome: outcome}]++
	}
	a.add(a.rules.Hold(h, rows, a.log)...)
}

func (a *auditor) add(findings ...Finding) {
	for _, f := range findings {
		if len(a.report.Findings) < findingsMax {
			a.report.Findings = append(a.report.Findings, f)
		}
		i := slices.IndexFunc(a.report.Broken, func(b Broken) bool { return b.Promise == f.Promise && b.Class == f.Class })
		if i < 0 {
			i = len(a.report.Broken)
			a.report.Broken = append(a.report.Broken, Broken{Promise: f.Promise, Class: f.Class})
		}
		a.report.Broken[i].Count++
	}
}

// end adds what the log has beside the tables, and brings everything into order.
func (a *auditor) end() {
	for _, left := range a.log.rest() {
		if left.At.Before(a.rules.Since) {
			continue
		}
		a.add(Finding{Promise: "P2", Class: NotOnRecord, Sentence: fmt.Sprintf(
			"the provider accepted key %q at %s, and no reminder on record has it; every send has a claim on record", left.Key, clock(left.At))})
	}
	if a.log != nil {
		a.report.Log = &LogReport{a.log.Accepted, a.log.UnknownAccepted, a.log.UnknownNotAccepted, a.log.DoubledByPolicy}
	}
	a.report.Reminders = []Count{}
	for of, n := range a.counts {
		of.Count = n
		a.report.Reminders = append(a.report.Reminders, of)
	}
	slices.SortFunc(a.report.Reminders, func(x, y Count) int {
		return cmp.Or(cmp.Compare(x.Channel, y.Channel), cmp.Compare(x.Outcome, y.Outcome))
	})
	slices.SortFunc(a.report.Broken, func(x, y Broken) int {
		return cmp.Or(cmp.Compare(x.Promise, y.Promise), cmp.Compare(x.Class, y.Class))
	})
}
