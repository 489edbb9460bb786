package report

import (
	"bytes"
	"strings"

	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/trace"
)

// lifelines gives the row in which nothing happens: a bar for every actor that is up.
func (p *picture) lifelines() []byte {
	life := bytes.Repeat([]byte{' '}, p.laneWidth)
	for _, l := range p.lanes {
		life[l.at] = '|'
	}
	return life
}

// live changes the lifelines by what happened: none while a node is down, dots while it stands still.
func (p *picture) live(c picked, life []byte) {
	mark := byte('|')
	switch c.What {
	case trace.NodeCrash:
		mark = ' '
	case trace.NodeStall:
		mark = ':'
	}
	lane, node := p.laneOf(c.Event), isNodeEvent(c.What)
	for _, l := range p.lanes {
		if l.name == lane || node && nodeOf(l.name) == c.Who {
			life[l.at] = mark
		}
	}
}

func (p *picture) column(name string) (at int, ok bool) {
	for _, l := range p.lanes {
		if l.name == name {
			return l.at, true
		}
	}
	return 0, false
}

// event draws one event, with its words wrapped and the fault that struck on rows of their own.
func (p *picture) event(c picked, life []byte) []string {
	mark := "   "
	if c.has(p.Seq) {
		mark = ">>>"
	}
	sentence := p.sentences[c.Seq]
	if lane := p.laneOf(c.Event); lane != words.Who(c.Event) && !isNodeEvent(c.What) {
		sentence = words.Who(c.Event) + " " + sentence
	}
	fault := ""
	if c.Fault != "" && c.What != trace.FaultBegin && c.What != trace.FaultEnd && c.What != trace.NodeRestart {
		fault = words.FaultLine(c.Fault)
	}
	if p.faults[fault] {
		sentence, fault = sentence+"  <- the same fault", ""
	}
	texts := wrap(sentence, p.wordsWidth(), "  ")
	if fault != "" {
		p.faults[fault] = true
		texts = append(texts, wrap("<- "+fault, p.wordsWidth(), "   ")...)
	}
	rows := []string{p.row(mark, words.Clock(c.At, p.start), p.lanesOf(c, life), texts[0])}
	p.live(c, life)
	for _, text := range texts[1:] {
		rows = append(rows, p.row("   ", "", life, text))
	}
	return rows
}

func (p *picture) row(mark, clock string, lanes []byte, text string) string {
	pad := strings.Repeat(" ", max(p.timeWidth-len(clock), 0))
	return strings.TrimRight(mark+" "+clock+pad+"  "+string(lanes)+" "+text, " ")
}

// lanesOf draws what the event did in its lane, and the way from or to another.
func (p *picture) lanesOf(c picked, life []byte) []byte {
	lanes := bytes.Clone(life)
	at, ok := p.column(p.laneOf(c.Event))
	if !ok {
		return lanes
	}
	glyph := glyphOf(c.Event)
	switch {
	case c.accepts != nil:
		to, _ := p.column(p.laneOf(*c.accepts))
		p.arrow(lanes, at, to)
		p.put(lanes, to, glyphAccepted)
	case c.What == sweepPublish && !c.NoEffect:
		to, _ := p.column("broker")
		p.arrow(lanes, at, to)
	case c.What == receive && !c.NoEffect:
		from, _ := p.column("broker")
		p.arrow(lanes, from, at)
		if glyph == glyphCall {
			return lanes
		}
	}
	p.put(lanes, at, glyph)
	return lanes
}

func (p *picture) put(lanes []byte, at int, glyph byte) {
	lanes[at] = glyph
	p.used = append(p.used, glyph)
}

// arrow draws from one column to another; lifelines on the way are crossed.
func (p *picture) arrow(lanes []byte, from, to int) {
	for i := min(from, to) + 1; i < max(from, to); i++ {
		lanes[i] = '-'
	}
	if from < to {
		lanes[to] = '>'
	} else {
		lanes[to] = '<'
	}
}

func glyphOf(e trace.Event) byte {
	switch e.What {
	case trace.NodeCrash:
		return glyphCrash
	case trace.NodeRestart:
		return glyphRestart
	case trace.NodeStall:
		return glyphStall
	case trace.Accepted:
		return glyphAccepted
	case trace.BrokerLost, trace.BrokerDead, trace.BrokerGone:
		return glyphLost
	case trace.Reply:
		return glyphUnseen
	}
	switch {
	case e.NoEffect || e.What == send && e.Answer != "accepted" && e.Answer != "repeat":
		return glyphStruck
	case e.Err != "" && e.Answer != "refused":
		return glyphUnseen
	}
	return glyphCall
}

// wrap breaks text at spaces into lines of at most width bytes, all but the first indented; a word
// that is longer is cut.
func wrap(text string, width int, indent string) []string {
	var lines []string
	for len(text) > width {
		at := strings.LastIndexByte(text[:width+1], ' ')
		if at <= len(indent) {
			at = width
		}
		lines = append(lines, strings.TrimRight(text[:at], " "))
		text = indent + strings.TrimLeft(text[at:], " ")
	}
	return append(lines, text)
}
