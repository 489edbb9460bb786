// Package report is how a run is told to a person: events as lines, a stanza's events as golden
// text, the events about one hold as lanes, a failure as one screen, and results as a line or as
// JSON.
//
// All of it are functions of a trace. Nothing here judges: promises and expectations do that
// elsewhere, and this package says what they found.
package report

import (
	"time"

	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/trace"
)

// Narrator words the events of a run, in their order.
type Narrator = words.Narrator

// NewNarrator begins a run whose world starts then.
func NewNarrator(start time.Time) *Narrator { return words.NewNarrator(start) }

// Line words one event by itself; it knows nothing of other windows that the hold had.
func Line(e trace.Event, start time.Time) string { return words.Line(e, start) }

// Golden tells the events of one stanza as at most 40 lines. A run of several stanzas is told by
// one Narrator.
func Golden(events []trace.Event, start time.Time) []string { return words.Golden(events, start) }
