package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/trace"
)

const (
	pictureWidth = 100
	pictureRows  = 30
	wordsMin     = 40 // columns that words need
	laneMin      = 4
)

// What stands in a lane.
const (
	glyphCall     = 'o'
	glyphStruck   = '!'
	glyphUnseen   = '?'
	glyphAccepted = '*'
	glyphCrash    = 'X'
	glyphRestart  = 'R'
	glyphStall    = 'S'
	glyphLost     = 'x'
)

var legend = []struct {
	glyph byte
	words string
}{
	{glyphCall, "call"}, {glyphAccepted, "accepted"}, {glyphUnseen, "reply not seen"}, {glyphStruck, "no effect"},
	{glyphCrash, "crash"}, {glyphRestart, "restart"}, {glyphStall, "stall"}, {glyphLost, "message gone"},
}

// Lanes draws the events about one hold, with the faults that touched them: a column for every
// actor, time down the left, and the event that f names marked >>>. At most 100 columns of ASCII.
func Lanes(run trace.Run, f Focus) []string {
	if f.Hold == "" {
		return nil
	}
	chosen := f.pick(run.Events)
	if len(chosen) == 0 {
		return nil
	}
	p := newPicture(run, f, chosen)
	if len(p.lanes) == 0 {
		return nil
	}
	rows := p.fit(chosen)
	return slices.Concat([]string{p.head()}, rows, []string{p.legend()})
}

// picture is the layout of one drawing.
type picture struct {
	Focus
	start     time.Time
	sentences map[int]string // by Seq
	lanes     []lane
	timeWidth int
	laneWidth int
	oneNode   bool // all worker nodes share a lane
	used      []byte
	faults    map[string]bool // told before
}

type lane struct {
	name string
	at   int // column
}

func newPicture(run trace.Run, f Focus, chosen []picked) *picture {
	p := &picture{Focus: f, start: run.Setup.Start, sentences: map[int]string{}}
	if p.Rows <= 0 {
		p.Rows = pictureRows
	}
	n := words.NewNarrator(run.Setup.Start)
	next := 0
	for _, e := range run.Events {
		n.Note(e)
		if next < len(chosen) && chosen[next].Seq == e.Seq {
			p.timeWidth = max(p.timeWidth, len(words.Clock(e.At, p.start)))
			if e.What != trace.FaultBegin && e.What != trace.FaultEnd {
				e.Fault = "" // on rows of its own
			}
			if e.What == receive {
				e.Until = time.Time{} // a picture has no room for what is the same in every line
			}
			p.sentences[e.Seq] = n.Sentence(e)
			next++
		}
	}
	if p.layOut(chosen); p.wordsWidth() < wordsMin {
		p.oneNode = true
		p.layOut(chosen)
	}
	return p
}

func (p *picture) layOut(chosen []picked) {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, c := range chosen {
		if !isNodeEvent(c.What) {
			add(p.laneOf(c.Event))
		}
		if c.accepts != nil {
			add(p.laneOf(*c.accepts))
		}
		if c.What == sweepPublish || c.What == receive {
			add("broker")
		}
	}
	for _, c := range chosen {
		// A node's own events stand in the lane of a slot of it, if there is one.
		if isNodeEvent(c.What) && !slices.ContainsFunc(names, func(n string) bool { return nodeOf(n) == c.Who }) {
			add(p.laneOf(c.Event))
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(laneOrder(a), laneOrder(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	p.lanes, p.laneWidth = nil, 0
	for _, name := range names {
		p.lanes = append(p.lanes, lane{name, p.laneWidth})
		p.laneWidth += max(len(name)+1, laneMin)
	}
}

// laneOf names the column in which an event stands; empty if in none.
func (p *picture) laneOf(e trace.Event) string {
	w := words.Who(e)
	switch {
	case w == "run" || w == "fault":
		return ""
	case strings.HasPrefix(w, "sweep#"):
		return "sweep"
	case p.oneNode && laneOrder(w) == nodeOrder:
		return "workers"
	case isNodeEvent(e.What):
		for _, l := range p.lanes {
			if nodeOf(l.name) == e.Who {
				return l.name
			}
		}
	}
	return w
}

func isNodeEvent(w trace.What) bool {
	return w == trace.NodeCrash || w == trace.NodeRestart || w == trace.NodeStall
}

const nodeOrder = 4

// laneOrder puts people first, then the way of a message.
func laneOrder(name string) int {
	switch {
	case name == "learner" || name == "operator":
		return 0
	case name == "cron":
		return 1
	case name == "sweep":
		return 2
	case name == "broker":
		return 3
	case slices.Contains(reference.Channels, reference.Channel(name)):
		return nodeOrder + 1
	}
	return nodeOrder
}

// margin is where lanes begin: mark, time, and spaces.
func (p *picture) margin() int { return len(">>>") + 1 + p.timeWidth + 2 }

func (p *picture) wordsWidth() int {
	return max(pictureWidth-p.margin()-p.laneWidth-1, wordsMin/2)
}

func (p *picture) head() string {
	var b strings.Builder
	for _, l := range p.lanes {
		fmt.Fprintf(&b, "%*s%s", l.at-b.Len(), "", l.name)
	}
	return strings.Repeat(" ", p.margin()) + b.String()
}

func (p *picture) legend() string {
	var parts []string
	for _, l := range legend {
		if bytes.IndexByte(p.used, l.glyph) >= 0 {
			parts = append(parts, string(l.glyph)+" "+l.words)
		}
	}
	return strings.TrimRight("    "+strings.Join(parts, "  "), " ")
}

// fit draws as many events as there are rows for, those that matter most and are nearest to the
// marked one.
func (p *picture) fit(chosen []picked) []string {
	marked := len(chosen) - 1
	for i, c := range chosen {
		if c.has(p.Seq) {
			marked = i
		}
	}
	order := make([]int, len(chosen))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.rank(chosen[a]), p.rank(chosen[b])), cmp.Compare(max(a-marked, marked-a), max(b-marked, marked-b)))
	})
	limit := max(p.Rows-2, 1)
	for k := min(len(order), limit); ; k-- {
		keep := map[int]bool{}
		for _, i := range order[:k] {
			keep[i] = true
		}
		p.bridge(chosen, keep)
		if rows := p.draw(chosen, keep); len(rows) <= limit || k == 1 {
			return rows[:min(len(rows), limit)]
		}
	}
}

// bridge keeps an event that would take no more room than the word that it was left out.
func (p *picture) bridge(chosen []picked, keep map[int]bool) {
	for i, c := range chosen {
		alone := (i == 0 || keep[i-1]) && (i == len(chosen)-1 || keep[i+1])
		if alone && c.Fault == "" && len(p.sentences[c.Seq]) < p.wordsWidth()-len("workers ") {
			keep[i] = true
		}
	}
}

func (p *picture) draw(chosen []picked, keep map[int]bool) []string {
	p.used, p.faults = nil, map[string]bool{}
	life := p.lifelines()
	var rows []string
	left := 0
	for i, c := range chosen {
		if keep[i] {
			rows = append(p.gap(rows, left, life), p.event(c, life)...)
			left = 0
		} else {
			left++
		}
		p.live(c, life)
	}
	return p.gap(rows, left, life)
}

func (p *picture) gap(rows []string, left int, life []byte) []string {
	if left == 0 {
		return rows
	}
	noun := "events"
	if left == 1 {
		noun = "event"
	}
	return append(rows, p.row("   ", "...", life, fmt.Sprintf("(%d %s left out)", left, noun)))
}
