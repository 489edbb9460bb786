package virtual

import (
	"context"
	"fmt"
	"time"

	"github.com/benbjohnson/clock"
)

// Clock is a node's clock: virtual time, off by the node's skew. It implements clock.Clock as
// far as production code may use it; whatever would wait or run by itself panics, for only a Waiter
// may wait.
type Clock struct{ node *Node }

// Clock gives the node's clock.
func (n *Node) Clock() Clock { return Clock{n} }

var _ clock.Clock = Clock{}

// Now is virtual time with the node's skew. As production's times carry a monotonic reading, it carries
// in the digits below a microsecond, which virtual time has no use for, which skew it was read under.
func (c Clock) Now() time.Time {
	n := c.node
	if last := len(n.skews) - 1; last < 0 || n.skews[last] != n.Skew && last < skewsMax {
		n.skews = append(n.skews, n.Skew)
	}
	return n.schedule.now.Add(n.Skew + time.Duration(len(n.skews)-1))
}

// skewsMax is how many skews of a node are told apart.
const skewsMax = int(time.Microsecond) - 1

// Since is how long ago t was read from this clock, whatever its skew was then and is now.
func (c Clock) Since(t time.Time) time.Duration {
	n, i := c.node, t.Nanosecond()%int(time.Microsecond)
	if i >= len(n.skews) {
		return c.Now().Sub(t)
	}
	return n.schedule.now.Sub(t.Add(-n.skews[i] - time.Duration(i)))
}

func (c Clock) Until(t time.Time) time.Duration      { return -c.Since(t) }
func (c Clock) After(time.Duration) <-chan time.Time { panic(noTimers("After")) }
func (c Clock) Sleep(time.Duration)                  { panic(noTimers("Sleep")) }
func (c Clock) Tick(time.Duration) <-chan time.Time  { panic(noTimers("Tick")) }
func (c Clock) Ticker(time.Duration) *clock.Ticker   { panic(noTimers("Ticker")) }
func (c Clock) Timer(time.Duration) *clock.Timer     { panic(noTimers("Timer")) }
func (c Clock) AfterFunc(time.Duration, func()) *clock.Timer {
	panic(noTimers("AfterFunc"))
}

func noTimers(what string) string {
	return fmt.Sprintf("clock.%s in code that runs in the simulator: wait through reference.Waiter", what)
}

func (c Clock) WithDeadline(parent context.Context, d time.Time) (context.Context, context.CancelFunc) {
	return c.WithTimeout(parent, c.Until(d))
}

func (c Clock) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx := &virtualContext{Context: parent, schedule: c.node.schedule, deadline: c.node.schedule.now.Add(d)}
	if outer := DeadlineOf(parent); !outer.IsZero() && outer.Before(ctx.deadline) {
		ctx.deadline = outer
	}
	return ctx, func() { ctx.cancelled = true }
}

// virtualContext ends at a time of the schedule. Simulated ports honour it; it never reaches a
// database or a network, where its deadline would lie in the past.
type virtualContext struct {
	context.Context
	schedule  *Schedule
	deadline  time.Time // in true time; zero is none
	cancelled bool
}

// Deadline gives the end in true time, which only a port of this package can make sense of.
func (c *virtualContext) Deadline() (time.Time, bool) { return c.deadline, !c.deadline.IsZero() }

// Done is never closed: code that runs in the simulator selects on nothing.
func (c *virtualContext) Done() <-chan struct{} { return nil }

func (c *virtualContext) Err() error {
	switch {
	case c.Context.Err() != nil:
		return c.Context.Err()
	case c.cancelled:
		return context.Canceled
	case !c.deadline.IsZero() && !c.schedule.now.Before(c.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Earliest gives t, or the limit where there is one before it.
func Earliest(t, limit time.Time) time.Time {
	if !limit.IsZero() && limit.Before(t) {
		return limit
	}
	return t
}

// DeadlineOf is when a context made by a Clock ends, in true time; zero if it doesn't.
func DeadlineOf(ctx context.Context) time.Time {
	if v, ok := ctx.(*virtualContext); ok {
		return v.deadline
	}
	return time.Time{}
}

// lifeContext ends with one life of a node.
type lifeContext struct {
	context.Context
	life *life
}

func (c lifeContext) Done() <-chan struct{} { return nil }

func (c lifeContext) Err() error {
	if c.life.over {
		return context.Canceled
	}
	return nil
}

// Accepting ends with the node's present life, or when the node begins to drain.
func (n *Node) Accepting() context.Context { return acceptContext{n.Context(), n} }

type acceptContext struct {
	context.Context
	node *Node
}

func (c acceptContext) Err() error {
	if c.node.Draining {
		return context.Canceled
	}
	return c.Context.Err()
}

// Waiter is reference.Waiter for one process.
type Waiter struct{ Process *Process }

// Wait stops the process for d, or until ctx ends.
func (w Waiter) Wait(ctx context.Context, d time.Duration) error {
	p := w.Process
	if err := p.CutOff(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for %s: %w", d, err)
	}
	until := p.node.schedule.now.Add((d + time.Microsecond - 1).Truncate(time.Microsecond))
	if limit := DeadlineOf(ctx); !limit.IsZero() && limit.Before(until) {
		until = limit
	}
	p.SleepUntil(until)
	if err := p.CutOff(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("wait for %s: %w", d, err)
	}
	return nil
}
