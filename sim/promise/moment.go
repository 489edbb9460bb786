package promise

import (
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// The port calls that are judged, as traces name them.
const (
	published    trace.What = "sweep.publish"
	backstop     trace.What = "sweep.backstop"
	received     trace.What = "worker.receive"
	claimed      trace.What = "worker.claim"
	sent         trace.What = "provider.send"
	settled      trace.What = "worker.settle"
	released     trace.What = "worker.release"
	expired      trace.What = "worker.expire"
	acked        trace.What = "worker.ack"
	nacked       trace.What = "worker.nack"
	deadLettered trace.What = "worker.dead-letter"
	created      trace.What = "hold.create"
	confirmed    trace.What = "hold.confirm"
	cancelled    trace.What = "hold.cancel"
	extended     trace.What = "hold.extend"
)

// moment is an event and what it is about, found in the model.
type moment struct {
	*trace.Event
	now      instant
	hold     *hold     // nil if the event names none
	window   *window   // nil if the event names none
	reminder *reminder // nil if the event names none
	message  *message  // nil if the event names none
	// on is the channel that a checker found to be concerned, where the event names none.
	on reference.Channel
}

// resolve makes m the moment of e: it finds what e is about.
func (w *world) resolve(m *moment, e *trace.Event) {
	*m = moment{Event: e, now: at(e.At)}
	if e.Hold != "" {
		m.hold = w.hold(e.Hold)
	}
	if m.hold != nil && !e.Window.IsZero() {
		m.window = w.window(m.hold, at(e.Window))
		if e.Channel != "" {
			m.reminder = m.window.reminder(w, e.Channel)
		}
	}
	switch e.What {
	case published, received, acked, deadLettered, trace.BrokerLost, trace.BrokerDead, trace.BrokerGone, trace.Redriven:
		if e.Message != "" {
			m.message = w.message(e.Message, m.now)
		}
	}
}

// has says that m took effect with this answer.
func (m *moment) has(what trace.What, answer string) bool {
	return m.What == what && m.Answer == answer && !m.NoEffect
}

// started says that m is a provider call that was truly made.
func (m *moment) started() bool { return m.What == sent && m.Answer != "too-late" && !m.NoEffect }

func (m *moment) startedAt() instant {
	if m.Start.IsZero() {
		return m.now
	}
	return at(m.Start)
}

// struck says that the caller of m can't have known what came of it, or was made to wait for it.
func (m *moment) struck() bool {
	return m.Err != "" || m.Fault != "" || m.NoEffect || m.What == sent && m.Answer == "unknown"
}

// releases says that m gives r's row back. Where the trace doesn't say, the token does.
func (m *moment) releases(r *reminder) bool {
	if m.NoEffect || !r.open() {
		return false
	}
	return m.Answer == "released" || m.Answer == "" && m.Token != "" && m.Token == r.token
}
