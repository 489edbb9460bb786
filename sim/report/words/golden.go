package words

import (
	"fmt"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/trace"
)

// goldenLinesMax is the language's limit for one block.
const goldenLinesMax = 40

// Golden tells the events of one stanza as at most 40 lines.
func Golden(events []trace.Event, start time.Time) []string {
	return NewNarrator(start).Golden(events)
}

// Golden tells the events of the next stanza of the run as at most 40 lines.
func (n *Narrator) Golden(events []trace.Event) []string { return n.Tell(events, goldenLinesMax) }

// Tell tells the events of the next stanza of the run as at most so many lines: in full if that
// fits; else with a line for every message that was handled without trouble; else with lines that
// say the same of many told once.
func (n *Narrator) Tell(events []trace.Event, most int) []string {
	before := n.Clone()
	lines := n.tell(events, nil)
	if len(lines) > most {
		lines = before.tell(events, uneventful(events))
	}
	if len(lines) > most {
		lines = foldAlike(lines, most)
	}
	texts := make([]string, 0, len(lines))
	for _, l := range lines {
		texts = append(texts, l.text(n.start))
	}
	if left := len(texts) - most; left > 0 {
		texts = append(texts[:max(most-1, 0)], fmt.Sprintf("and %d lines more", left+1))
	}
	return texts
}

// teller turns events into lines.
type teller struct {
	*Narrator
	events []trace.Event
	quiet  map[string]string // sweeps that did nothing, and why
	told   map[int]bool      // indices of events that another line has told
	lines  []line
}

func (n *Narrator) tell(events []trace.Event, easy []episode) []line {
	t := teller{Narrator: n, events: events, quiet: quietSweeps(events), told: map[int]bool{}}
	begin := map[int]episode{}
	for _, e := range easy {
		begin[e.events[0]] = e
		for _, i := range e.events {
			t.told[i] = true
		}
	}
	for i, e := range events {
		n.Note(e)
		ep, begins := begin[i]
		switch {
		case begins:
			t.addWords(e, func(v voice) string { return v.episode(events, ep) })
		case t.told[i]:
		case t.quiet[e.Who] != "":
			t.quietSweep(e)
		case e.What == sweepDue && e.N > 0 && Plain(e):
			t.page(i)
		case e.What == sweepPublish:
			t.batch(i)
		case e.What == sweepBackstop && e.Hold != "":
			t.backstop(i)
		case !t.dull(i):
			if t.isStruck(i) {
				e.Fault = ""
			}
			t.addWords(e, func(v voice) string { return v.sentence(e) })
		}
	}
	return foldCycles(foldIdle(t.lines))
}

func (t *teller) addWords(e trace.Event, words func(voice) string) {
	t.lines = append(t.lines, line{
		at: e.At, last: e.At, who: []string{Who(e)}, sentence: words(voice{t.Narrator, full}),
		loose: role(e) + words(voice{t.Narrator, loose}), shape: role(e) + words(voice{t.Narrator, shape}),
	})
}

// role is what an actor is one of, so that two workers in turn can be told as one cycle.
func role(e trace.Event) string {
	switch {
	case strings.HasPrefix(string(e.What), "worker.") || e.What == send || e.What == trace.Reply:
		return "worker "
	case strings.HasPrefix(e.Who, "sweep#"):
		return "sweep "
	}
	return e.Who + " "
}

// Plain says that no fault touched the call and that its caller saw the answer.
func Plain(e trace.Event) bool { return e.Fault == "" && e.Err == "" && !e.NoEffect }

// dull says that an event is told by its neighbours.
func (t *teller) dull(i int) bool {
	e := t.events[i]
	if e.What == trace.FaultBegin || e.What == trace.FaultEnd {
		return !IsPeriod(e.Fault) && (e.What == trace.FaultEnd || t.isNamed(i))
	}
	if !Plain(e) {
		return false
	}
	switch e.What {
	case trace.SweepStart, sweepRecord, trace.Healed, trace.Ended, trace.Replay:
		return true
	case sweepBackstop:
		return e.Hold == ""
	case sweepDue:
		return e.N == 0
	case trace.SweepEnd:
		return e.Answer == whole || e.Answer == "crashed"
	case receive:
		return e.N <= 1 && t.isHandled(i)
	case trace.Accepted:
		return t.follows(i, accepted)
	case trace.Collapsed:
		return t.follows(i, repeated)
	}
	return false
}

// isStruck says that a node's crash or stall comes of the call right before it, whose line names the fault.
func (t *teller) isStruck(i int) bool {
	e := t.events[i]
	if e.What != trace.NodeCrash && e.What != trace.NodeStall {
		return false
	}
	for j := i - 1; j >= 0 && t.events[j].At.Equal(e.At); j-- {
		if b := t.events[j]; b.Who == e.Who && b.What != trace.FaultBegin {
			return b.Fault == e.Fault
		}
	}
	return false
}

// isHandled says that a receive's worker goes on with the message in this stanza.
func (t *teller) isHandled(i int) bool {
	for _, e := range t.events[i+1:] {
		if e.Who == t.events[i].Who && e.Slot == t.events[i].Slot {
			return e.What == claim || e.What == expire || e.What == deadLetter
		}
		if e.What == trace.NodeCrash && e.Who == t.events[i].Who {
			return false
		}
	}
	return false
}

// isNamed says that another event of the stanza, or a person right before, tells of the fault that begins.
func (t *teller) isNamed(i int) bool {
	for _, e := range t.events {
		if e.What != trace.FaultBegin && e.What != trace.FaultEnd && strings.Contains(e.Fault, t.events[i].Fault) {
			return true
		}
	}
	return i > 0 && t.events[i-1].Who == "operator" && t.events[i-1].At.Equal(t.events[i].At)
}

// IsPeriod says that a fault has a begin and an end of its own, besides what it strikes.
func IsPeriod(fault string) bool {
	return strings.Contains(fault, " from=") || strings.Contains(fault, " until=")
}

// follows says that a provider's event is the effect of the send right before it.
func (t *teller) follows(i int, answer string) bool {
	if i == 0 {
		return false
	}
	e, s := t.events[i], t.events[i-1]
	return s.What == send && s.Answer == answer && s.Hold == e.Hold && s.Channel == e.Channel
}
