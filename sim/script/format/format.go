// Package format prints a scenario as the text that parses to it, in one normal form: a failure
// that was found by chance is handed over as a file to keep.
package format

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
)

// Text prints s. Fixtures are printed as the tables that they fill, and rows of ranges one by one.
func Text(s *script.Scenario) []byte {
	w := &writer{s: s}
	for _, line := range s.Header {
		w.line(strings.TrimSpace("# " + line))
	}
	w.blank()
	w.world()
	w.policy()
	w.cron()
	w.queue()
	w.providers()
	created := w.createdHolds()
	w.holds(created)
	w.reminders()
	w.steps(created)
	return []byte(strings.Join(w.lines, "\n") + "\n")
}

type writer struct {
	s     *script.Scenario
	lines []string
}

func (w *writer) line(words ...string) {
	w.lines = append(w.lines, strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " "))
}

func (w *writer) blank() {
	if n := len(w.lines); n > 0 && w.lines[n-1] != "" {
		w.lines = append(w.lines, "")
	}
}

// pair gives KEY=VALUE, or nothing where the value is what it is by default.
func pair[T comparable](key string, value, byDefault T, print func(T) string) string {
	if value == byDefault {
		return ""
	}
	return key + "=" + print(value)
}

func (w *writer) clock(t time.Time) string { return script.Clock(t, w.s.Start) }

func number(n int) string { return fmt.Sprint(n) }

func never(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return faults.FormatDuration(d)
}

func (w *writer) world() {
	var names []string
	for _, n := range w.s.Nodes {
		names = append(names, n.Name)
	}
	slots := 1
	if len(w.s.Nodes) > 0 {
		slots = w.s.Nodes[0].Slots
	}
	w.line("world", "start="+w.s.Start.UTC().Format(time.RFC3339Nano),
		pair("seed", w.s.Seed, 1, func(seed uint64) string { return fmt.Sprint(seed) }),
		"workers=("+strings.Join(names, ", ")+")", pair("slots", slots, 1, number),
		pair("restart", w.s.Restart, 5*time.Second, never))
	for _, n := range w.s.Nodes {
		words := []string{
			"node", n.Name, pair("slots", n.Slots, slots, number),
			pair("skew", n.Skew, 0, faults.FormatDuration), pair("restart", n.Restart, w.s.Restart, never),
		}
		if strings.Join(words[2:], "") != "" {
			w.line(words...)
		}
	}
}

func (w *writer) policy() {
	p, d := w.s.Policy, reference.DefaultPolicy()
	unchecked := ""
	if w.s.Unchecked {
		unchecked = "unchecked"
	}
	span := func(key string, value, byDefault time.Duration) string {
		return pair(key, value, byDefault, faults.FormatDuration)
	}
	words := []string{
		"policy", span("lead", p.Lead, d.Lead), span("cutoff", p.Cutoff, d.Cutoff),
		span("send-timeout", p.SendTimeout, d.SendTimeout), span("store-timeout", p.StoreTimeout, d.StoreTimeout), span("lock-timeout", p.LockTimeout, d.LockTimeout),
		span("lease", p.Lease, d.Lease), pair("order", p.Order, d.Order, func(o reference.Order) string { return string(o) }),
		pair("page", p.Page, d.Page, number), span("renominate", p.Renominate, d.Renominate),
		span("budget", p.SweepBudget, d.SweepBudget), span("backstop", p.Backstop, d.Backstop),
		span("long-poll", p.LongPoll, d.LongPoll), unchecked,
	}
	if strings.Join(words[1:], "") != "" {
		w.line(words...)
	}
}

func (w *writer) cron() {
	c := w.s.Cron
	when := "every=" + faults.FormatDuration(c.Every)
	if c.Spec != "" {
		when = `spec="` + c.Spec + `" zone=` + c.Zone.String()
	}
	w.line("cron", when, pair("timeout", c.Timeout, time.Minute, faults.FormatDuration),
		pair("retries", c.Retries, 0, number), pair("jitter", c.Jitter, 0, faults.FormatDuration))
}

func (w *writer) queue() {
	q, p, d := w.s.Queue, w.s.Policy, reference.DefaultPolicy()
	words := []string{
		"queue", "profile=" + q.Profile, pair("visibility", p.Visibility, d.Visibility, faults.FormatDuration),
		pair("max-receives", p.MaxReceives, d.MaxReceives, number),
	}
	if q.Profile != "table" {
		words = append(words, "dedup="+faults.FormatDuration(q.Dedup), "retention="+faults.FormatDuration(q.Retention),
			pair("latency", q.Latency, 0, faults.FormatDuration))
	}
	w.line(words...)
}

func (w *writer) providers() {
	for _, v := range w.s.Providers {
		keys := "none"
		if v.Keys > 0 {
			keys = faults.FormatDuration(v.Keys)
		}
		w.line("provider", string(v.Channel), "keys="+keys, "latency="+faults.FormatDuration(v.Latency))
	}
}

// createdHolds are the first steps that create holds: they are printed as rows of the table.
func (w *writer) createdHolds() []script.Step {
	end := slices.IndexFunc(w.s.Steps, func(s script.Step) bool { return s.Do == nil || s.Do.Verb != "create" })
	if end < 0 {
		end = len(w.s.Steps)
	}
	return w.s.Steps[:end]
}

// table prints rows in columns of equal width, indented.
func (w *writer) table(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("  %-*s", widths[i], cell)
		}
		w.line(strings.TrimRight(line, " "))
	}
}

func (w *writer) holds(created []script.Step) {
	rows := [][]string{{"id", "created", "expires", "zone", "state", "channels", "learner", "section"}}
	for _, h := range w.s.Holds {
		rows = append(rows, w.hold(h, "-"))
	}
	for _, step := range created {
		rows = append(rows, w.hold(step.Do.New, w.clock(step.Do.At)))
	}
	if len(rows) > 1 {
		w.line("holds")
		w.table(rows)
	}
}

func (w *writer) hold(h reference.Hold, created string) []string {
	return []string{
		string(h.ID), created, w.clock(h.ExpiresAt), zone(h.Zone), string(h.State), channels(h.Channels),
		string(h.Learner), string(h.Section),
	}
}

// zone marks a zone that nobody knows, which must then be meant.
func zone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "" {
		return "!" + name
	}
	return name
}

func channels(all []reference.Channel) string {
	var names []string
	for _, c := range all {
		names = append(names, string(c))
	}
	return strings.Join(names, ",")
}

func (w *writer) reminders() {
	rows := [][]string{{
		"hold", "window", "channel", "outcome", "doubt", "claimed", "lease", "not-before", "settled", "token", "message", "receipt",
	}}
	for _, r := range w.s.Rows {
		rows = append(rows, []string{
			string(r.Hold), w.clock(r.ExpiresAt), string(r.Channel), r.Outcome.String(), orEmpty(string(r.Doubt)),
			w.maybe(r.FirstClaimedAt), w.maybe(r.LeaseUntil), w.maybe(r.NotBefore), w.maybe(r.SettledAt),
			orEmpty(string(r.Token)), orEmpty(r.MessageID), orEmpty(r.ProviderRef),
		})
	}
	if len(rows) > 1 {
		w.line("reminders")
		w.table(rows)
	}
}

func orEmpty(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func (w *writer) maybe(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return w.clock(t)
}
