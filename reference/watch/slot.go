package watch

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
)

// Slot watches one slot of a worker, which does one thing after another: it stands between the
// worker and its ports, and knows by what went through it what an Observation doesn't say. It
// implements reference.Observer, reference.Consumer and reference.WorkerStore.
type Slot struct {
	reference.Consumer
	reference.WorkerStore
	of  *Worker
	log *slog.Logger

	// What is in hand.
	delivery reference.Delivery
	message  reference.Message
	busy     bool
	// The last of each for it.
	claim      reference.Claim
	claimed    reference.Token
	settlement reference.Settlement
	// owed are outcomes that the store has not taken yet, by token.
	owed map[reference.Token]reference.Outcome
}

var (
	_ reference.Observer    = (*Slot)(nil)
	_ reference.Consumer    = (*Slot)(nil)
	_ reference.WorkerStore = (*Slot)(nil)
)

// Slot makes the next slot, between its worker and its ports.
func (w *Worker) Slot(queue reference.Consumer, store reference.WorkerStore, number int) *Slot {
	w.slots.Inc()
	return &Slot{Consumer: queue, WorkerStore: store, of: w, log: w.log.With("slot", number)}
}

// Receive implements reference.Consumer.
func (s *Slot) Receive(ctx context.Context, max int, wait time.Duration) ([]reference.Delivery, error) {
	s.letGo()
	deliveries, err := s.Consumer.Receive(ctx, max, wait)
	for _, d := range deliveries {
		s.of.deliveries.WithLabelValues(strconv.FormatBool(d.Receives > 1)).Inc()
		s.take(d)
	}
	return deliveries, err
}

func (s *Slot) take(d reference.Delivery) {
	// What can't be decoded has no window, and is dead-lettered by the worker.
	message, _ := reference.DecodeMessage(d.Payload)
	s.letGo()
	s.delivery, s.message, s.busy = d, message, true
	s.claim, s.claimed, s.settlement = reference.Claim{}, "", reference.Settlement{}
	s.of.inHand.Add(1)
	s.write(slog.LevelInfo, "worker.receive", nil)
}

// letGo notes that nothing is in hand any more; a message may have been left without a last word.
func (s *Slot) letGo() {
	if s.busy {
		s.busy = false
		s.of.inHand.Add(-1)
	}
}

// Claim implements reference.WorkerStore.
func (s *Slot) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	claim, err := s.WorkerStore.Claim(ctx, q)
	if err != nil {
		return claim, err
	}
	s.claim, s.claimed = claim, q.Token
	channel := q.Reminder.Channel
	s.of.claims.WithLabelValues(string(channel), string(claim.Answer)).Inc()
	switch claim.Answer {
	case reference.Granted:
		late := q.Lead - q.Cutoff - claim.TimeLeft
		s.of.nudgeLateness.WithLabelValues(string(channel)).Observe(max(0, late.Seconds()))
		if claim.Doubt == reference.Lapsed {
			s.of.lapses.WithLabelValues(string(channel)).Inc()
		}
	case reference.SettledHere:
		s.of.outcome(channel, claim.Outcome)
		if claim.Outcome.Reason == reference.Lapsed {
			s.of.lapses.WithLabelValues(string(channel)).Inc()
		}
	}
	return claim, nil
}

// Settle implements reference.WorkerStore.
func (s *Slot) Settle(ctx context.Context, t reference.Settlement) (reference.SettleAnswer, error) {
	// The row's doubt is the claim's: nobody changes it while the claim stands.
	outcome, owed := s.owed[t.Token]
	switch {
	case s.claimed == t.Token:
		outcome = t.Outcome.WithDoubt(s.claim.Doubt)
	case !owed:
		outcome = t.Outcome
	}
	s.settlement = t
	s.settlement.Outcome = outcome
	answer, err := s.WorkerStore.Settle(ctx, t)
	if s.owes(t.Token, outcome, owed, err); err != nil || answer != reference.Recorded {
		return answer, err
	}
	s.of.outcome(t.Reminder.Channel, s.settlement.Outcome)
	if t.Outcome.Verdict == reference.Sent {
		s.lookAfterSend(ctx, t.Reminder)
	}
	return answer, nil
}

// owes keeps what the store did not take, and forgets what it has.
func (s *Slot) owes(t reference.Token, outcome reference.Outcome, before bool, err error) {
	switch {
	case err != nil && !before:
		if s.owed == nil {
			s.owed = map[reference.Token]reference.Outcome{}
		}
		s.owed[t] = outcome
		s.of.owed.Inc()
	case err == nil && before:
		delete(s.owed, t)
		s.of.owed.Dec()
	}
}

// lookAfterSend counts a reminder whose window was ended by a person between the grant and the
// record of its receipt.
func (s *Slot) lookAfterSend(ctx context.Context, r reference.Reminder) {
	if s.of.ledger == nil {
		return
	}
	h, err := s.of.ledger.Get(ctx, r.Hold)
	switch {
	case err != nil && !errors.Is(err, reference.ErrNoHold):
		s.log.Warn("watch.hold", "hold", string(r.Hold), "error", err)
	case err != nil || h.State == reference.Confirmed || h.State == reference.Cancelled || !h.ExpiresAt.Equal(r.ExpiresAt):
		s.of.afterChange.WithLabelValues(string(r.Channel)).Inc()
	}
}

// Expire implements reference.WorkerStore.
func (s *Slot) Expire(ctx context.Context, w reference.Window, messageID string) (reference.Expiry, time.Duration, error) {
	answer, wait, err := s.WorkerStore.Expire(ctx, w, messageID)
	if err != nil {
		return answer, wait, err
	}
	s.of.expiries.WithLabelValues(string(answer)).Inc()
	if answer == reference.ExpiredNow {
		s.of.expired(w, s.of.now())
		s.of.dropped(ctx, s.log, s.of.ledger, []reference.Window{w}, messageID)
	}
	return answer, wait, nil
}

// Observe implements reference.Observer.
func (s *Slot) Observe(o reference.Observation) {
	level, attrs := slog.LevelInfo, []slog.Attr{}
	if o.Err != nil {
		level, attrs = slog.LevelWarn, append(attrs, slog.Any("error", o.Err))
	}
	if o.Point == "worker.panic" || o.Point == "worker.dead-letter" {
		level = slog.LevelError
	}
	if !s.busy && o.Window.Hold != "" { // it is about nothing that is in hand
		attrs = append(windowAttrs(o.Window), append([]slog.Attr{slog.String("message", o.MessageID)}, attrs...)...)
	}
	s.write(level, o.Point, append(attrs, s.details(o)...))
	s.count(o)
}

func (s *Slot) count(o reference.Observation) {
	switch o.Point {
	case "worker.panic":
		s.of.panics.Inc()
		return
	case "provider.send":
		return // the Sender tells of it: Exchanged
	case "worker.ack", "worker.nack", "worker.dead-letter":
		s.letGo()
	}
	if o.Err != nil {
		s.of.errors.WithLabelValues(o.Point).Inc()
		return
	}
	switch end := strings.TrimPrefix(o.Point, "worker."); end {
	case "dead-letter":
		s.of.deadLetters.WithLabelValues(deadReason(o.Answer)).Inc()
		s.of.handled.WithLabelValues(end).Inc()
	case "ack", "nack":
		s.of.handled.WithLabelValues(end).Inc()
	}
}

// details are what is to be said of each point besides what is in hand.
func (s *Slot) details(o reference.Observation) []slog.Attr {
	var attrs []slog.Attr
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("channel", string(o.Channel))
	add("token", string(o.Token))
	switch o.Point {
	case "provider.send":
		add("answer", providerAnswer(o.Err))
		add("ref", o.Answer)
	case "worker.claim":
		add("answer", o.Answer)
		if o.Err == nil {
			add("doubt", string(s.claim.Doubt))
			add("outcome", outcomeText(s.claim.Outcome))
		}
	case "worker.settle":
		add("answer", o.Answer)
		add("outcome", outcomeText(s.settlement.Outcome))
	case "worker.release":
		add("doubt", o.Answer)
	default:
		add("answer", o.Answer)
	}
	switch {
	case o.Point == "worker.nack":
		attrs = append(attrs, milliseconds("again_ms", o.Took))
	case o.Took > 0:
		attrs = append(attrs, milliseconds("took_ms", o.Took))
	}
	return attrs
}

func outcomeText(o reference.Outcome) string {
	if !o.Final() {
		return ""
	}
	return o.String()
}

// write logs a point with what is in hand.
func (s *Slot) write(level slog.Level, point string, more []slog.Attr) {
	ctx := context.Background()
	if !s.log.Enabled(ctx, level) {
		return
	}
	var attrs []slog.Attr
	if s.busy {
		attrs = windowAttrs(s.message.Window)
		if s.message.Kind != "" {
			attrs = append(attrs, slog.String("kind", string(s.message.Kind)))
		}
		attrs = append(attrs, slog.String("message", s.delivery.MessageID), slog.Int("delivery", s.delivery.Receives))
	}
	s.log.LogAttrs(ctx, level, point, append(attrs, more...)...)
}

func deadReason(reason string) string {
	switch {
	case strings.Contains(reason, reference.ErrNoHold.Error()):
		return deadNoHold
	case strings.Contains(reason, reference.ErrBadMessage.Error()):
		return deadMessage
	}
	return deadOtherwise
}
