package script

import (
	"time"

	"github.com/robfig/cron/v3"

	"github.com/seathold/seathold/reference"
)

// checkWhole checks what no line can be blamed for before all were read.
func (p *parser) checkWhole() {
	p.checkEnd()
	if len(p.Errs) > 0 {
		return // what follows counts with every value
	}
	p.setPeriod()
	if !p.s.Unchecked {
		p.checkPolicy()
	}
}

// checkEnd reports what would never happen, for nothing runs any more.
func (p *parser) checkEnd() {
	switch {
	case p.badRun:
	case p.now.Equal(p.s.Start):
		p.Fail(p.lastPos(), "run until=12:15", "nothing runs: the file has no run line")
	default:
		for _, m := range p.later {
			if m.at.After(p.now) {
				p.Fail(m.pos, "", "%s comes at %s, after the end of the last run at %s", m.what, p.clock(m.at), p.clock(p.now))
			}
		}
	}
}

func (p *parser) lastPos() Pos {
	st := p.Stanzas[len(p.Stanzas)-1]
	if n := len(st.Directives); n > 0 {
		return st.Directives[n-1].Verb.Pos
	}
	return st.Pos()
}

// ticksMax bounds the search for the longest time between two ticks.
const ticksMax = 20_000

// setPeriod works out the longest time between two sweeps.
func (p *parser) setPeriod() {
	c := p.s.Cron
	gap := c.Every
	if c.Spec != "" {
		schedule, err := parseSpec(c.Spec)
		ticks := err == nil
		if ticks {
			gap, ticks = longestGap(schedule, p.s.Start.In(c.Zone), p.now)
		}
		if !ticks {
			p.Fail(p.had["cron"].Key("spec").ValuePos, "", "%q never ticks", c.Spec)
		}
	}
	p.s.Policy.SweepPeriod = gap + c.Jitter
}

func longestGap(schedule cron.Schedule, start, end time.Time) (time.Duration, bool) {
	var gap time.Duration
	last := start
	for i := 0; i < ticksMax && !last.After(end); i++ {
		next := schedule.Next(last)
		if next.IsZero() {
			return 0, false
		}
		gap, last = max(gap, next.Sub(last)), next
	}
	return gap, true
}

// checkPolicy refuses durations that can't work together, as production would at its start.
func (p *parser) checkPolicy() {
	const hint = "to run it all the same, say: policy unchecked"
	if err := p.s.Policy.Check(len(reference.Channels)); err != nil {
		p.Fail(p.blame(), hint, "%s", plainly(err))
	}
	for _, v := range p.s.Providers {
		if err := p.s.Policy.CheckKeys(v.Channel, v.Keys); err != nil {
			p.Fail(p.had["provider "+string(v.Channel)].Key("keys").ValuePos, hint, "%s", plainly(err))
		}
	}
}

// blame is the line that most likely made the policy impossible.
func (p *parser) blame() Pos {
	for _, verb := range []string{"policy", "cron", "queue", "world", "fixture"} {
		if d := p.had[verb]; d != nil {
			return d.Verb.Pos
		}
	}
	return p.lastPos()
}
