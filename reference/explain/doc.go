// Package explain tells the story of one hold, in order of time and in words, from what the tables
// keep and what the programs logged.
//
// The tables know the last of everything: who claimed a reminder first and who settled it, and none
// of those in between; what waits in the queue, and nothing that was acknowledged. The logs know
// each step, named as the simulator names its points, as long as they are kept.
package explain

import (
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/postgres/admin"
)

// Event is one thing that happened, or a time that matters.
type Event struct {
	At time.Time `json:"at"`
	// Source is tables, policy or log.
	Source string `json:"source"`
	Text   string `json:"text"`
}

// The sources of events.
const (
	fromTables = "tables"
	fromPolicy = "policy"
	fromLog    = "log"
)

// Story is all that is known about a hold.
type Story struct {
	Hold reference.HoldID `json:"hold"`
	At   time.Time        `json:"at"`
	// Now says what the hold is, and each of its reminders.
	Now    []string `json:"now"`
	Events []Event  `json:"events"`
	// Broken are promises that the tables show broken for this hold.
	Broken []audit.Finding `json:"broken"`
}

// Known says that anything is known at all.
func (s *Story) Known() bool { return len(s.Now) > 0 || len(s.Events) > 0 }

// Tell tells the story of a hold. Log may be empty.
func Tell(id reference.HoldID, r admin.Record, log []Event, rules audit.Rules) *Story {
	t := teller{record: r, policy: rules.Policy, story: &Story{Hold: id, At: r.Now, Now: []string{}, Events: []Event{}, Broken: []audit.Finding{}}}
	t.standing()
	t.windows()
	for _, row := range r.Rows {
		t.row(row)
	}
	t.messages()
	t.sweeps()
	t.story.Events = append(t.story.Events, log...)
	// What happened at the same time stays in the order in which it was told: causes first.
	slices.SortStableFunc(t.story.Events, func(a, b Event) int { return a.At.Compare(b.At) })
	if r.Hold != nil {
		rules.Now = r.Now
		t.story.Broken = append(t.story.Broken, rules.Hold(*r.Hold, r.Rows, nil)...)
	}
	return t.story
}
