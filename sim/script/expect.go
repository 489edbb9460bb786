package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// expect reads an expectation. What it speaks of is its first word; holds have no name among those.
func (p *parser) expect(d *lines.Directive) {
	if len(d.Words) == 0 {
		p.Fail(d.End(), "", "expect needs to know what: a hold, %s", strings.Join(reserved, ", "))
		return
	}
	first, rest := d.Words[0], d.Words[1:]
	switch {
	case first.Text == "accepted":
		p.expectCounts(d, rest, "accepted")
	case first.Text == "transitions":
		p.expectCounts(d, rest, "transitions")
	case first.Text == "refused":
		p.expectRefused(d, rest)
	case first.Text == "queue":
		p.expectQueue(d, rest)
	case first.Text == "dead-letters":
		p.expectNumber(d, rest, Expect{Subject: "dead-letters"})
	case first.Text == "fires":
		p.expectFires(d, rest)
	case first.Text == "broken":
		p.expectBroken(d, rest)
	case strings.HasPrefix(first.Text, "sweep#"):
		p.expectSweep(d, first, rest)
	default:
		p.expectHolds(d, first, rest)
	}
}

// outcomes are what can be said of a reminder that has a row.
var outcomes = []reference.Outcome{
	{},
	{Verdict: reference.Sent},
	{Verdict: reference.Dropped, Reason: reference.Rejected},
	{Verdict: reference.Dropped, Reason: reference.Throttled},
	{Verdict: reference.Dropped, Reason: reference.Stalled},
	{Verdict: reference.Dropped, Reason: reference.Missed},
	{Verdict: reference.Unknown, Reason: reference.Timeout},
	{Verdict: reference.Unknown, Reason: reference.Lapsed},
}

func outcomeTexts() []string {
	var texts []string
	for _, o := range outcomes {
		texts = append(texts, o.String())
	}
	return texts
}

func (p *parser) expectHolds(d *lines.Directive, first lines.Word, rest []lines.Word) {
	if first.Keyed {
		p.Fail(first.Pos, "expect h1 email=sent sms=sent state=expired", "expect needs to know what, before %q", first.Text)
		return
	}
	e := Expect{Subject: "hold"}
	if !p.selection(first.Pos, first.Text, &e) {
		return
	}
	before, said := len(p.Errs), append(outcomeTexts(), "none")
	had := p.Settings("expect", rest, []lines.Setting{
		lines.OneOf("email", &e.Email, "outcome", said...),
		lines.OneOf("sms", &e.SMS, "outcome", said...),
		lines.OneOf("state", &e.State, "state", lines.Texts(states)...),
	})
	if len(had) == 0 && len(p.Errs) == before {
		p.Fail(d.End(), "", "expect %s needs email=, sms= or state=", first.Text)
	}
	p.step(d, Step{Expect: &e})
}

// selection reads H, P1..P500, several of them with commas between, or all; a single hold may name
// its window, H@WINDOW. The holds must be known.
func (p *parser) selection(pos Pos, text string, e *Expect) bool {
	text, window, windowed := strings.Cut(text, "@")
	if !p.selected(pos, text, e) {
		return false
	}
	if p.spoken += len(e.Holds); p.spoken > spokenMax {
		p.Fail(pos, "", "the file expects something of more than %d holds, one by one", spokenMax)
		return false
	}
	if !windowed {
		return true
	}
	pos = pos.Plus(len(text) + 1)
	t, err := p.second(window)
	if err != nil {
		p.FailWith(pos, err)
		return false
	}
	e.Window = t
	return p.checkWindow(pos, *e)
}

func (p *parser) selected(pos Pos, text string, e *Expect) bool {
	if text == "all" {
		e.Holds = slices.Clone(p.order)
		return true
	}
	for _, part := range strings.Split(text, ",") {
		ids, err := holdRange(part)
		if err != nil {
			p.FailWith(pos, p.unknownHold(part))
			return false
		}
		for _, id := range ids {
			if p.known[id] == nil {
				p.FailWith(pos, p.unknownHold(string(id)))
				return false
			}
			e.Holds = append(e.Holds, id)
		}
		pos = pos.Plus(len(part) + 1)
	}
	return true
}

func (p *parser) checkWindow(pos Pos, e Expect) bool {
	for _, id := range e.Holds {
		windows := p.known[id].windows
		if !slices.ContainsFunc(windows, e.Window.Equal) {
			var texts []string
			for _, w := range windows {
				texts = append(texts, p.clock(w))
			}
			p.Fail(pos, "", "hold %s has no window that ends at %s; it has %s", id, p.clock(e.Window), strings.Join(texts, ", "))
			return false
		}
	}
	return true
}

// expectCounts reads H/CHANNEL=N for accepted, and H=N for transitions, once or more; a selection
// of holds expects as many of each.
func (p *parser) expectCounts(d *lines.Directive, rest []lines.Word, subject string) {
	hint := "expect transitions h1=1"
	if subject == "accepted" {
		hint = "expect accepted h1/sms=0"
	}
	if len(rest) == 0 {
		p.Fail(d.End(), hint, "expect %s needs to know of which hold, and how many", subject)
	}
	for _, w := range rest {
		e := Expect{Subject: subject}
		who, channel, slashed := strings.Cut(w.Key, "/")
		if !w.Keyed || slashed != (subject == "accepted") {
			p.Fail(w.Pos, hint, "%q is not of that form", w.Text)
			continue
		}
		before := len(p.Errs)
		p.selection(w.Pos, who, &e)
		if slashed {
			if err := lines.OneOf("channel", &e.Channel, "channel", reference.Channels...).Set(channel); err != nil {
				p.FailWith(w.Pos.Plus(len(who)+1), err)
			}
		}
		if err := count(&e.N).Set(w.Value); err != nil {
			p.FailWith(w.ValuePos, err)
		}
		if len(p.Errs) > before {
			continue
		}
		for _, id := range e.Holds {
			one := e
			one.Holds = []reference.HoldID{id}
			p.step(d, Step{Expect: &one})
		}
	}
}

// count reads how many are expected.
func count(to *int) lines.Setting { return lines.Number("count", to, 0, 1_000_000) }

// expectRefused reads: refused VERB H. Something above must have asked for it.
func (p *parser) expectRefused(d *lines.Directive, rest []lines.Word) {
	refusable := []string{"confirm", "cancel", "extend", "create"}
	if len(rest) == 0 || !slices.Contains(refusable, rest[0].Text) {
		p.Fail(d.End(), "", "expect refused needs to know what: %s", strings.Join(refusable, ", "))
		return
	}
	id, more, ok := p.holdNamed(d, rest[1:])
	if !ok {
		return
	}
	p.Settings("expect refused", more, nil)
	if !slices.Contains(p.asked, asked{rest[0].Text, id}) {
		p.Fail(rest[0].Pos, "", "no line above asks to %s %s", rest[0].Text, id)
		return
	}
	p.step(d, Step{Expect: &Expect{Subject: "refused", Verb: rest[0].Text, Holds: []reference.HoldID{id}}})
}

func (p *parser) expectQueue(d *lines.Directive, rest []lines.Word) {
	if len(rest) != 1 || rest[0].Text != "empty" {
		p.Fail(d.End(), "", "of the queue it can only be expected that it is empty: expect queue empty")
		return
	}
	p.step(d, Step{Expect: &Expect{Subject: "queue-empty"}})
}

func (p *parser) expectNumber(d *lines.Directive, rest []lines.Word, e Expect) {
	if len(rest) != 1 {
		p.Fail(d.End(), "", "expect %s needs one number", e.Subject)
		return
	}
	if err := count(&e.N).Set(rest[0].Text); err != nil {
		p.FailWith(rest[0].Pos, err)
		return
	}
	p.step(d, Step{Expect: &e})
}

// expectFires reads: fires from= until= count=.
func (p *parser) expectFires(d *lines.Directive, rest []lines.Word) {
	e := Expect{Subject: "fires"}
	before := len(p.Errs)
	had := p.Settings("expect fires", rest, []lines.Setting{
		p.instant("from", &e.From),
		p.instant("until", &e.Until),
		count(&e.N),
	})
	p.Need(d, "expect fires", had, "from", "until", "count")
	if len(p.Errs) > before {
		return
	}
	if !e.From.Before(e.Until) {
		p.Fail(d.Key("until").ValuePos, "", "the period ends before it begins, or where it does")
	}
	p.step(d, Step{Expect: &e})
}

// expectSweep reads: sweep#N FIELD=N, once or more.
func (p *parser) expectSweep(d *lines.Directive, first lines.Word, rest []lines.Word) {
	var sweep int
	at := first.Pos.Plus(len("sweep#"))
	if err := lines.Number("", &sweep, 1, 1_000_000).Set(strings.TrimPrefix(first.Text, "sweep#")); err != nil {
		p.FailWith(at, err)
		return
	}
	if len(rest) == 0 {
		p.Fail(d.End(), "", "expect %s needs found=, published=, pages= or backstop=", first.Text)
	}
	var fields []lines.Setting
	for _, field := range []string{"found", "published", "pages", "backstop"} {
		fields = append(fields, lines.Setting{Key: field, Set: func(value string) error {
			e := Expect{Subject: "sweep", Sweep: sweep, Field: field}
			if err := count(&e.N).Set(value); err != nil {
				return err
			}
			p.step(d, Step{Expect: &e})
			return nil
		}})
	}
	p.Settings("expect "+first.Text, rest, fields)
}

// expectBroken reads: broken PN. The header has to say why.
func (p *parser) expectBroken(d *lines.Directive, rest []lines.Word) {
	if len(rest) != 1 {
		p.Fail(d.End(), "", "expect broken needs one promise, P1 to P9")
		return
	}
	var promises []string
	for i := 1; i <= 9; i++ {
		promises = append(promises, fmt.Sprintf("P%d", i))
	}
	name := rest[0].Text
	if !slices.Contains(promises, name) {
		p.FailWith(rest[0].Pos, &lines.Wrong{Msg: fmt.Sprintf("unknown promise %q; there are P1 to P9", name), Hint: lines.DidYouMean(faults.Suggest(strings.ToUpper(name), promises))})
		return
	}
	if !strings.Contains(strings.Join(p.Header, " "), name) {
		p.Fail(rest[0].Pos, "is it a defect, an incident before its fix, or a stated limit?", "the header doesn't name %s, and has to say why it is broken", name)
	}
	p.step(d, Step{Expect: &Expect{Subject: "broken", Promise: name}})
}
