package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
)

// table prints a line for each figure as soon as it is known.
type table struct {
	out   io.Writer
	begun bool
}

// line is one figure: ours, what raw Postgres did in the same rounds, and the aim, if there is one.
type line struct {
	what, unit string
	ours, raw  []float64
	// aim is the least that ours is to be of raw; 0 for none.
	aim  float64
	more string
}

func (t *table) print(l line) {
	if !t.begun {
		t.begun = true
		fmt.Fprintf(t.out, "%-52s %12s %12s %7s\n", "", "ours", "raw", "ratio")
	}
	raw, ratio := "", ""
	if len(l.raw) > 0 {
		raw = number(median(l.raw))
		ratios := make([]float64, len(l.raw))
		for i := range l.raw {
			ratios[i] = l.ours[i] / l.raw[i]
		}
		r := median(ratios)
		ratio = fmt.Sprintf("%.2f", r)
		switch {
		case l.aim > 0 && r < l.aim:
			l.more = fmt.Sprintf("below the aim of %.2f; %s", l.aim, l.more)
		case l.aim > 0:
			l.more = fmt.Sprintf("aim %.2f; %s", l.aim, l.more)
		}
	}
	text := fmt.Sprintf("%-52s %12s %12s %7s  %s", l.what+", "+l.unit, number(median(l.ours)), raw, ratio, strings.TrimSuffix(l.more, "; "))
	fmt.Fprintln(t.out, strings.TrimRight(text, " "))
}

// median is the middle one, or halfway between the two.
func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func quantile(all []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(math.Round(q*float64(len(sorted)-1)))]
}

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// describe says what is measured on.
func (b *bench) describe(ctx context.Context) error {
	d, err := b.database(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	var version, fsync, commit string
	err = d.db.QueryRowContext(ctx, `select current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')`).
		Scan(&version, &fsync, &commit)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(b.table.out, "PostgreSQL %s, fsync %s, synchronous_commit %s; %s, %d CPUs; %d rounds, medians\n\n",
		version, fsync, commit, runtime.Version(), runtime.NumCPU(), b.rounds)
	return err
}
