package sim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// posted is what the harness knows of a message: under which name it goes in traces, and what is in it.
type posted struct {
	name    string
	payload []byte
	kind    reference.Kind
	window  reference.Window
	copy    bool // the broker made it of another one
}

// nameOf gives the name of the message that the broker calls id, a new one if it is new.
func (w *World) nameOf(id string, payload []byte) *posted {
	if m, ok := w.messages[id]; ok {
		return m
	}
	decoded, _ := reference.DecodeMessage(payload) // what is no message has no kind and no window
	return w.name(id, payload, decoded.Kind, decoded.Window)
}

// name gives a message that the broker calls id its name, if it has none yet.
func (w *World) name(id string, payload []byte, kind reference.Kind, window reference.Window) *posted {
	if m, ok := w.messages[id]; ok {
		return m
	}
	m := &posted{name: "m" + strconv.Itoa(len(w.posted)+1), payload: payload, kind: kind, window: window}
	w.messages[id] = m
	w.byName[m.name] = m
	w.posted = append(w.posted, m)
	return m
}

// publisherPort is reference.Publisher as one process sees it. Every entry of a batch is a call of
// its own, so that a crash or a slow broker can strike in the middle.
type publisherPort struct{ p *process }

func (q publisherPort) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	results := make([]reference.Published, len(entries))
	for i, e := range entries {
		results[i] = q.publish(ctx, e)
		if err := q.p.CutOff(); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (q publisherPort) publish(ctx context.Context, e reference.Entry) (result reference.Published) {
	decoded, _ := reference.DecodeMessage(e.Payload) // a payload that is none is refused by nobody here
	base := trace.Event{Kind: decoded.Kind, Window: decoded.Window.ExpiresAt}
	q.p.publishing = posted{kind: decoded.Kind, window: decoded.Window}
	err := q.p.do(ctx, faults.Moment{Point: faults.SweepPublish, Hold: decoded.Window.Hold}, base, func(fx *struck, ev *trace.Event) error {
		result = q.p.world.post(e, fx, ev)
		return nil
	})
	if err != nil {
		return reference.Published{Err: err}
	}
	return result
}

// post hands one entry to the broker, with what the faults do to it there.
func (w *World) post(e reference.Entry, fx *struck, ev *trace.Event) reference.Published {
	if fx.Postpone {
		e.Delay += fx.Later
	}
	if fx.Poison {
		e.Payload = append([]byte("\x00poison "), e.Payload...)
	}
	if fx.Lose {
		return w.lose(e, ev)
	}
	results, err := w.broker.Publish(context.Background(), []reference.Entry{e})
	if err != nil {
		w.fail(err)
		return reference.Published{Err: err}
	}
	r := results[0]
	if r.Err != nil {
		ev.Answer = answerRefused
		return r
	}
	m := w.name(r.MessageID, e.Payload, ev.Kind, reference.Window{Hold: ev.Hold, ExpiresAt: ev.Window})
	ev.Message, ev.Answer, ev.Until = m.name, "accepted", w.Now().Add(e.Delay)
	if r.Duplicate {
		ev.Answer, ev.Until = "duplicate", time.Time{}
	}
	w.idle.Kick()
	return reference.Published{MessageID: m.name, Duplicate: r.Duplicate}
}

// lose has the broker take an entry and its key, and never deliver it.
func (w *World) lose(e reference.Entry, ev *trace.Event) reference.Published {
	id := fmt.Sprintf("lost%d", len(w.posted)+1)
	if k, ok := w.broker.(interface{ Remember(key, id string) }); ok && e.Key != "" {
		k.Remember(e.Key, id)
	}
	m := w.nameOf(id, e.Payload)
	ev.Message, ev.Answer = m.name, "accepted"
	w.record(trace.Event{Who: "broker", What: trace.BrokerLost, Hold: ev.Hold, Window: ev.Window, Kind: ev.Kind, Message: m.name})
	return reference.Published{MessageID: m.name}
}

// again has the broker deliver a message twice: what was received becomes visible at once, and else
// there will be a copy, for by then the message itself may be acknowledged.
func (w *World) again(p *process, e trace.Event, later time.Duration) {
	defer w.idle.Kick()
	if e.What == trace.What(faults.WorkerReceive) && later == 0 {
		if err := w.broker.Nack(context.Background(), p.received, later); !errors.Is(err, reference.ErrNotOurs) {
			_ = p.harness(err) // not ours is delivered once more already
		}
		return
	}
	m := w.named(e.Message)
	if m.copy { // delivered once more, and not for ever
		return
	}
	results, err := w.broker.Publish(context.Background(), []reference.Entry{{Payload: m.payload, Delay: later}})
	if err == nil {
		err = results[0].Err
	}
	if err != nil {
		w.fail(err)
		return
	}
	copied := w.nameOf(results[0].MessageID, m.payload)
	copied.copy = true
	w.record(trace.Event{
		Who: "broker", What: trace.What(faults.SweepPublish), Hold: m.window.Hold, Window: m.window.ExpiresAt, Kind: m.kind,
		Message: copied.name, Answer: "accepted", Until: w.Now().Add(later), Fault: e.Fault,
	})
}

// consumerPort is reference.Consumer as one slot of a worker sees it.
type consumerPort struct{ p *process }

// Receive parks until the world hands the slot a message: an idle poll that comes back empty would
// change nothing but the number of events.
func (q consumerPort) Receive(ctx context.Context, limit int, wait time.Duration) ([]reference.Delivery, error) {
	for {
		if err := errors.Join(q.p.CutOff(), ctx.Err()); err != nil {
			return nil, fmt.Errorf("receive: %w", err)
		}
		if wait > 0 {
			q.p.world.idle.Park(q.p.Process)
		}
		got, err := q.receive(ctx, limit)
		if err != nil || len(got) > 0 || wait == 0 {
			return got, err
		}
	}
}

func (q consumerPort) receive(ctx context.Context, limit int) ([]reference.Delivery, error) {
	w, m := q.p.world, faults.Moment{Point: faults.WorkerReceive}
	e := trace.Event{Who: q.p.node.Name, Slot: q.p.slot, What: trace.What(m.Point)}
	defer w.idle.Kick()
	if err := q.p.before(ctx, &m, &e); err != nil {
		return nil, err
	}
	real, err := w.broker.Receive(context.Background(), limit, 0)
	if w.noteGone(); err != nil {
		return nil, q.p.harness(err)
	}
	if len(real) == 0 || w.brink {
		w.noteDead()
	}
	if len(real) == 0 {
		return nil, nil
	}
	got := make([]reference.Delivery, len(real))
	for i, d := range real {
		q.note(d, &e)
		got[i] = reference.Delivery{MessageID: e.Message, Receipt: d.Receipt, Payload: d.Payload, Receives: d.Receives}
	}
	m.Hold = e.Hold
	in := w.strike(q.p, &m, faults.In)
	in.mark(&e)
	w.record(e)
	q.p.event = e
	if err := q.p.finish(ctx, &in, &m, nil); err != nil {
		return nil, err
	}
	return got, nil
}

// note fills in e for a delivery, and keeps it for what the slot will say of it.
func (q consumerPort) note(d reference.Delivery, e *trace.Event) {
	m := q.p.world.nameOf(d.MessageID, d.Payload)
	if q.p.deliveries == nil {
		q.p.deliveries = map[string]reference.Delivery{}
	}
	q.p.deliveries[d.Receipt], q.p.received = d, d
	e.Message, e.Kind, e.Hold, e.Window = m.name, m.kind, m.window.Hold, m.window.ExpiresAt
	q.p.world.brink = q.p.world.brink || d.Receives >= q.p.world.scenario.Policy.MaxReceives
	e.N, e.Until, e.Answer = d.Receives, q.p.world.Now().Add(q.p.world.scenario.Policy.Visibility), "received"
}

func (q consumerPort) Ack(ctx context.Context, d reference.Delivery) error {
	return q.reply(ctx, faults.WorkerAck, d, "acked", time.Time{}, func(real reference.Delivery) error {
		return q.p.world.broker.Ack(context.Background(), real)
	})
}

func (q consumerPort) Nack(ctx context.Context, d reference.Delivery, after time.Duration) error {
	return q.reply(ctx, faults.WorkerNack, d, "nacked", q.p.world.Now().Add(after), func(real reference.Delivery) error {
		return q.p.world.broker.Nack(context.Background(), real, after)
	})
}

func (q consumerPort) DeadLetter(ctx context.Context, d reference.Delivery, reason string) error {
	return q.reply(ctx, faults.WorkerDeadLetter, d, reason, time.Time{}, func(real reference.Delivery) error {
		err := q.p.world.broker.DeadLetter(context.Background(), real, reason)
		if err == nil {
			q.p.world.dead[d.MessageID] = true
		}
		return err
	})
}

// reply is one of the three things that a slot says of a delivery.
func (q consumerPort) reply(ctx context.Context, point faults.Point, d reference.Delivery, answer string, until time.Time, call func(reference.Delivery) error) error {
	w := q.p.world
	m := w.named(d.MessageID)
	base := trace.Event{Kind: m.kind, Window: m.window.ExpiresAt, Message: m.name, Until: until}
	return q.p.do(ctx, faults.Moment{Point: point, Hold: m.window.Hold}, base, func(_ *struck, e *trace.Event) error {
		defer w.idle.Kick()
		e.Answer = answer
		err := call(q.p.deliveries[d.Receipt])
		if errors.Is(err, reference.ErrNotOurs) {
			e.Answer = answerNotOurs
			return err
		}
		return q.p.harness(err)
	})
}

// noteGone records what the broker kept no longer.
func (w *World) noteGone() {
	if b, ok := w.broker.(interface{ Ended() []string }); ok {
		for _, id := range b.Ended() {
			m := w.messages[id]
			w.record(trace.Event{Who: "broker", What: trace.BrokerGone, Hold: m.window.Hold, Window: m.window.ExpiresAt, Kind: m.kind, Message: m.name})
		}
	}
}

// noteDead records what the broker set aside by itself.
func (w *World) noteDead() {
	w.noteGone()
	letters, err := w.broker.List(context.Background(), "", 1<<30)
	if err != nil {
		w.fail(err)
		return
	}
	for _, d := range letters {
		m := w.nameOf(d.MessageID, d.Payload)
		if w.dead[m.name] {
			continue
		}
		w.dead[m.name] = true
		w.record(trace.Event{
			Who: "broker", What: trace.BrokerDead, Hold: m.window.Hold, Window: m.window.ExpiresAt, Kind: m.kind,
			Message: m.name, N: d.Receives, Answer: d.Reason,
		})
		if m.kind != "" { // it is as good as lost, until its window gets another key
			line := "set aside " + m.name
			w.record(trace.Event{Who: "fault", What: trace.FaultBegin, Hold: m.window.Hold, Fault: line})
			w.faultEnds(m.window.Hold, line, w.nextKey(m.kind, m.window))
		}
	}
}

// named gives the message of that name.
func (w *World) named(name string) *posted {
	if m, ok := w.byName[name]; ok {
		return m
	}
	return &posted{name: name}
}
