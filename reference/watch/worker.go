package watch

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seathold/seathold/reference"
)

// Worker watches the slots of a worker process.
type Worker struct {
	log    *slog.Logger
	ledger Ledger
	now    func() time.Time

	ends
	deliveries, handled, errors, deadLetters *prometheus.CounterVec
	claims, lapses, afterChange              *prometheus.CounterVec
	expiries, providerAnswers                *prometheus.CounterVec
	providerSeconds, nudgeLateness           *prometheus.HistogramVec
	pauses                                   *prometheus.CounterVec
	panics, zones                            prometheus.Counter
	slots, owed                              prometheus.Gauge
	inHand                                   atomic.Int64
}

var answers = []reference.Answer{
	reference.Granted, reference.Settled, reference.SettledHere, reference.Busy, reference.NoHold,
	reference.Closed, reference.Ahead, reference.Early, reference.Late,
}

// Why a worker sets a message aside, in one word.
const (
	deadNoHold    = "no-hold"
	deadMessage   = "not-a-message"
	deadOtherwise = "other"
)

// What a provider answers, in one word.
const (
	accepted    = "accepted"
	rejected    = "rejected"
	notAccepted = "not-accepted"
	tooLate     = "too-late"
	unknown     = "unknown"
)

// errorPoints are where a port's error is observed.
var errorPoints = []string{
	"worker.receive", "worker.claim", "worker.settle", "worker.release", "worker.expire",
	"worker.ack", "worker.nack", "worker.dead-letter",
}

// NewWorker makes the metrics of a worker. Ledger may be nil: then sends after a change, and what
// expiring dropped, aren't counted.
func NewWorker(r prometheus.Registerer, log *slog.Logger, ledger Ledger, now func() time.Time) *Worker {
	m := makes{r}
	w := &Worker{
		log: log, ledger: ledger, now: now, ends: m.ends(),
		deliveries:      m.counters("deliveries_total", "Deliveries taken, by whether the message had been delivered before.", "redelivered"),
		handled:         m.counters("messages_handled_total", "Messages handled, by what was done with them last.", "end"),
		errors:          m.counters("port_errors_total", "Errors of the database and the queue, by point.", "point"),
		deadLetters:     m.counters("dead_letters_total", "Messages that this worker set aside; the broker sets aside others by itself.", "reason"),
		claims:          m.counters("claims_total", "Claims asked for, by answer. Busy is a collision: another worker has the reminder.", "channel", "answer"),
		lapses:          m.counters("lapses_total", "Claims found whose lease had ended without a word.", "channel"),
		afterChange:     m.counters("sends_after_change_total", "Reminders sent whose window had been ended by a person once the receipt was recorded.", "channel"),
		expiries:        m.counters("expiries_total", "Expire messages handled, by answer.", "answer"),
		providerAnswers: m.counters("provider_answers_total", "What providers answered. Too-late is our own doing: it was not asked.", "channel", "answer"),
		providerSeconds: m.histograms("provider_seconds", "How long a provider took to answer, whatever it answered.", callBuckets, "channel"),
		nudgeLateness:   m.histograms("nudge_lateness_seconds", "How long after it was due a reminder was claimed to be sent, by the database's clock.", lateBuckets, "channel"),
		pauses:          m.counters("provider_pauses_total", "Sends put off without asking, for the provider was being left alone.", "channel"),
		panics:          m.counter("panics_total", "Panics while a message was handled."),
		zones:           m.counter("unknown_zones_total", "Reminders in a time zone that isn't known, worded in UTC."),
		slots:           m.gauge("slots", "Slots of this worker."),
		owed:            m.gauge("outcomes_owed", "Outcomes that the database has not taken yet; they are kept in memory, and asked for again."),
	}
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "slots_busy", Help: "Slots that have a message in hand.",
	}, func() float64 { return float64(w.InHand()) }))
	channels := texts(reference.Channels)
	begin(w.deliveries, []string{"false", "true"})
	begin(w.handled, []string{"ack", "nack", "dead-letter"})
	begin(w.errors, errorPoints)
	begin(w.deadLetters, []string{deadNoHold, deadMessage, deadOtherwise})
	begin(w.claims, channels, texts(answers))
	begin(w.lapses, channels)
	begin(w.afterChange, channels)
	begin(w.expiries, texts([]reference.Expiry{reference.ExpiredNow, reference.ExpiryDone, reference.ExpiryEarly, reference.ExpiryAhead}))
	begin(w.providerAnswers, channels, []string{accepted, rejected, notAccepted, tooLate, unknown})
	begin(w.pauses, channels)
	for _, c := range channels {
		w.providerSeconds.WithLabelValues(c)
		w.nudgeLateness.WithLabelValues(c)
	}
	return w
}

// InHand is how many slots have a message in hand.
func (w *Worker) InHand() int { return int(w.inHand.Load()) }

// Exchange is one Send, as a Sender tells of it.
type Exchange struct {
	Channel reference.Channel
	// Class is what came of it: accepted, rejected, not-accepted, unknown or too-late.
	Class string
	Took  time.Duration
	// Paused says that the provider was not asked, for a pause was on; ZoneUnknown that the time was
	// worded in UTC.
	Paused, ZoneUnknown bool
}

// Exchanged counts what a Sender tells of. Any number of slots may call it at once.
func (w *Worker) Exchanged(e Exchange) {
	channel := string(e.Channel)
	if e.ZoneUnknown {
		w.zones.Inc()
	}
	if e.Paused {
		w.pauses.WithLabelValues(channel).Inc()
		return
	}
	w.providerAnswers.WithLabelValues(channel, e.Class).Inc()
	if e.Class != tooLate {
		w.providerSeconds.WithLabelValues(channel).Observe(e.Took.Seconds())
	}
}

// providerAnswer is what Send returned, in one word.
func providerAnswer(err error) string {
	var refused *reference.NotAcceptedError
	switch {
	case err == nil:
		return accepted
	case errors.Is(err, reference.ErrStartPassed):
		return tooLate
	case errors.Is(err, reference.ErrRejected):
		return rejected
	case errors.As(err, &refused):
		return notAccepted
	}
	return unknown
}
