package words

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// Narrator words the events of a run, in their order. It remembers which holds had more than one
// window, for only then are windows worth naming.
type Narrator struct {
	start time.Time
	first map[reference.HoldID]time.Time
	many  map[reference.HoldID]bool
}

// NewNarrator begins a run whose world starts then.
func NewNarrator(start time.Time) *Narrator {
	return &Narrator{start, map[reference.HoldID]time.Time{}, map[reference.HoldID]bool{}}
}

// Line words one event: time, who, and a sentence, two spaces between.
func (n *Narrator) Line(e trace.Event) string {
	return strings.TrimRight(fmt.Sprintf("%s  %s  %s", Clock(e.At, n.start), Who(e), n.Sentence(e)), " ")
}

// Sentence words one event without time and actor.
func (n *Narrator) Sentence(e trace.Event) string {
	n.Note(e)
	return voice{n, full}.sentence(e)
}

// Line words one event by itself; it knows nothing of other windows that the hold had.
func Line(e trace.Event, start time.Time) string { return NewNarrator(start).Line(e) }

// Note remembers an event that isn't to be worded.
func (n *Narrator) Note(e trace.Event) {
	if e.Hold == "" || e.Window.IsZero() {
		return
	}
	first, known := n.first[e.Hold]
	if !known {
		n.first[e.Hold] = e.Window
	}
	if known && !first.Equal(e.Window) || e.What == holdExtend && e.Answer != refused {
		n.many[e.Hold] = true
	}
}

// Skip remembers events that aren't to be told.
func (n *Narrator) Skip(events []trace.Event) {
	for _, e := range events {
		n.Note(e)
	}
}

// Clone gives a narrator that knows what n knows.
func (n *Narrator) Clone() *Narrator {
	return &Narrator{n.start, maps.Clone(n.first), maps.Clone(n.many)}
}

// detail is how much of an event a voice says. What it leaves out is what may differ between two
// lines that are told as one.
type detail int

const (
	full  detail = iota
	loose        // times and counts are left out: a cycle that comes again
	shape        // holds and messages too: the same thing, done for many
)

type voice struct {
	*Narrator
	detail detail
}

func (v voice) clock(t time.Time) string {
	if v.detail > full {
		return "T"
	}
	return Clock(t, v.start)
}

// Clock gives a time of day as scenarios write it, in UTC, with as much of the second as there is,
// and the day before it (+1d) if it isn't the world's.
func Clock(t, start time.Time) string {
	t = t.UTC()
	layout := "15:04:05"
	switch ns := t.Nanosecond(); {
	case ns%int(time.Millisecond) != 0:
		layout = "15:04:05.000000"
	case ns != 0:
		layout = "15:04:05.000"
	}
	const day = 24 * time.Hour
	if days := int(t.Truncate(day).Sub(start.UTC().Truncate(day)) / day); days != 0 {
		return fmt.Sprintf("%+dd %s", days, t.Format(layout))
	}
	return t.Format(layout)
}

func (v voice) id(e trace.Event) string {
	switch {
	case v.detail == shape:
		return "H"
	case e.Hold == "":
		return "no hold"
	}
	return string(e.Hold)
}

// hold names the hold, and its window if it had several.
func (v voice) hold(e trace.Event) string {
	if v.detail == shape || !v.many[e.Hold] || e.Window.IsZero() {
		return v.id(e)
	}
	return Window(reference.Window{Hold: e.Hold, ExpiresAt: e.Window}, v.start)
}

// Window names a window as a scenario does, to the minute where it can be: h1@12:25.
func Window(w reference.Window, start time.Time) string {
	// No space, for windows stand in lists.
	at := strings.ReplaceAll(Clock(w.ExpiresAt, start), " ", "")
	return string(w.Hold) + "@" + strings.TrimSuffix(at, ":00")
}

func (v voice) reminder(e trace.Event) string {
	if e.Channel == "" {
		return v.hold(e)
	}
	return v.hold(e) + "/" + string(e.Channel)
}

func (v voice) message(e trace.Event) string {
	switch {
	case v.detail == shape:
		return "M"
	case e.Message == "":
		return "a message"
	}
	return e.Message
}

// about gives a message and what it asks for: m1 (remind h1).
func (v voice) about(e trace.Event) string {
	if e.Hold == "" {
		return v.message(e)
	}
	return fmt.Sprintf("%s (%s %s)", v.message(e), e.Kind, v.hold(e))
}

func (v voice) count(n int) string {
	if v.detail > full {
		return "N"
	}
	return strconv.Itoa(n)
}

func (v voice) nth(n int) string {
	if v.detail > full {
		return "N"
	}
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// after gives word and time, led by a space, or nothing if there is no time.
func (v voice) after(word string, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " " + word + " " + v.clock(t)
}

// Who names the actor, with its slot if it has more than one.
func Who(e trace.Event) string {
	switch {
	case e.Who == "":
		return "run"
	case e.Slot > 0:
		return e.Who + "/" + strconv.Itoa(e.Slot)
	}
	return e.Who
}

// FaultLine gives a fault as the line that makes it.
func FaultLine(fault string) string { return "fault " + strings.TrimPrefix(fault, "fault ") }
