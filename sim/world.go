// Package sim is the deterministic simulator: it runs the reference pipeline, unmodified, in
// virtual time, against simulated brokers, providers, cron and people, with the faults of a
// scenario. One thing happens at a time; the order of things is a function of the scenario and its
// seed alone.
package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/backend"
	"github.com/seathold/seathold/sim/broker"
	"github.com/seathold/seathold/sim/provider"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// What a run stands on: see package backend.
type (
	Store   = backend.Store
	Broker  = backend.Broker
	Backend = backend.Backend
	Memory  = backend.Memory
)

// World is one run.
type World struct {
	*virtual.Schedule
	scenario *script.Scenario
	store    Store
	pipeline backend.Pipeline
	broker   Broker
	// nodes are all there have been, and workers those that are worker nodes.
	nodes, workers []*node
	providers      []*provider.Provider
	cron           *cronJob
	ties           *virtual.Stream

	events     []trace.Event
	tokensMade int
	sweeps     int
	reports    map[int]reference.Report
	skipped    int // ticks of a paused cron
	pauses     int // at lines that paused cron and were not taken back

	messages map[string]*posted // by the broker's name
	byName   map[string]*posted
	posted   []*posted
	dead     map[string]bool
	brink    bool // some message was handed out for the last time
	// idle is where slots wait for a message.
	idle *virtual.Parking

	armed, troubles, locks, skews []*armed
	deeds                         []*deed
	down                          []*node
	heal                          time.Time
	replaying                     bool
	broken                        error
	options                       Options
}

// eventsMax is the limit on what may happen in one run, besides what its holds and sweeps account for.
const eventsMax = 500_000

func newWorld(s *script.Scenario, b Backend, o Options) (*World, error) {
	w := &World{
		scenario: s, options: o,
		Schedule: virtual.NewSchedule(s.Start, cmp.Or(o.EventsMax, eventsMax+20*eventsExpected(s))),
		ties:     virtual.NewStream(s.Seed, "world", "tie"),
		reports:  map[int]reference.Report{}, messages: map[string]*posted{}, byName: map[string]*posted{}, dead: map[string]bool{},
	}
	w.Order = o.Order
	w.events = make([]trace.Event, 0, eventsExpected(s))
	clock := func() time.Time { return w.Now() }
	store, table, err := b.Open(clock, s.Policy.Visibility, s.Policy.MaxReceives)
	if err != nil {
		return nil, err
	}
	w.store, w.broker, w.pipeline = store, table, backend.PipelineOf(store)
	if s.Queue.Profile != "table" {
		w.broker = broker.NewHosted(clock, broker.Profile{
			Dedup: s.Queue.Dedup, Retention: s.Queue.Retention, Latency: s.Queue.Latency,
			Visibility: s.Policy.Visibility, MaxReceives: s.Policy.MaxReceives, Strict: s.Queue.Profile == "fifo",
		})
	}
	w.idle = w.NewParking(virtual.NewStream(s.Seed, "broker", "pick"), w.broker.NextVisible)
	if err := store.Load(s.Holds, s.Rows); err != nil {
		return nil, fmt.Errorf("load the holds of %s: %w", s.Name, err)
	}
	for _, p := range s.Providers {
		w.providers = append(w.providers, provider.New(p.Channel, p.Keys, p.Latency))
	}
	w.cron = &cronJob{world: w, set: s.Cron, jitter: virtual.NewStream(s.Seed, "cron", "jitter")}
	w.cron.run(s.Start)
	for _, n := range s.Nodes {
		w.startWorker(n)
	}
	return w, nil
}

// eventsExpected is about how many events a run will have, so that their list need not be copied
// often as it grows.
func eventsExpected(s *script.Scenario) int {
	const perHold, perSweep, sweepsMax = 28, 6, 100_000
	sweeps := (s.End().Sub(s.Start) + s.Policy.Backstop) / max(s.Policy.SweepPeriod, time.Second)
	return perHold*len(s.Holds) + perSweep*min(int(sweeps), sweepsMax)
}

// startWorker starts a worker node, which comes back after a crash.
func (w *World) startWorker(set script.Node) {
	n := w.newNode(set.Name, "worker")
	n.Skew, n.restart = set.Skew, set.Restart
	n.start = func(n *node) {
		for slot := 1; slot <= set.Slots; slot++ {
			shown := slot
			if set.Slots == 1 {
				shown = 0
			}
			n.working++
			w.spawn(n, shown, func(p *process) { w.work(n, p) })
		}
	}
	w.workers = append(w.workers, n)
	n.begin()
}

// work is one slot of a worker: the very loop that production runs, unless the store brings another.
func (w *World) work(n *node, p *process) {
	routes := make([]reference.Route, len(w.providers))
	for i, v := range w.providers {
		routes[i] = reference.Route{Channel: v.Channel, Sender: senderPort{p, v}}
	}
	worker := reference.Worker{
		Store: storePort{p}, Queue: consumerPort{p}, Routes: routes, Clock: n.Clock(), Waiter: virtual.Waiter{Process: p.Process},
		Tokens: tokens{w}, Policy: w.scenario.Policy,
	}
	err := w.pipeline.Work(n.Context(), n.Accepting(), &worker)
	switch {
	case p.Over():
	case n.Draining:
		n.drained()
	default:
		w.fail(fmt.Errorf("the worker loop of %s ended while its node was up: %w", n.Name, err))
	}
}

// record puts an event into the trace.
func (w *World) record(e trace.Event) {
	e.Seq, e.At = len(w.events)+1, w.Now()
	w.events = append(w.events, e)
	if w.options.Event != nil {
		w.options.Event(e)
	}
	if e.Seq == w.options.StopAt {
		w.broken = errStopped
	}
}

// errStopped ends a run at the event that it was to stop at.
var errStopped = errors.New("stopped")

// fail ends the run: the harness, or what it stands on, is at fault.
func (w *World) fail(err error) {
	if w.broken == nil {
		w.broken = fmt.Errorf("at %s: %w", w.Now().Format(time.RFC3339), err)
	}
}

// pass lets time pass until then.
func (w *World) pass(t time.Time) error {
	if err := w.Until(t, func() bool { return w.broken != nil }); err != nil {
		w.restless(err)
	}
	return w.broken
}

// restless ends the run because its code doesn't come to an end.
func (w *World) restless(err error) { w.fail(fmt.Errorf("%w: %w", ErrRestless, err)) }

// close ends every process, so that none is left behind.
func (w *World) close() {
	for _, n := range w.nodes {
		n.Unwind()
	}
	w.Close()
}

// settleDown is the time after the last step: everything that is broken is mended, the world runs
// on for backstop and two sweep periods, once more if something broke in that time, and then without
// cron until the queue is empty.
func (w *World) settleDown() error {
	p := w.scenario.Policy
	for range healsMax {
		w.mend()
		if err := w.pass(w.heal); err != nil {
			return err
		}
		w.mend() // what has struck since
		w.record(trace.Event{Who: "run", What: trace.Healed})
		healed := w.Now()
		if err := w.pass(healed.Add(p.Backstop + 2*p.SweepPeriod)); err != nil {
			return err
		}
		if !w.heal.After(healed) && len(w.down) == 0 {
			break
		}
	}
	w.replaying = true
	return w.drain()
}

// healsMax is how often a run is mended: a fault may strike for ever.
const healsMax = 10

// mend brings back the nodes that would stay down for ever, and the cron that somebody paused.
func (w *World) mend() {
	for _, d := range w.down {
		d.comeBack("")
	}
	w.down = nil
	for ; w.pauses > 0; w.pauses-- {
		w.cron.paused--
		w.faultEnds("", pausedByHand, w.Now())
	}
}

// drain lets the workers empty the queue, while no sweep fills it again.
func (w *World) drain() error {
	p := w.scenario.Policy
	for limit := w.Now().Add(time.Duration(p.MaxReceives+1) * (p.Visibility + p.Lead)); ; {
		w.mend()
		next, ok := w.broker.NextVisible()
		if !ok || next.Before(w.Now()) {
			next = w.Now()
		}
		if next = next.Add(time.Second); !ok && w.busy() == 0 || next.After(limit) {
			w.noteDead()
			return w.broken
		}
		if err := w.pass(next); err != nil {
			return err
		}
	}
}

// busy counts the slots that have something to do.
func (w *World) busy() int {
	slots := 0
	for _, n := range w.workers {
		slots += n.Running()
	}
	return slots - w.idle.Waiting()
}

// replay delivers every message of the run again, dead letters too.
func (w *World) replay() error {
	w.record(trace.Event{Who: "run", What: trace.Replay})
	w.armed, w.locks, w.options.Moment = nil, nil, nil
	for _, m := range w.posted[:len(w.posted):len(w.posted)] {
		results, err := w.broker.Publish(context.Background(), []reference.Entry{{Payload: m.payload}})
		if err == nil {
			err = results[0].Err
		}
		if err != nil {
			return err
		}
		w.messages[results[0].MessageID] = m
	}
	w.idle.Kick()
	return w.drain()
}

// ErrHarness marks a failure of the harness itself, or of what it stands on; ErrRestless does so, too,
// if code that runs in it hit a limit: on what may happen, or on calls after a crash.
var (
	ErrHarness  = errors.New("the harness is at fault")
	ErrRestless = errors.New("it does not come to rest")
)
