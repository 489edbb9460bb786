package promise

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// Violation is one promise broken once.
type Violation struct {
	// Promise is P1 to P8, and Class how it was broken, in the words of Classes.
	Promise, Class string
	// Hold, Window and Channel are what was concerned; zero where they don't apply.
	Hold    reference.HoldID
	Window  time.Time
	Channel reference.Channel
	// Seq is the event that broke it, and 0 if it was broken by something that did not happen.
	Seq int
	// At is when: the event's time, or when the absence was noticed.
	At time.Time
	// Sentence says with times what happened and what the promise wants.
	Sentence string
	// Hint says where to look.
	Hint string
}

// Stats are counts that are no violations.
type Stats struct {
	// Sends are provider calls that were started, and Accepted what providers accepted.
	Sends, Accepted int
	// SendsAfterChange are sends started, under a valid claim, after a person had ended the window.
	SendsAfterChange int
	// Excused are outcomes that needed an excuse and had one.
	Excused int
}

// Result is what a run comes to.
type Result struct {
	Violations []Violation
	Stats      Stats
}

// Check gives the violations of a run, those of events in the order of the trace, and then those
// of what did not happen; each by promise.
func Check(run trace.Run) []Violation { return Judge(run).Violations }

// watches judge an event by the model as it is before the event, and verdicts what must have
// happened in the end.
var (
	watches  = [...]func(*trial, *moment){watchOnce, watchAccounted, watchInTime, watchEarly, watchAcks, watchApart}
	verdicts = [...]func(*trial){judgeAccounted, judgeFreed, judgeMessages, judgeTwice}
)

// Judge gives the violations and the counts of a run.
func Judge(run trace.Run) Result {
	t := &trial{world: newWorld(&run)}
	var m moment
	for i := range run.Events {
		t.resolve(&m, &run.Events[i])
		if t.ended {
			watchReplay(t, &m)
			continue
		}
		for _, w := range watches {
			w(t, &m)
		}
		t.apply(&m)
	}
	if t.ended {
		t.keep()
		for _, v := range verdicts {
			v(t)
		}
	}
	slices.SortStableFunc(t.violations, compare)
	return Result{t.violations, t.stats}
}

func compare(a, b Violation) int {
	// Those without an event come last; as unsigned numbers, one less than 0 is the greatest.
	if c := cmp.Compare(uint(a.Seq)-1, uint(b.Seq)-1); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Promise, b.Promise), cmp.Compare(a.Hold, b.Hold), a.Window.Compare(b.Window), cmp.Compare(a.Channel, b.Channel))
}

// trial is one run being judged.
type trial struct {
	*world
	violations []Violation
	stats      Stats
	health     *health // made when it is first asked for
	replayed   bool
}

// breach reports that the event m broke a promise.
func (t *trial) breach(c Class, m *moment, format string, args ...any) {
	v := Violation{Promise: c.Promise, Class: c.Name, Hint: c.Hint, Seq: m.Seq, At: m.At, Sentence: fmt.Sprintf(format, args...)}
	v.Hold, v.Window, v.Channel = m.Hold, m.Window, cmp.Or(m.Channel, m.on)
	switch {
	case m.message != nil && m.message.window != nil:
		v.Hold, v.Window = m.message.window.hold.id, m.message.window.end.time()
	case v.Window.IsZero() && m.hold != nil && m.hold.current != nil:
		v.Window = m.hold.current.end.time()
	}
	t.violations = append(t.violations, v)
}

// about reports what is known only in the end, about a window and perhaps a channel of it. Seq is
// the event that did it, or 0.
func (t *trial) about(c Class, w *window, channel reference.Channel, seq int, at instant, format string, args ...any) {
	t.violations = append(t.violations, Violation{
		Promise: c.Promise, Class: c.Name, Hint: c.Hint, Hold: w.hold.id, Window: w.end.time(), Channel: channel,
		Seq: seq, At: at.time(), Sentence: fmt.Sprintf(format, args...),
	})
}
