package script

import (
	"fmt"
	"slices"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// empty is a cell of a column that may be empty.
const empty = "-"

// reminders reads the rows of the table of reminders that are there at the start.
func (p *parser) reminders(d *lines.Directive) {
	p.Table(d, []string{"hold", "channel", "outcome"}, func() lines.Entry {
		r := &reminderRow{}
		return lines.Entry{Columns: p.reminderColumns(r), Done: func(row lines.Row, ok bool) {
			if ok {
				p.addReminder(row, r)
			}
		}}
	})
}

// reminderRow is a row, and which of its columns a line gave.
type reminderRow struct {
	row                           reference.Row
	claimed, lease, settled, held bool
}

// reminderColumns has the hold first, for the others' defaults depend on it.
func (p *parser) reminderColumns(r *reminderRow) []lines.Setting {
	row := &r.row
	return []lines.Setting{
		{Key: "hold", Set: func(value string) error {
			h, err := p.holdAtStart(value)
			row.Window = h.Window()
			return err
		}},
		p.inSeconds("window", &row.ExpiresAt),
		lines.OneOf("channel", &row.Channel, "channel", reference.Channels...),
		{Key: "outcome", Set: func(value string) error { return outcome(&row.Outcome, value) }},
		orEmpty(lines.OneOf("doubt", &row.Doubt, "doubt", reference.Timeout, reference.Lapsed), nil),
		orEmpty(p.instant("claimed", &row.FirstClaimedAt), &r.claimed),
		orEmpty(p.instant("lease", &row.LeaseUntil), &r.lease),
		orEmpty(p.instant("not-before", &row.NotBefore), nil),
		orEmpty(p.instant("settled", &row.SettledAt), &r.settled),
		orEmpty(name("token", &row.Token), &r.held),
		orEmpty(name("message", &row.MessageID), nil),
		orEmpty(name("receipt", &row.ProviderRef), nil),
	}
}

// orEmpty lets a cell be empty, and notes that the line has it.
func orEmpty(s lines.Setting, had *bool) lines.Setting {
	return lines.Setting{Key: s.Key, Set: func(value string) error {
		if had != nil {
			*had = true
		}
		if value == empty {
			return nil
		}
		return s.Set(value)
	}}
}

func outcome(to *reference.Outcome, value string) error {
	for _, o := range outcomes {
		if o.String() == value {
			*to = o
			return nil
		}
	}
	return lines.UnknownWord("outcome", value, outcomeTexts())
}

// holdAtStart is a hold that is there when the world starts.
func (p *parser) holdAtStart(id string) (reference.Hold, error) {
	i := slices.IndexFunc(p.s.Holds, func(h reference.Hold) bool { return string(h.ID) == id })
	if i < 0 {
		return reference.Hold{}, p.unknownHold(id)
	}
	return p.s.Holds[i], nil
}

// addReminder fills in what the line left out: settled, or claimed, at the start, under a token of
// its own and a lease of the usual length.
func (p *parser) addReminder(line lines.Row, r *reminderRow) {
	row := &r.row
	if !r.settled && !row.Open() {
		row.SettledAt = p.s.Start
	}
	if !r.claimed {
		row.FirstClaimedAt = p.s.Start
	}
	if !r.held {
		row.Token = reference.Token(fmt.Sprintf("before-%s-%d-%s", row.Hold, row.ExpiresAt.Unix(), row.Channel))
	}
	if !r.lease && row.Token != "" {
		row.LeaseUntil = row.FirstClaimedAt.Add(p.s.Policy.Lease)
	}
	if problem := p.reminderProblem(*row); problem != "" {
		p.Fail(line.Cells[0].Pos, "", "%s", problem)
		return
	}
	p.s.Rows = append(p.s.Rows, *row)
	p.know(row.Hold, row.ExpiresAt)
}

// reminderProblem says what no store would have in its table.
func (p *parser) reminderProblem(row reference.Row) string {
	h, _ := p.holdAtStart(string(row.Hold))
	switch {
	case !h.Has(row.Channel):
		return fmt.Sprintf("hold %s has channels %v", h.ID, h.Channels)
	case row.ExpiresAt.After(h.ExpiresAt):
		return fmt.Sprintf("hold %s is in window %s, and an earlier one can't be later", h.ID, p.clock(h.ExpiresAt))
	case row.Open() == !row.SettledAt.IsZero():
		return "a reminder has an outcome and the time it was settled, or neither"
	case row.Open() && (row.Token == "") != row.LeaseUntil.IsZero():
		return "an open reminder has a token and a lease, or neither"
	case slices.ContainsFunc(p.s.Rows, func(r reference.Row) bool { return same(r.Reminder, row.Reminder) }):
		return fmt.Sprintf("reminder %s is there already", row.Reminder)
	}
	return ""
}

func same(a, b reference.Reminder) bool {
	return a.Hold == b.Hold && a.Channel == b.Channel && a.ExpiresAt.Equal(b.ExpiresAt)
}
