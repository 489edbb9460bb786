package watch

import (
	"context"
	"log/slog"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/seathold/seathold/reference"
)

const namespace = "seathold"

// NewRegistry makes a registry with what every program exports: what was built, and what the
// process uses.
func NewRegistry(program, version string) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	makes{r}.gauges("build_info", "Which version runs: always 1.", "program", "version", "go").
		WithLabelValues(program, version, runtime.Version()).Set(1)
	return r
}

// makes makes metrics in a registry.
type makes struct{ registry prometheus.Registerer }

func (m makes) counter(name, help string) prometheus.Counter {
	return m.counters(name, help).WithLabelValues()
}

func (m makes) counters(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m makes) gauge(name, help string) prometheus.Gauge {
	return m.gauges(name, help).WithLabelValues()
}

func (m makes) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

func (m makes) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(v)
	return v
}

// Buckets, in seconds: of calls, and of what is measured against a lead of minutes.
var (
	callBuckets = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}
	lateBuckets = []float64{1, 5, 15, 30, 60, 90, 120, 150, 300, 600, 1200}
)

// outcomes are all that can be recorded of a reminder.
var outcomes = []reference.Outcome{
	{Verdict: reference.Sent},
	{Verdict: reference.Dropped, Reason: reference.Rejected}, {Verdict: reference.Dropped, Reason: reference.Throttled},
	{Verdict: reference.Dropped, Reason: reference.Stalled}, {Verdict: reference.Dropped, Reason: reference.Missed},
	{Verdict: reference.Unknown, Reason: reference.Timeout}, {Verdict: reference.Unknown, Reason: reference.Lapsed},
}

// ends are the metrics of how windows end, which workers and sweeps both bring about.
type ends struct {
	outcomes       *prometheus.CounterVec
	expiryLateness prometheus.Observer
}

func (m makes) ends() ends {
	e := ends{
		m.counters("outcomes_total", "Outcomes recorded, by channel, verdict and reason. A late sent that replaces unknown is one more.", "channel", "outcome", "reason"),
		m.histograms("expiry_lateness_seconds", "How long after expires_at a hold was expired, by the clock of this process.", lateBuckets).WithLabelValues(),
	}
	for _, c := range reference.Channels {
		for _, o := range outcomes {
			e.outcomes.WithLabelValues(string(c), string(o.Verdict), string(o.Reason))
		}
	}
	return e
}

func (e ends) outcome(c reference.Channel, o reference.Outcome) { e.outcomesOf(c, o, 1) }

func (e ends) outcomesOf(c reference.Channel, o reference.Outcome, n int) {
	e.outcomes.WithLabelValues(string(c), string(o.Verdict), string(o.Reason)).Add(float64(n))
}

func (e ends) expired(w reference.Window, now time.Time) {
	e.expiryLateness.Observe(max(0, now.Sub(w.ExpiresAt).Seconds()))
}

// dropped counts the outcomes that expiring windows wrote, as far as they can be read.
func (e ends) dropped(ctx context.Context, log *slog.Logger, ledger Ledger, windows []reference.Window, messageID string) {
	if ledger == nil {
		return
	}
	dropped, err := ledger.Dropped(ctx, windows, messageID)
	if err != nil {
		log.Warn("watch.dropped", "error", err)
	}
	for _, d := range dropped {
		e.outcomesOf(d.Channel, reference.Outcome{Verdict: reference.Dropped, Reason: d.Reason}, d.Count)
	}
}

// begin makes every series of a counter, so that it is at zero before it counts.
func begin(v *prometheus.CounterVec, labels ...[]string) {
	each(labels, nil, func(values []string) { v.WithLabelValues(values...) })
}

// each calls do with every combination of one of each list.
func each(lists [][]string, head []string, do func([]string)) {
	if len(lists) == 0 {
		do(head)
		return
	}
	for _, s := range lists[0] {
		each(lists[1:], append(head[:len(head):len(head)], s), do)
	}
}

func texts[S ~string](all []S) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return out
}
