package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// report prints what was done and what was found.
func (w *world) report(to io.Writer) {
	p := policy()
	fmt.Fprintf(to, "soak of %s, seed %d, on %s\n", w.duration, w.seed, w.server.Origin())
	fmt.Fprintf(to, "policy       lead %s, cut-off %s, sweep every %s, send timeout %s, lease %s, visibility %s, backstop %s\n",
		p.Lead, p.Cutoff, p.SweepPeriod, p.SendTimeout, p.Lease, p.Visibility, p.Backstop)
	line(to, "people", w.crowd.done)
	line(to, "trouble", w.did.counts)
	fmt.Fprintf(to, "%-12s %.1fs in all\n", "database away", w.did.outage.Seconds())
	starts, exits := map[string]int{}, map[string]int{}
	for _, p := range w.processes {
		starts[p.name] = p.starts
		if p.exits > 0 {
			exits[p.name] = p.exits
		}
	}
	line(to, "starts", starts)
	line(to, "exits", exits)
	for _, p := range w.providers {
		line(to, string(p.channel), p.Counts())
	}
	line(to, "windows", w.found.Ended)
	outcomes := map[string]map[string]int{}
	for _, c := range w.found.Audit.Reminders {
		if outcomes[string(c.Channel)] == nil {
			outcomes[string(c.Channel)] = map[string]int{}
		}
		outcomes[string(c.Channel)][c.Outcome] += c.Count
	}
	for _, channel := range slices.Sorted(maps.Keys(outcomes)) {
		line(to, "outcomes "+channel, outcomes[channel])
	}
	if log := w.found.Audit.Log; log != nil {
		fmt.Fprintf(to, "%-12s %d accepted; of the unknown outcomes the providers had accepted %d, and %d not; %d unknown became sent; %d were sent after a person's change\n",
			"providers", log.Accepted, log.UnknownAccepted, log.UnknownNotAccepted, w.found.Replaced, w.found.AfterChange)
	}
	line(to, "dead letters", w.deadLetters())
	missed, sent := 0, 0
	for _, of := range outcomes {
		missed, sent = missed+of["dropped(missed)"], sent+of["sent"]
	}
	if missed > sent {
		fmt.Fprintf(to, "%-12s more reminders were missed than sent: the machine was too busy for -rate %d, and the run shows little\n", "note", w.rate)
	}
	if freed := w.found.Freed; len(freed) > 0 {
		at := func(share float64) string {
			return freed[int(share*float64(len(freed)-1))].Round(time.Millisecond).String()
		}
		fmt.Fprintf(to, "%-12s %d seats, late by %s at the median, %s at 99 of 100, %s at most\n", "freed", len(freed), at(0.5), at(0.99), at(1))
	}
	w.reportBroken(to)
}

// reportBroken prints the promises that were broken, and counts them.
func (w *world) reportBroken(to io.Writer) {
	for i, b := range w.broken {
		if i == shownMax {
			fmt.Fprintf(to, "  and %d more\n", len(w.broken)-i)
			break
		}
		fmt.Fprintf(to, "BROKEN %s\n", b)
	}
	var classes []string
	for _, c := range []struct{ promise, words string }{
		{"P1 ", "accepted twice"}, {"P2 ", "unaccounted"}, {"P3 ", "sent late or early"}, {"P4 ", "expired early"},
		{"P5 ", "still held past the bound"}, {"P6 ", "left undone"}, {"P8 ", "done again"},
	} {
		n := 0
		for _, b := range w.broken {
			if strings.HasPrefix(b, c.promise) {
				n++
			}
		}
		classes = append(classes, fmt.Sprint(n, " ", c.words))
	}
	fmt.Fprintf(to, "%-12s %d in all: %s\n", "violations", len(w.broken), strings.Join(classes, ", "))
}

// line prints counts in the order of their names.
func line(to io.Writer, what string, counts map[string]int) {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	fmt.Fprintf(to, "%-12s %s\n", what, strings.Join(parts, ", "))
}

func (w *world) deadLetters() map[string]int {
	counts := map[string]int{}
	rows, err := w.admin.QueryContext(context.Background(), `select case when reason like 'received%' then 'received too often' else regexp_replace(reason, ' [^ ]*@[^ ]*', '') end, count(*)::int
		from queue_dead_letters group by 1`)
	if err != nil {
		return map[string]int{err.Error(): 1}
	}
	defer rows.Close()
	for rows.Next() {
		var reason string
		var n int
		if rows.Scan(&reason, &n) == nil {
			counts[reason] = n
		}
	}
	return counts
}
