package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seathold/seathold/reference"
)

// Sweep watches the sweeps of a process. It implements reference.Observer.
type Sweep struct {
	log    *slog.Logger
	ledger Ledger
	now    func() time.Time

	ends
	sweeps, found, published, unpublished *prometheus.CounterVec
	backstop, skipped                     prometheus.Counter
	seconds                               prometheus.Observer
	gap                                   prometheus.Gauge
	began                                 time.Time
}

var _ reference.Observer = (*Sweep)(nil)

// The results of a sweep, in one word.
const (
	ResultWhole     = "whole"     // everything found was published, and nothing was left
	ResultDiverged  = "diverged"  // less was published than found
	ResultUndrained = "undrained" // the budget ended first
	ResultFailed    = "failed"    // it went wrong otherwise, such as in recording its report
)

// NewSweep makes the metrics of sweeps. Ledger may be nil.
func NewSweep(r prometheus.Registerer, log *slog.Logger, ledger Ledger, now func() time.Time) *Sweep {
	m := makes{r}
	kinds := texts([]reference.Kind{reference.Remind, reference.Expire})
	s := &Sweep{
		log: log, ledger: ledger, now: now, ends: m.ends(),
		sweeps:      m.counters("sweeps_total", "Sweeps made, by how they ended.", "result"),
		found:       m.counters("sweep_found_total", "Windows that sweeps found due, by kind of message.", "kind"),
		published:   m.counters("sweep_published_total", "Messages that the broker took, those it collapsed among them.", "kind"),
		unpublished: m.counters("sweep_unpublished_total", "Windows found and not published: the divergence.", "kind"),
		backstop:    m.counter("backstop_expiries_total", "Holds that a sweep expired by itself, because no worker had."),
		skipped:     m.counter("sweeps_skipped_total", "Sweeps asked for while one was running in this process."),
		seconds:     m.histograms("sweep_seconds", "How long a sweep took.", callBuckets[1:]).WithLabelValues(),
		gap:         m.gauge("sweep_gap_seconds", "Time between the starts of the last two sweeps of this process; 0 before the second."),
	}
	begin(s.sweeps, []string{ResultWhole, ResultDiverged, ResultUndrained, ResultFailed})
	for _, v := range []*prometheus.CounterVec{s.found, s.published, s.unpublished} {
		begin(v, kinds)
	}
	return s
}

// Began notes the start of a sweep, and gives the time since the one before; 0 if there was none.
// Sweeps of one process follow one another.
func (s *Sweep) Began() time.Duration {
	now, gap := s.now(), time.Duration(0)
	if !s.began.IsZero() {
		gap = now.Sub(s.began)
		s.gap.Set(gap.Seconds())
	}
	s.began = now
	return gap
}

// Skipped notes that no sweep was begun, for one was running.
func (s *Sweep) Skipped() { s.skipped.Inc() }

// Observe implements reference.Observer. The end of a sweep is Ended's, which knows the report.
func (s *Sweep) Observe(o reference.Observation) {
	if o.Point != "sweep.backstop" {
		return
	}
	s.backstop.Inc()
	s.expired(o.Window, s.now())
	s.log.Warn(o.Point, "hold", string(o.Window.Hold), "window", o.Window.ExpiresAt.UTC(), "token", string(o.Token))
}

// Ended notes what a sweep did, and gives its result in one word.
func (s *Sweep) Ended(ctx context.Context, r reference.Report, err error) string {
	result, took := Result(r, err), s.now().Sub(s.began)
	s.sweeps.WithLabelValues(result).Inc()
	s.seconds.Observe(took.Seconds())
	for _, k := range []struct {
		kind             reference.Kind
		found, published int
	}{{reference.Remind, r.Found.Remind, r.Published.Remind}, {reference.Expire, r.Found.Expire, r.Published.Expire}} {
		s.found.WithLabelValues(string(k.kind)).Add(float64(k.found))
		s.published.WithLabelValues(string(k.kind)).Add(float64(k.published))
		s.unpublished.WithLabelValues(string(k.kind)).Add(float64(max(0, k.found-k.published)))
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("token", string(r.ID)), slog.String("answer", result),
		slog.Int("found_remind", r.Found.Remind), slog.Int("found_expire", r.Found.Expire),
		slog.Int("published_remind", r.Published.Remind), slog.Int("published_expire", r.Published.Expire),
		slog.Int("queued", r.Queued), slog.Int("pages", r.Pages), slog.Int("backstop", r.Backstop),
		slog.Bool("drained", r.Drained), milliseconds("took_ms", took),
	}
	if err != nil {
		level, attrs = slog.LevelError, append(attrs, slog.Any("error", err))
	}
	s.log.LogAttrs(ctx, level, "sweep.end", attrs...)
	return result
}

// Store gives store, watched.
func (s *Sweep) Store(store reference.SweepStore) reference.SweepStore { return sweepStore{store, s} }

type sweepStore struct {
	reference.SweepStore
	of *Sweep
}

// ExpireOverdue implements reference.SweepStore, and counts what it dropped, page by page, so that
// nothing has to be remembered.
func (s sweepStore) ExpireOverdue(ctx context.Context, age time.Duration, limit int) ([]reference.Window, error) {
	windows, err := s.SweepStore.ExpireOverdue(ctx, age, limit)
	if err == nil && len(windows) > 0 {
		s.of.ends.dropped(ctx, s.of.log, s.of.ledger, windows, "")
	}
	return windows, err
}

// Result says in one word how a sweep ended.
func Result(r reference.Report, err error) string {
	switch {
	case r.Found != r.Published:
		return ResultDiverged
	case !r.Drained && errors.Is(err, reference.ErrUndrained) && errors.Is(err, context.DeadlineExceeded):
		return ResultUndrained
	case err != nil:
		return ResultFailed
	}
	return ResultWhole
}
