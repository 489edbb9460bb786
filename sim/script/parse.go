package script

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on every machine that has none

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// ParseFile is Parse for a file on disk.
func ParseFile(file string) (*Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	defer f.Close()
	// One byte too many is enough to refuse a file, whatever its size.
	src, err := io.ReadAll(io.LimitReader(f, lines.BytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("read scenario %s: %w", file, err)
	}
	return Parse(file, src)
}

// Parse reads and checks a whole scenario. Its error is an Errors: every mistake, with its place.
func Parse(file string, src []byte) (*Scenario, error) {
	p := &parser{
		File: lines.Cut(file, src), s: newScenario(file),
		had: make(map[string]*lines.Directive), known: make(map[reference.HoldID]*knownHold),
	}
	p.Elsewhere = settings
	if len(p.Stanzas) > 0 {
		p.build()
	}
	if err := p.Errs.Result(); err != nil {
		return nil, err
	}
	return p.s, nil
}

// parser gives the lines their meaning.
type parser struct {
	*lines.File
	s *Scenario
	// stanza is the number of the one being read.
	stanza int
	// had are the setup directives, by verb, or verb and name.
	had map[string]*lines.Directive
	// now is the script's time: the start, then the end of each run; last is that of the line before.
	now, last time.Time
	// badRun says that a run line has a mistake, so that now may be wrong.
	badRun bool
	// known are the holds that there are, or will be once a line above was carried out; order is
	// the order in which they came.
	known map[reference.HoldID]*knownHold
	order []reference.HoldID
	asked []asked
	// spoken counts the holds that expectations speak of.
	spoken int
	// later are times that must not lie after the end of the last run.
	later []moment
}

// moment is a time that a line names.
type moment struct {
	pos  Pos
	at   time.Time
	what string
}

func newScenario(file string) *Scenario {
	base := filepath.Base(file)
	s := &Scenario{
		File: file, Name: strings.TrimSuffix(base, filepath.Ext(base)),
		Seed: 1, Policy: reference.DefaultPolicy(), Restart: 5 * time.Second,
		Cron:  Cron{Every: time.Minute, Zone: time.UTC, Timeout: time.Minute},
		Queue: Queue{Profile: "standard", Dedup: dedups["standard"], Retention: 30 * 24 * time.Hour},
	}
	s.Nodes = nodes([]string{"w1", "w2"}, 1, s.Restart)
	for _, c := range reference.Channels {
		s.Providers = append(s.Providers, Provider{Channel: c, Latency: 200 * time.Millisecond})
	}
	return s
}

// verb is one row of the table of verbs.
type verb struct {
	name string
	// rank orders what has to be known before other lines can be read; steps come last, as written.
	rank int
	// table says that indented lines belong to it.
	table bool
	read  func(*parser, *lines.Directive)
}

const (
	rankWorld = iota
	rankFixture
	rankSetup
	rankRows
	rankStep
)

func verbs() []verb {
	return []verb{
		{"world", rankWorld, false, (*parser).world},
		{"policy", rankSetup, false, (*parser).policy},
		{"node", rankSetup, false, (*parser).node},
		{"cron", rankSetup, false, (*parser).cron},
		{"queue", rankSetup, false, (*parser).queue},
		{"provider", rankSetup, false, (*parser).provider},
		{"fixture", rankFixture, false, (*parser).fixture},
		{"holds", rankSetup, true, (*parser).holds},
		{"reminders", rankRows, true, (*parser).reminders},
		{"at", rankStep, false, (*parser).at},
		{"fault", rankStep, false, (*parser).fault},
		{"run", rankStep, false, (*parser).run},
		{"show", rankStep, false, (*parser).show},
		{"expect", rankStep, false, (*parser).expect},
	}
}

func verbNamed(name string) (verb, bool) {
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 {
		return verb{}, false
	}
	return all[i], true
}

func (p *parser) build() {
	p.s.Header = p.Header
	setup := p.checkVerbs()
	for rank := rankWorld; rank < rankStep; rank++ {
		for _, d := range setup {
			if v, _ := verbNamed(d.Verb.Text); v.rank == rank {
				v.read(p, d)
			}
		}
		if rank == rankFixture && !p.begin() {
			return // no line's time means anything
		}
	}
	p.steps()
	p.checkWhole()
}

// checkVerbs reports unknown verbs, setup that comes too late, and rows that belong to nothing. It
// gives the setup lines.
func (p *parser) checkVerbs() []*lines.Directive {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	var setup []*lines.Directive
	var step *lines.Directive
	stray := false
	for _, st := range p.Stanzas {
		for _, d := range st.Directives {
			v, found := verbNamed(d.Verb.Text)
			switch {
			case !found && strings.IndexAny(d.Verb.Text, "0123456789") == 0:
				if !stray { // once is enough: what follows is the rest of the block
					p.Fail(d.Verb.Pos, "golden text follows "+lines.GoldenMark+" without an empty line", "%q is no verb", d.Verb.Text)
				}
				stray = true
			case !found:
				p.FailWith(d.Verb.Pos, lines.UnknownWord("verb", d.Verb.Text, names))
			case v.rank == rankStep && step == nil:
				step = d
			case v.rank < rankStep && step != nil:
				p.Fail(d.Verb.Pos, "", "%s sets up the world and has to come before %q in line %d", v.name, step.Verb.Text, step.Line)
			}
			if v.rank < rankStep && found {
				setup = append(setup, d)
			}
			if found && !v.table && len(d.Rows) > 0 {
				p.Fail(d.Rows[0].Cells[0].Pos, "a directive begins at the margin", "%s takes no indented lines", v.name)
			}
		}
	}
	return setup
}

// once reports a second line about the same thing.
func (p *parser) once(d *lines.Directive, what string) {
	if first := p.had[what]; first != nil {
		p.Fail(d.Verb.Pos, "", "%s is there already, in line %d", what, first.Line)
		return
	}
	p.had[what] = d
}

// begin settles when the world starts.
func (p *parser) begin() bool {
	w := p.had["world"]
	switch {
	case !p.s.Start.IsZero():
		p.now, p.last = p.s.Start, p.s.Start
		return true
	case w == nil:
		p.Fail(p.Stanzas[0].Pos(), "world start=2026-03-02T12:00:00Z", "there is no world line, and no fixture that says when the world starts")
	case w.Key("start") == w.Verb:
		p.Fail(w.End(), "", "world needs start=, for no fixture gives one")
	}
	return false
}

// steps reads what happens, stanza by stanza.
func (p *parser) steps() {
	for i, st := range p.Stanzas {
		p.stanza = i + 1
		cause := false
		for _, d := range st.Directives {
			v, found := verbNamed(d.Verb.Text)
			if found && v.rank == rankStep {
				v.read(p, d)
			}
			cause = cause || v.name == "run" || v.name == "show"
		}
		if st.Golden != nil {
			p.golden(st.Golden, cause)
		}
	}
}

func (p *parser) golden(g *lines.Golden, cause bool) {
	if !cause {
		p.Fail(g.Pos, "put it under a stanza with run or show, without a blank line between",
			"the golden text has no cause: nothing in its stanza runs or shows")
	}
	for i, line := range g.Lines {
		first, _, _ := strings.Cut(line, " ")
		if _, found := verbNamed(first); found { // -rewrite would take it away
			p.Fail(Pos{File: g.Pos.File, Line: g.Pos.Line + 1 + i, Col: 1}, "leave a line empty above it",
				"%s is taken for golden text, which goes on to the next empty line", first)
		}
	}
	p.s.Steps = append(p.s.Steps, Step{
		Pos: g.Pos, Text: lines.GoldenMark, Stanza: p.stanza,
		Golden: &Golden{From: g.From, To: g.To, Lines: g.Lines},
	})
}

// step appends what a line says.
func (p *parser) step(d *lines.Directive, s Step) {
	s.Pos, s.Text, s.Stanza = d.Verb.Pos, d.Text, p.stanza
	p.s.Steps = append(p.s.Steps, s)
}
