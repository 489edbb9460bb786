package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// spanMax is the longest that a scenario may run.
const spanMax = 400 * 24 * time.Hour

// asked is what some at line asks for, so that an expectation can speak of it.
type asked struct {
	verb string
	hold reference.HoldID
}

// action is one row of the table of what an at line can do.
type action struct {
	verb string
	read func(p *parser, d *lines.Directive, rest []lines.Word, do *Do) bool
}

func actions() []action {
	return []action{
		{"confirm", (*parser).onHold}, {"cancel", (*parser).onHold}, {"extend", (*parser).extend},
		{"create", (*parser).create}, {"publish", (*parser).publish}, {"redrive", (*parser).redrive}, {"purge", (*parser).alone},
		{"sweep", (*parser).alone}, {"pause", (*parser).ofCron}, {"resume", (*parser).ofCron}, {"deploy", (*parser).ofNode},
	}
}

// at reads: at TIME VERB ….
func (p *parser) at(d *lines.Directive) {
	if len(d.Words) < 2 {
		p.Fail(d.End(), "at 12:08 confirm h1", "at needs a time and what happens then")
		return
	}
	t, err := p.time(d.Words[0].Text)
	if err != nil {
		p.FailWith(d.Words[0].Pos, err)
		return
	}
	p.inOrder(d.Words[0].Pos, t)
	p.later = append(p.later, moment{d.Words[0].Pos, t, "this"})
	all := actions()
	verb := d.Words[1]
	i := slices.IndexFunc(all, func(a action) bool { return a.verb == verb.Text })
	if i < 0 {
		var names []string
		for _, a := range all {
			names = append(names, a.verb)
		}
		p.FailWith(verb.Pos, lines.UnknownWord("action", verb.Text, names))
		return
	}
	do := Do{At: t, Verb: verb.Text}
	if all[i].read(p, d, d.Words[2:], &do) {
		p.asked = append(p.asked, asked{do.Verb, do.Hold})
		p.step(d, Step{Do: &do})
	}
}

// inOrder holds a line to the order of time.
func (p *parser) inOrder(pos Pos, t time.Time) {
	switch {
	case t.Before(p.now):
		p.Fail(pos, "", "%s is in the past: here it is %s already", p.clock(t), p.clock(p.now))
	case t.Before(p.last):
		p.Fail(pos, "lines are in the order of time", "%s is before %s, the time of a line above", p.clock(t), p.clock(p.last))
	default:
		p.last = t
	}
}

// holdNamed takes the next word as a hold that there is, or is created further up.
func (p *parser) holdNamed(d *lines.Directive, rest []lines.Word) (id reference.HoldID, more []lines.Word, ok bool) {
	if len(rest) == 0 || rest[0].Keyed {
		p.Fail(d.End(), "", "which hold?")
		return "", nil, false
	}
	id = reference.HoldID(rest[0].Text)
	if p.known[id] == nil {
		p.FailWith(rest[0].Pos, p.unknownHold(rest[0].Text))
		return "", nil, false
	}
	return id, rest[1:], true
}

// hold reads a hold that there is.
func (p *parser) hold(key string, to *reference.HoldID) lines.Setting {
	return lines.Setting{Key: key, Set: func(value string) error {
		if *to = reference.HoldID(value); p.known[*to] == nil {
			return p.unknownHold(value)
		}
		return nil
	}}
}

func (p *parser) unknownHold(text string) error {
	var near []string
	for _, id := range p.order[:min(len(p.order), 1000)] {
		near = append(near, string(id))
	}
	return &lines.Wrong{Msg: fmt.Sprintf("unknown hold %q", text), Hint: lines.DidYouMean(faults.Suggest(text, near))}
}

func (p *parser) onHold(d *lines.Directive, rest []lines.Word, do *Do) (ok bool) {
	do.Hold, rest, ok = p.holdNamed(d, rest)
	return ok && p.alone(d, rest, do)
}

// publish reads: publish remind|expire H [window=TIME].
func (p *parser) publish(d *lines.Directive, rest []lines.Word, do *Do) (ok bool) {
	kinds := []string{string(reference.Remind), string(reference.Expire)}
	if len(rest) == 0 || !slices.Contains(kinds, rest[0].Text) {
		p.Fail(d.End(), "at 12:08 publish remind h1", "publish needs to know what: remind or expire")
		return false
	}
	do.Kind = reference.Kind(rest[0].Text)
	if do.Hold, rest, ok = p.holdNamed(d, rest[1:]); !ok {
		return false
	}
	do.New = p.known[do.Hold].later
	before := len(p.Errs)
	p.Settings(do.Verb, rest, []lines.Setting{p.inSeconds("window", &do.To)})
	return len(p.Errs) == before
}

func (p *parser) alone(d *lines.Directive, rest []lines.Word, do *Do) bool {
	before := len(p.Errs)
	p.Settings(do.Verb, rest, nil)
	return len(p.Errs) == before
}

func (p *parser) extend(d *lines.Directive, rest []lines.Word, do *Do) (ok bool) {
	if do.Hold, rest, ok = p.holdNamed(d, rest); !ok {
		return false
	}
	before := len(p.Errs)
	had := p.Settings(do.Verb, rest, []lines.Setting{p.inSeconds("to", &do.To)})
	p.Need(d, do.Verb, had, "to")
	if len(p.Errs) > before {
		return false
	}
	p.know(do.Hold, do.To)
	return true
}

func (p *parser) create(d *lines.Directive, rest []lines.Word, do *Do) bool {
	if len(rest) == 0 || rest[0].Keyed {
		p.Fail(d.End(), "", "which hold?")
		return false
	}
	h := newHold()
	before := len(p.Errs)
	if ids, err := holdRange(rest[0].Text); err != nil || len(ids) > 1 {
		p.Fail(rest[0].Pos, "", "%q can't be a hold's name", rest[0].Text)
	} else {
		h.ID = ids[0]
	}
	had := p.Settings(do.Verb, rest[1:], []lines.Setting{
		p.inSeconds("expires", &h.ExpiresAt),
		zone("zone", &h.Zone), channels("channels", &h.Channels), name("learner", &h.Learner), name("section", &h.Section),
	})
	p.Need(d, do.Verb, had, "expires")
	fillNames(&h)
	if err := h.Check(); err != nil && len(p.Errs) == before {
		p.FailWith(rest[0].Pos, plainly(err))
	}
	p.know(h.ID, h.ExpiresAt)
	do.Hold, do.New = h.ID, h
	return len(p.Errs) == before
}

func (p *parser) redrive(d *lines.Directive, rest []lines.Word, do *Do) bool {
	before := len(p.Errs)
	p.Settings(do.Verb, rest, []lines.Setting{p.hold("on", &do.Hold)})
	return len(p.Errs) == before
}

func (p *parser) ofCron(d *lines.Directive, rest []lines.Word, do *Do) bool {
	return p.ofOne(d, rest, do, []string{"cron"})
}

func (p *parser) ofNode(d *lines.Directive, rest []lines.Word, do *Do) bool {
	if known := p.nodeNames(); len(rest) > 0 && !slices.Contains(known, rest[0].Text) {
		p.FailWith(rest[0].Pos, lines.UnknownWord("node", rest[0].Text, known))
		return false
	}
	return p.ofOne(d, rest, do, p.nodeNames())
}

func (p *parser) ofOne(d *lines.Directive, rest []lines.Word, do *Do, known []string) bool {
	if len(rest) == 0 || !slices.Contains(known, rest[0].Text) {
		pos := d.End()
		if len(rest) > 0 {
			pos = rest[0].Pos
		}
		p.Fail(pos, "", "%s needs to know what: %s", do.Verb, lines.ListOr(known, "there is none"))
		return false
	}
	do.Who = rest[0].Text
	return p.alone(d, rest[1:], do)
}

// run reads: run until=TIME, or run for=DURATION.
func (p *parser) run(d *lines.Directive) {
	before := len(p.Errs)
	var length time.Duration
	var until time.Time
	had := p.Settings("run", d.Words, []lines.Setting{
		p.instant("until", &until),
		lines.Duration("for", &length, lines.Positive),
	})
	if had["until"] == had["for"] {
		p.Fail(d.End(), "", "run needs until= or for=, one of the two")
	}
	if had["for"] {
		until = p.now.Add(length)
	}
	if len(p.Errs) == before {
		p.checkRun(d.Words[0].ValuePos, until)
	}
	if len(p.Errs) > before {
		p.badRun = true
		return
	}
	p.now = until
	p.step(d, Step{Run: &Run{Until: until}})
}

func (p *parser) checkRun(pos Pos, until time.Time) {
	switch {
	case until.Sub(p.s.Start) > spanMax:
		p.Fail(pos, "", "%s is more than %d days after the start", p.clock(until), int(spanMax/(24*time.Hour)))
	case until.Equal(p.now):
		p.Fail(pos, "", "it is %s already; nothing would run", p.clock(until))
	default:
		p.inOrder(pos, until)
	}
}

// show reads: show WHAT [only=H].
func (p *parser) show(d *lines.Directive) {
	what, rest, ok := p.subject(d, "table", []string{"holds", "reminders", "queue", "dead-letters", "accepted"})
	if !ok {
		return
	}
	var only reference.HoldID
	p.Settings("show", rest, []lines.Setting{p.hold("only", &only)})
	p.step(d, Step{Show: &Show{What: what, Only: only}})
}

// fault reads a fault line, which package faults knows, and checks what only the scenario can.
func (p *parser) fault(d *lines.Directive) {
	texts := make([]string, len(d.Words))
	for i, w := range d.Words {
		texts[i] = w.Text
	}
	f, err := faults.Parse(texts)
	var at *faults.ParseError
	if errors.As(err, &at) {
		pos := d.End()
		if at.Word < len(d.Words) {
			pos = d.Words[at.Word].Pos.Plus(at.Col)
		}
		p.Fail(pos, lines.DidYouMean(at.Near), "%s", at.Msg)
		return
	}
	p.checkFaultNames(d, f)
	p.checkFaultTimes(d, f)
	if f.Kind == faults.ReExecute && f.Point.Port() == "queue" && p.s.Queue.Profile != "table" {
		p.Fail(d.Verb.Pos, "", "%s is no statement of a database on queue profile=%s; it is on profile=table", f.Point.Short(), p.s.Queue.Profile)
	}
	p.step(d, Step{Fault: &f})
}

func (p *parser) checkFaultNames(d *lines.Directive, f faults.Fault) {
	names := append(p.nodeNames(), f.Roles()...)
	if f.Who != "" && !slices.Contains(names, f.Who) && !strings.HasPrefix(f.Who, "sweep#") {
		p.FailWith(d.Bare(f.Who), lines.UnknownWord("node", f.Who, names))
	}
	for _, n := range f.Nodes {
		if !slices.Contains(names, n) && !strings.HasPrefix(n, "sweep#") {
			p.FailWith(d.Key("nodes").ValuePos, lines.UnknownWord("node", n, names))
		}
	}
	if f.On != "" && p.known[f.On] == nil && !p.createdBelow(f.On) {
		p.FailWith(d.Key("on").ValuePos, p.unknownHold(string(f.On)))
	}
}

// createdBelow says whether a later line creates the hold: a fault waits for what it strikes.
func (p *parser) createdBelow(id reference.HoldID) bool {
	for _, st := range p.Stanzas {
		for _, d := range st.Directives {
			if d.Verb.Text == "at" && len(d.Words) > 2 && d.Words[1].Text == "create" && d.Words[2].Text == string(id) {
				return true
			}
		}
	}
	return false
}

// checkFaultTimes refuses a fault in the past, a period that ends before it begins, and notes when
// the fault begins, for something has to run then.
func (p *parser) checkFaultTimes(d *lines.Directive, f faults.Fault) {
	for _, k := range []struct {
		key     string
		instant faults.Instant
	}{{"at", f.At}, {"from", f.From}, {"until", f.Until}} {
		if !k.instant.Set() {
			continue
		}
		t, pos := k.instant.In(p.s.Start), d.Key(k.key).ValuePos
		switch {
		case t.Before(p.now) || k.key == "until" && t.Equal(p.now):
			p.Fail(pos, "", "%s is in the past: here it is %s already", p.clock(t), p.clock(p.now))
		case k.key == "until" && !t.After(f.Begin(p.s.Start)):
			p.Fail(pos, "", "the period ends before it begins, or where it does")
		case t.Sub(p.s.Start) > spanMax:
			p.Fail(pos, "", "%s is more than %d days after the start", p.clock(t), int(spanMax/(24*time.Hour)))
		case k.key != "until":
			p.later = append(p.later, moment{pos, t, "the fault"})
		}
	}
}
