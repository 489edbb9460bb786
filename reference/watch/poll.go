package watch

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seathold/seathold/reference"
)

// Depth is how much waits in the queue.
type Depth struct {
	Ready, Hidden, Delayed, Dead int
	Oldest                       time.Duration
}

// Poll looks, every so often, at what no call of the program's own shows.
type Poll struct {
	// Check says whether the program can work.
	Check func(ctx context.Context) error
	Ready *Ready
	// Depth may be nil, where the broker doesn't say.
	Depth func(ctx context.Context) (Depth, error)
	// Stopped is why the broker is not called any more; it may be nil, where a broker never stops us.
	Stopped func() error
	Ledger  Ledger
	Log     *slog.Logger
	// Every is how often the queue and the last sweep are looked at; zero for never.
	Every time.Duration

	ready             prometheus.Gauge
	messages          *prometheus.GaugeVec
	oldest, dead      prometheus.Gauge
	drained, backstop prometheus.Gauge
	found, queued     *prometheus.GaugeVec
	// swept is when the last sweep was recorded, in nanoseconds of this process's clock, so that its
	// age goes on growing while nobody can look.
	swept atomic.Int64
}

const (
	checkEvery = 5 * time.Second
	lookMax    = 5 * time.Second
)

// Register makes the metrics. Policy and channels give the limits that the alerts compare with.
func (p *Poll) Register(r prometheus.Registerer, policy reference.Policy, channels int) {
	m := makes{r}
	p.swept.Store(time.Now().UnixNano())
	p.ready = m.gauge("ready", "1 while the program can do its work, else 0.")
	m.gauge("sweep_period_seconds", "How often a sweep is to be started; 0 if that isn't known.").Set(policy.SweepPeriod.Seconds())
	m.gauge("sweep_gap_limit_seconds", "The gap between two sweeps from which on a hold may pass its cut-off unseen: lead - cut-off - channels x send timeout.").
		Set((policy.Lead - policy.Cutoff - time.Duration(channels)*policy.SendTimeout).Seconds())
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "queue_stopped", Help: "1 while a hosted queue is not called, for it wants payment, else 0.",
	}, func() float64 { return boolean(p.Stopped != nil && p.Stopped() != nil) }))
	if p.Every <= 0 {
		return
	}
	if p.Depth != nil {
		p.messages = m.gauges("queue_messages", "Messages in the queue: ready, hidden (handed over) or delayed.", "state")
		p.oldest = m.gauge("queue_oldest_seconds", "How long ago the oldest message in the queue was published.")
		p.dead = m.gauge("queue_dead_letters", "Messages set aside.")
	}
	if p.Ledger != nil {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "last_sweep_age_seconds",
			Help: "How long ago the last report of a sweep was recorded, whoever swept; if there is none, how long ago this process began to look.",
		}, func() float64 { return time.Since(time.Unix(0, p.swept.Load())).Seconds() }))
		p.found = m.gauges("last_sweep_found", "Windows that it found due.", "kind")
		p.queued = m.gauges("last_sweep_published", "Messages that it published.", "kind")
		p.drained = m.gauge("last_sweep_drained", "1 if it came to the end of what was due, else 0.")
		p.backstop = m.gauge("last_sweep_backstop", "Holds that it expired by itself.")
		p.drained.Set(1)
	}
}

// Run looks until ctx ends.
func (p *Poll) Run(ctx context.Context) {
	var last time.Time
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	if p.Every > 0 && p.Every < checkEvery {
		tick.Reset(p.Every)
	}
	for ctx.Err() == nil {
		p.check(ctx)
		if p.Every > 0 && time.Since(last) >= p.Every {
			last = time.Now()
			p.look(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func (p *Poll) check(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookMax)
	defer cancel()
	err := p.Check(ctx)
	if context.Cause(ctx) == context.Canceled {
		return // the program ends, and that is no news of the database
	}
	if p.Ready.Set(err) {
		level, attrs := slog.LevelInfo, []slog.Attr{slog.Bool("ready", err == nil)}
		if err != nil {
			level, attrs = slog.LevelError, append(attrs, slog.Any("error", err))
		}
		p.Log.LogAttrs(ctx, level, "program.ready", attrs...)
	}
	p.ready.Set(boolean(p.Ready.Err() == nil))
}

func (p *Poll) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookMax)
	defer cancel()
	if p.Depth != nil {
		if d, err := p.Depth(ctx); err == nil {
			p.showDepth(d)
		} else if context.Cause(ctx) != context.Canceled {
			p.Log.Warn("watch.queue", "error", err)
		}
	}
	if p.Ledger == nil {
		return
	}
	switch last, found, err := p.Ledger.LastSweep(ctx); {
	case err == nil && found:
		p.showSweep(last)
	case err != nil && context.Cause(ctx) != context.Canceled:
		p.Log.Warn("watch.sweeps", "error", err)
	}
}

func (p *Poll) showDepth(d Depth) {
	p.messages.WithLabelValues("ready").Set(float64(d.Ready))
	p.messages.WithLabelValues("hidden").Set(float64(d.Hidden))
	p.messages.WithLabelValues("delayed").Set(float64(d.Delayed))
	p.oldest.Set(d.Oldest.Seconds())
	p.dead.Set(float64(d.Dead))
}

func (p *Poll) showSweep(s SweepOnRecord) {
	p.swept.Store(time.Now().Add(-s.Age).UnixNano())
	p.found.WithLabelValues(string(reference.Remind)).Set(float64(s.Report.Found.Remind))
	p.found.WithLabelValues(string(reference.Expire)).Set(float64(s.Report.Found.Expire))
	p.queued.WithLabelValues(string(reference.Remind)).Set(float64(s.Report.Published.Remind))
	p.queued.WithLabelValues(string(reference.Expire)).Set(float64(s.Report.Published.Expire))
	p.drained.Set(boolean(s.Report.Drained))
	p.backstop.Set(float64(s.Report.Backstop))
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
