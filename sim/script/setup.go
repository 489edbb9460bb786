package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

const (
	slotsMax = 100
	nodesMax = 100
)

func (p *parser) world(d *lines.Directive) {
	p.once(d, "world")
	s := p.s
	slots := 1
	workers := []string{"w1", "w2"}
	p.Settings("world", d.Words, []lines.Setting{
		{Key: "start", Set: func(value string) (err error) {
			s.Start, err = worldStart(value)
			return err
		}},
		{Key: "seed", Set: func(value string) (err error) {
			if s.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				return fmt.Errorf("%q is no whole number of 64 bits", value)
			}
			return nil
		}},
		{Key: "workers", Set: func(value string) error {
			workers = faults.List(value)
			return checkNodes(workers)
		}},
		lines.Number("slots", &slots, 1, slotsMax),
		lines.DurationOr("restart", &s.Restart, "never", -1),
	})
	s.Nodes = nodes(workers, slots, s.Restart)
}

func nodes(names []string, slots int, restart time.Duration) []Node {
	var all []Node
	for _, name := range names {
		all = append(all, Node{Name: name, Slots: slots, Restart: restart})
	}
	return all
}

func worldStart(value string) (time.Time, error) {
	at, err := faults.ParseInstant(value)
	// Only a full time says the same in every world.
	if err != nil || !at.In(time.Time{}).Equal(at.In(time.Unix(0, 0))) {
		return time.Time{}, fmt.Errorf("%q is no full time: write start=2026-03-02T12:00:00Z", value)
	}
	if t := at.In(time.Time{}); t.Year() >= 2000 && t.Year() < 2200 {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%s is not between the years 2000 and 2199", value)
}

func checkNodes(names []string) error {
	if len(names) > nodesMax {
		return fmt.Errorf("%d workers, and %d is the most", len(names), nodesMax)
	}
	for i, name := range names {
		switch {
		case !faults.IsNode(name), name[0] >= '0' && name[0] <= '9': // a number is how many, most likely
			return &lines.Wrong{Msg: fmt.Sprintf("%q can't be a node's name", name), Hint: "write workers=(w1, w2)"}
		case slices.Contains(names[:i], name):
			return fmt.Errorf("%s is there twice", name)
		}
	}
	return nil
}

func (p *parser) node(d *lines.Directive) {
	name, rest, ok := p.subject(d, "node", p.nodeNames())
	if !ok {
		return
	}
	p.once(d, "node "+name)
	n := &p.s.Nodes[slices.Index(p.nodeNames(), name)]
	p.Settings("node", rest, []lines.Setting{
		lines.Number("slots", &n.Slots, 1, slotsMax),
		lines.Duration("skew", &n.Skew, lines.Limits{Low: -faults.DurationMax, High: faults.DurationMax}),
		lines.DurationOr("restart", &n.Restart, "never", -1),
	})
}

func (p *parser) nodeNames() []string {
	var names []string
	for _, n := range p.s.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// subject takes the word after the verb, which has to be a known one.
func (p *parser) subject(d *lines.Directive, what string, known []string) (name string, rest []lines.Word, ok bool) {
	if len(d.Words) == 0 || d.Words[0].Keyed {
		p.Fail(d.End(), "", "which %s? There are %s", what, lines.ListOr(known, "none"))
		return "", nil, false
	}
	w := d.Words[0]
	if !slices.Contains(known, w.Text) {
		p.FailWith(w.Pos, lines.UnknownWord(what, w.Text, known))
		return "", nil, false
	}
	return w.Text, d.Words[1:], true
}

func (p *parser) policy(d *lines.Directive) {
	p.once(d, "policy")
	y := &p.s.Policy
	had := p.Settings("policy", d.Words, []lines.Setting{
		lines.Duration("lead", &y.Lead, lines.Positive),
		lines.Duration("cutoff", &y.Cutoff, lines.AnyDuration),
		lines.Duration("send-timeout", &y.SendTimeout, lines.Positive),
		lines.Duration("store-timeout", &y.StoreTimeout, lines.Positive),
		lines.Duration("lock-timeout", &y.LockTimeout, lines.Positive),
		lines.Duration("lease", &y.Lease, lines.Positive),
		lines.OneOf("order", &y.Order, "order", reference.ClaimFirst, reference.SendFirst),
		lines.Number("page", &y.Page, 1, 100_000),
		lines.Duration("renominate", &y.Renominate, lines.Positive),
		lines.Duration("budget", &y.SweepBudget, lines.Positive),
		lines.Duration("backstop", &y.Backstop, lines.Positive),
		lines.Duration("long-poll", &y.LongPoll, lines.Positive),
	}, "unchecked")
	p.s.Unchecked = had["unchecked"]
}

// dedups are how long each profile of broker remembers message keys.
var dedups = map[string]time.Duration{"standard": 24 * time.Hour, "fifo": 5 * time.Minute}

func (p *parser) queue(d *lines.Directive) {
	p.once(d, "queue")
	q := &p.s.Queue
	had := p.Settings("queue", d.Words, []lines.Setting{
		lines.OneOf("profile", &q.Profile, "profile", "standard", "fifo", "table"),
		lines.Duration("visibility", &p.s.Policy.Visibility, lines.Positive),
		lines.Number("max-receives", &p.s.Policy.MaxReceives, 1, 1000),
		lines.Duration("dedup", &q.Dedup, lines.AnyDuration),
		lines.Duration("retention", &q.Retention, lines.Positive),
		lines.Duration("latency", &q.Latency, lines.AnyDuration),
	})
	for _, key := range []string{"dedup", "retention", "latency"} {
		if had[key] && q.Profile == "table" {
			p.Fail(d.Verb.Pos, "", "the table queue has no %s=: it keeps a message, and its key, until it is done, and hands it over at once", key)
		}
	}
	if !had["dedup"] {
		q.Dedup = dedups[q.Profile]
	}
}

func (p *parser) provider(d *lines.Directive) {
	name, rest, ok := p.subject(d, "provider", lines.Texts(reference.Channels))
	if !ok {
		return
	}
	p.once(d, "provider "+name)
	v := &p.s.Providers[slices.Index(lines.Texts(reference.Channels), name)]
	p.Settings("provider", rest, []lines.Setting{
		lines.DurationOr("keys", &v.Keys, "none", 0),
		lines.Duration("latency", &v.Latency, lines.AnyDuration),
	})
}

func (p *parser) cron(d *lines.Directive) {
	p.once(d, "cron")
	c := &p.s.Cron
	had := p.Settings("cron", d.Words, []lines.Setting{
		lines.Duration("every", &c.Every, lines.Limits{Low: time.Second, High: 24 * time.Hour}),
		{Key: "spec", Set: func(value string) error {
			c.Spec = value
			_, err := parseSpec(value)
			return err
		}},
		{Key: "zone", Set: func(value string) (err error) {
			c.Zone, err = loadZone(value)
			return err
		}},
		lines.Duration("timeout", &c.Timeout, lines.Positive),
		lines.Number("retries", &c.Retries, 0, 10),
		lines.Duration("jitter", &c.Jitter, lines.Limits{High: time.Hour}),
	})
	switch {
	case had["every"] && had["spec"]:
		p.Fail(d.Verb.Pos, "", "every= and spec= exclude each other")
	case had["zone"] && !had["spec"]:
		p.Fail(d.Verb.Pos, "", "zone= is read with spec= only; every= knows no zone")
	case had["spec"]:
		c.Every = 0
	}
}

// parseSpec reads a cron expression of five fields, or a descriptor such as @hourly.
func parseSpec(spec string) (cron.Schedule, error) {
	hint := `five fields, such as spec="*/5 * * * *"`
	if strings.Contains(spec, "TZ=") {
		return nil, &lines.Wrong{Msg: fmt.Sprintf("%q names a zone; say zone= instead", spec)}
	}
	if len(spec) == 0 || spec[0] != '@' && (spec[0] < '0' || spec[0] > '9') && spec[0] != '*' {
		return nil, &lines.Wrong{Msg: fmt.Sprintf("%q is no cron expression", spec), Hint: hint}
	}
	schedule, err := cron.ParseStandard(spec)
	if err != nil {
		return nil, &lines.Wrong{Msg: fmt.Sprintf("%q is no cron expression: %v", spec, err), Hint: hint}
	}
	return schedule, nil
}
