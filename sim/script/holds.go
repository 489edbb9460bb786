package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/fixtures"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// Limits of a file that stands for more than it says.
const (
	holdsMax  = 200_000
	spokenMax = 500_000
)

// knownHold is what the checks know of a hold.
type knownHold struct {
	windows []time.Time
	// later is the hold as the table creates it after the start, if it does.
	later reference.Hold
}

// know notes a hold; a hold that is there already is no mistake here.
func (p *parser) know(id reference.HoldID, window time.Time) {
	k := p.known[id]
	if k == nil {
		k = &knownHold{}
		p.known[id] = k
		p.order = append(p.order, id)
	}
	if !slices.ContainsFunc(k.windows, window.Equal) {
		k.windows = append(k.windows, window)
	}
}

func (p *parser) fixture(d *lines.Directive) {
	p.once(d, "fixture")
	name, rest, ok := p.subject(d, "fixture", fixtures.Names())
	if !ok {
		return
	}
	p.Settings("fixture", rest, nil)
	start, holds, rows, err := fixtures.Load(name)
	if err != nil {
		p.FailWith(d.Words[0].Pos, err)
		return
	}
	if p.s.Start.IsZero() {
		p.s.Start = start
	}
	p.s.Holds, p.s.Rows = append(p.s.Holds, holds...), append(p.s.Rows, rows...)
	for _, h := range holds {
		p.know(h.ID, h.ExpiresAt)
	}
	for _, r := range rows {
		p.know(r.Hold, r.ExpiresAt)
	}
}

// holdRow is one row of a holds table, before its ranges are spread.
type holdRow struct {
	ids              []reference.HoldID
	created, expires []time.Time
	hold             reference.Hold
}

func (p *parser) holds(d *lines.Directive) {
	p.Table(d, []string{"id", "expires"}, func() lines.Entry {
		r := &holdRow{hold: newHold()}
		return lines.Entry{Columns: p.holdColumns(r), Done: func(row lines.Row, ok bool) {
			if ok {
				p.spreadRow(row, r)
				return
			}
			for _, id := range r.ids {
				p.know(id, time.Time{}) // so that lines about it are no mistakes as well
			}
		}}
	})
}

// holdColumns has the id first, for ranges of times need it.
func (p *parser) holdColumns(r *holdRow) []lines.Setting {
	return []lines.Setting{
		{Key: "id", Set: func(value string) (err error) {
			r.ids, err = holdRange(value)
			return err
		}},
		{Key: "created", Set: func(value string) (err error) {
			if value != "-" {
				r.created, err = p.spread(value, len(r.ids))
			}
			return err
		}},
		{Key: "expires", Set: func(value string) (err error) {
			r.expires, err = p.spread(value, len(r.ids))
			return err
		}},
		zone("zone", &r.hold.Zone),
		lines.OneOf("state", &r.hold.State, "state", states...),
		channels("channels", &r.hold.Channels),
		name("learner", &r.hold.Learner),
		name("section", &r.hold.Section),
	}
}

var states = []reference.State{reference.Held, reference.Confirmed, reference.Cancelled, reference.Expired}

func newHold() reference.Hold {
	return reference.Hold{Zone: "UTC", State: reference.Held, Channels: slices.Clone(reference.Channels)}
}

// spreadRow makes the holds of a row: those that are there from the start, and those that are
// created later, which is something that happens.
func (p *parser) spreadRow(row lines.Row, r *holdRow) {
	pos := row.Cells[0].Pos
	for i, id := range r.ids {
		h := r.hold
		h.ID, h.ExpiresAt, h.Channels = id, r.expires[i], slices.Clone(h.Channels)
		fillNames(&h)
		err := h.Check()
		created := p.s.Start
		if r.created != nil {
			created = r.created[i]
		}
		switch {
		case p.known[id] != nil:
			p.Fail(pos, "", "hold %s is there already", id)
			return
		case len(p.order) >= holdsMax:
			p.Fail(pos, "", "more than %d holds", holdsMax)
			return
		case err != nil:
			p.FailWith(pos, plainly(err))
			return
		case created.After(p.s.Start) && h.State != reference.Held:
			p.Fail(pos, "", "hold %s is created after the start, so it begins held and not %s", id, h.State)
			return
		}
		p.know(id, h.ExpiresAt)
		if created.After(p.s.Start) {
			p.createLater(row, h, created)
		} else {
			p.s.Holds = append(p.s.Holds, h)
		}
	}
}

func (p *parser) createLater(row lines.Row, h reference.Hold, at time.Time) {
	pos := row.Cells[0].Pos
	p.later = append(p.later, moment{pos, at, "hold " + string(h.ID)})
	p.known[h.ID].later = h
	p.s.Steps = append(p.s.Steps, Step{Pos: pos, Text: row.Text, Do: &Do{At: at, Verb: "create", Hold: h.ID, New: h}})
}

// fillNames gives a hold a learner and a section of its own where the line names none.
func fillNames(h *reference.Hold) {
	if h.Learner == "" {
		h.Learner = reference.LearnerID("learner-" + h.ID)
	}
	if h.Section == "" {
		h.Section = reference.SectionID("section-" + h.ID)
	}
}

// plainly leaves out the sentinel at the end of an error of reference.
func plainly(err error) error {
	return fmt.Errorf("%s", strings.TrimSuffix(err.Error(), ": "+reference.ErrInvalid.Error()))
}

// reserved are the words that begin an expectation, so they can't name holds.
var reserved = []string{"all", "accepted", "refused", "transitions", "queue", "dead-letters", "fires", "broken", "sweep"}

// holdRange reads h1, or p1..p500.
func holdRange(text string) ([]reference.HoldID, error) {
	first, last, ranged := strings.Cut(text, "..")
	if !ranged {
		if !faults.IsName(text) || slices.Contains(reserved, text) {
			return nil, fmt.Errorf("%q can't be a hold's name", text)
		}
		return []reference.HoldID{reference.HoldID(text)}, nil
	}
	prefix := strings.TrimRight(first, "0123456789")
	from, err := strconv.Atoi(first[len(prefix):])
	ending, same := strings.CutPrefix(last, prefix)
	to, err2 := strconv.Atoi(ending)
	if err != nil || err2 != nil || !same || !faults.IsName(first) || !faults.IsName(last) || to < from || to-from >= holdsMax {
		return nil, fmt.Errorf("%q is no range of holds, such as p1..p500", text)
	}
	width := 0
	if number := first[len(prefix):]; number[0] == '0' {
		width = len(number)
	}
	ids := make([]reference.HoldID, 0, to-from+1)
	for i := from; i <= to; i++ {
		ids = append(ids, reference.HoldID(fmt.Sprintf("%s%0*d", prefix, width, i)))
	}
	return ids, nil
}

// spread reads a time, or a range of times spread evenly over n holds, in whole seconds.
func (p *parser) spread(text string, n int) ([]time.Time, error) {
	first, last, ranged := strings.Cut(text, "..")
	from, err := p.second(first)
	if err != nil {
		return nil, err
	}
	to := from
	if ranged {
		if to, err = p.second(last); err != nil {
			return nil, err
		}
		if to.Before(from) || n < 2 {
			return nil, fmt.Errorf("%q is a range of times: it goes forward, and needs a range of holds", text)
		}
	}
	times := make([]time.Time, n)
	for i := range times {
		times[i] = from
		if n > 1 {
			step := to.Sub(from) / time.Second * time.Duration(i) / time.Duration(n-1)
			times[i] = from.Add(step * time.Second)
		}
	}
	return times, nil
}
