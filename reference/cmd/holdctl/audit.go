package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
)

// providerLog is an export of what a provider accepted.
type providerLog struct {
	ProviderLog    string            `placeholder:"FILE" help:"What the provider accepted, as JSON lines or CSV with a header: reminder key, time, and perhaps its reference. - is stdin."`
	ProviderFields map[string]string `mapsep:"," placeholder:"FIELD=NAME,…" help:"Other names of its fields: key, accepted-at, ref."`
}

// read gives nil where there is none.
func (p providerLog) read() ([]audit.Acceptance, error) {
	fields := audit.DefaultFields()
	known := map[string]*[]string{"key": &fields.Key, "accepted-at": &fields.At, "ref": &fields.Ref}
	for _, of := range slices.Sorted(maps.Keys(p.ProviderFields)) {
		if known[of] == nil {
			return nil, usage("there are accepted-at, key, ref", "provider-fields: %q is none", of)
		}
		*known[of] = []string{p.ProviderFields[of]}
	}
	switch {
	case p.ProviderLog == "" && len(p.ProviderFields) > 0:
		return nil, usage("say --provider-log FILE", "provider-fields is set, and provider-log is not")
	case p.ProviderLog == "":
		return nil, nil
	}
	from, closed, err := open("provider-log", p.ProviderLog)
	if err != nil {
		return nil, err
	}
	defer closed()
	all, err := audit.ReadLog(from, fields)
	if err != nil {
		return nil, failed("a line has a reminder key, the time it was accepted, and perhaps a reference; --provider-fields gives their names", "provider-log %s: %v", p.ProviderLog, err)
	}
	return append([]audit.Acceptance{}, all...), nil
}

type auditCommand struct {
	providerLog
	Since         moment        `placeholder:"TIME" help:"Leave out windows that ended before a time, or an age, and what was accepted before it."`
	ProviderUntil moment        `placeholder:"TIME" help:"How far the provider's log goes: what was recorded as sent later isn't looked for in it. Now, if not given."`
	ProviderSkew  time.Duration `default:"1s" help:"How far the provider's clock may be off."`
	Healed        moment        `placeholder:"TIME" help:"When the last outage ended, if there was one: a hold may be held until backstop + sweep period + 30s after it."`
	NothingDown   bool          `help:"Nothing was down: a hold may be held until sweep period + 30s after its end, and no longer."`
	Except        []string      `placeholder:"KEY,…" help:"Reminder keys in the log whose hold was removed since, as holdctl smoke --json gives them."`
	Most          int           `default:"20" help:"How many findings are shown at most. All are counted."`
}

func (a *auditCommand) check() error {
	switch {
	case a.Most < 1 || a.Most > limitMax:
		return usage("20 is the default", "most is %d and must be from 1 to %d", a.Most, limitMax)
	case a.ProviderSkew < 0:
		return usage("0 is none", "provider-skew is %s and must not be negative", a.ProviderSkew)
	case a.NothingDown && a.Healed.set:
		return usage("leave out one of them", "nothing-down is said, and healed says when something was")
	case a.ProviderUntil.set && a.ProviderLog == "":
		return usage("say --provider-log FILE", "provider-until is set, and provider-log is not")
	case len(a.Except) > 0 && a.ProviderLog == "":
		return usage("say --provider-log FILE", "except is set, and provider-log is not")
	}
	return nil
}

func (a *auditCommand) run(ctx context.Context, c *control) error {
	if err := a.check(); err != nil {
		return err
	}
	rules, err := c.rules()
	if err != nil {
		return err
	}
	// Before the tables, for what is accepted has a row first.
	accepted, err := a.read()
	if err != nil {
		return err
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	rules.Since, rules.Until, rules.Healed = a.Since.before(now), a.ProviderUntil.before(now), a.Healed.before(now)
	rules.NothingDown, rules.Skew = a.NothingDown, a.ProviderSkew
	var log *audit.Log
	if accepted != nil {
		log = audit.NewLog(slices.DeleteFunc(accepted, func(of audit.Acceptance) bool { return slices.Contains(a.Except, of.Key) }))
	}
	report, err := audit.Tables(ctx, t.DB, rules, log)
	if err != nil {
		return err
	}
	if err := c.print(report, func(w io.Writer) { writeReport(w, report, a.Most) }); err != nil {
		return err
	}
	if report.Clean() {
		return nil
	}
	total, named := 0, []string{}
	for _, b := range report.Broken {
		total += b.Count
		named = append(named, fmt.Sprintf("%s %s %d", b.Promise, b.Class, b.Count))
	}
	return failed("holdctl explain HOLD tells the story of each", "audit: %s: %s", count(total, "violation"), strings.Join(named, ", "))
}

func writeReport(w io.Writer, r *audit.Report, most int) {
	since := ""
	if !r.Since.IsZero() {
		since = ", windows that end at or after " + second(r.Since)
	}
	fmt.Fprintf(w, "as of %s%s\n\n", second(r.At), since)
	for _, s := range []reference.State{reference.Held, reference.Confirmed, reference.Cancelled, reference.Expired} {
		more := ""
		if s == reference.Held && r.Overdue > 0 {
			more = fmt.Sprintf("%d of them past their end", r.Overdue)
		}
		fmt.Fprintf(w, "holds\t%s\t%d\t%s\n", s, r.Holds[s], more)
	}
	for _, n := range r.Reminders {
		fmt.Fprintf(w, "%s\t%s\t%d\t\n", n.Channel, n.Outcome, n.Count)
	}
	if l := r.Log; l != nil {
		fmt.Fprintf(w, "provider\taccepted\t%d\t\n", l.Accepted)
		fmt.Fprintf(w, "provider\taccepted, and recorded as unknown\t%d\t\n", l.UnknownAccepted)
		fmt.Fprintf(w, "provider\tnot accepted, and recorded as unknown\t%d\t\n", l.UnknownNotAccepted)
		if l.DoubledByPolicy > 0 {
			fmt.Fprintf(w, "provider\taccepted twice, as send-first may\t%d\t\n", l.DoubledByPolicy)
		}
	}
	if r.Clean() {
		checked := "P1 to P5 hold"
		if r.Log == nil {
			checked = "P2 to P5 hold; P1 can only be told by a provider's log"
		}
		fmt.Fprintf(w, "\n%s\n", checked)
		return
	}
	fmt.Fprintln(w)
	for i, f := range r.Findings {
		if i == most {
			fmt.Fprintf(w, "… and more: --most, or --json\n")
			break
		}
		fmt.Fprintf(w, "%s %s: %s\n", f.Promise, f.Class, f.Sentence)
	}
}
