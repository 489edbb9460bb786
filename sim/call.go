package sim

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// struck is what the faults that hit one moment of a port call do to it, together.
type struck struct {
	faults.Effect
	// line names the fault, or the faults.
	line string
}

func (s *struck) hit() bool { return s.line != "" }

// strike asks every armed fault whether it hits this moment.
func (w *World) strike(p *process, m *faults.Moment, phase faults.Phase) struck {
	var sum struck
	if len(w.armed) == 0 && w.options.Moment == nil {
		return sum
	}
	m.At, m.Began, m.Phase, m.Role, m.Node = w.Now(), p.node.Began(), phase, p.node.Role, p.node.Name
	if w.options.Moment != nil {
		w.options.Moment(*m)
	}
	for _, a := range w.armed {
		effect, hit := a.Strike(*m)
		if !hit {
			continue
		}
		a.fired++
		w.begins(p, a, *m, effect)
		sum.add(effect, a.line)
	}
	return sum
}

func (s *struck) add(e faults.Effect, line string) {
	if s.hit() {
		line = s.line + " + " + line
	}
	s.Effect, s.line = s.With(e), line
}

// do makes one port call: it lets others go first, lets faults strike before, in and after it, and
// records what truly happened. What it returns is what the caller sees. The effect fills in the
// event's answer, and returns the port's own error.
func (p *process) do(ctx context.Context, m faults.Moment, e trace.Event, effect func(fx *struck, e *trace.Event) error) error {
	w := p.world
	e.Who, e.Slot, e.What = p.node.Name, p.slot, trace.What(m.Point)
	e.Hold, e.Channel = m.Hold, m.Channel
	p.asked, p.moment = e, m
	p.SleepUntil(w.Now())
	if err := p.before(ctx, &p.moment, &p.asked); err != nil {
		return err
	}
	p.in = w.strike(p, &p.moment, faults.In)
	return p.finish(ctx, &p.in, &p.moment, p.take(&p.in, effect))
}

// finish is what comes after a call's effect: what strikes before the caller has its reply, and after.
func (p *process) finish(ctx context.Context, in *struck, m *faults.Moment, err error) error {
	told := len(p.world.events) - 1
	switch {
	case in.Crash:
		p.node.crash(in.line, in.Restart)
	case in.Stall > 0:
		p.stall(in)
	}
	if p.Over() {
		return p.CutOff()
	}
	lost := in.Err
	if in.Delay > 0 {
		lost = errors.Join(lost, p.lateReply(ctx, in, told))
	}
	if lost == nil { // there is no after for a reply that was never seen
		if after := p.world.strike(p, m, faults.After); after.hit() {
			p.after(&after)
		}
	}
	switch {
	case p.Over():
		return p.CutOff()
	case lost != nil:
		return fmt.Errorf("%s: %w", m.Point, lost)
	}
	return err
}

// lateReply keeps the reply back, so that the caller may stop waiting; told is the event of the call.
func (p *process) lateReply(ctx context.Context, in *struck, told int) error {
	w := p.world
	p.SleepUntil(virtual.Earliest(w.Now().Add(in.Delay), virtual.DeadlineOf(ctx)))
	err := ctx.Err()
	if err != nil && !p.Over() {
		w.events[told].Err = oneLine(err)
	}
	return err
}

// take has the effect, twice if the driver runs the statement again, and records it.
func (p *process) take(in *struck, effect func(*struck, *trace.Event) error) (err error) {
	times := 1
	if in.Twice {
		times = 2
	}
	e := &p.event
	for range times {
		*e = p.asked
		e.At = p.world.Now()
		if err = effect(in, e); err != nil {
			e.Err = err.Error()
		}
		in.mark(e)
		p.world.record(*e)
	}
	return err
}

// mark writes into the event which fault struck, and what the caller sees by it.
func (s *struck) mark(e *trace.Event) {
	if s.hit() { // it may have been struck before its effect, too
		e.Fault = strings.TrimPrefix(e.Fault+" + "+s.line, " + ")
	}
	if s.Err != nil {
		e.Err = oneLine(s.Err)
	}
}

// before brings a call up to its effect: crashed, stalled, held up, refused, or neither.
func (p *process) before(ctx context.Context, m *faults.Moment, e *trace.Event) error {
	w := p.world
	if err := p.CutOff(); err != nil {
		return err
	}
	fx := w.strike(p, m, faults.Before)
	e.Fault = fx.line
	if fx.Crash {
		p.node.crash(fx.line, fx.Restart)
		return p.CutOff()
	}
	if fx.Stall > 0 {
		p.stall(&fx)
	}
	if fx.Delay > 0 {
		p.SleepUntil(virtual.Earliest(w.Now().Add(fx.Delay), virtual.DeadlineOf(ctx)))
	}
	if fx.Err == nil && m.Point.LocksHold() {
		fx.Err = p.awaitLock(ctx, m.Hold, e)
	}
	if err := p.CutOff(); err != nil {
		return err
	}
	err := fx.Err
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		return nil
	}
	e.Err, e.NoEffect = oneLine(err), true
	w.record(*e)
	return fmt.Errorf("%s: %w", m.Point, err)
}

// stall stops the process with its node until it goes on.
func (p *process) stall(fx *struck) {
	p.node.stall(fx.line, fx.Stall)
	p.SleepUntil(p.node.StalledUntil())
}

// after is what strikes once the caller has its reply.
func (p *process) after(fx *struck) {
	if fx.Duplicate {
		p.world.again(p, p.event, fx.Later)
	}
	switch {
	case fx.Crash:
		p.node.crash(fx.line, fx.Restart)
	case fx.Stall > 0:
		p.stall(fx)
	}
}

// awaitLock waits for whoever else has the hold's row; a worker's patience is the lock timeout.
func (p *process) awaitLock(ctx context.Context, hold reference.HoldID, e *trace.Event) error {
	w := p.world
	until := virtual.DeadlineOf(ctx)
	if p.node.Role == "worker" {
		until = virtual.Earliest(w.Now().Add(w.scenario.Policy.LockTimeout), until)
	}
	for ctx.Err() == nil && !p.Over() {
		lock := w.lockOn(hold)
		if lock == nil {
			break
		}
		if !until.IsZero() && !w.Now().Before(until) {
			return reference.ErrLocked
		}
		lock.fired++
		e.Fault = lock.line
		p.SleepUntil(virtual.Earliest(lock.until, until))
	}
	return nil
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
