package reference

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/benbjohnson/clock"
)

// Worker is one slot: it takes one message at a time and does what it asks, if the database says that
// it is still to be done. Any number may run at once.
type Worker struct {
	Store WorkerStore
	Queue Consumer
	// Routes are the channels that this deployment can send on, in the order in which they are tried.
	Routes []Route
	Clock  clock.Clock
	Waiter Waiter
	Tokens TokenSource
	Policy Policy
	// Observer may be nil.
	Observer Observer

	owed owed
}

// Route is a channel and who sends on it.
type Route struct {
	Channel Channel
	Sender  Sender
}

const (
	askMax      = 3                      // askings of a store whose answers are uncertain
	nackDefault = 5 * time.Second        // never 0: all receives would burn at once
	nackMax     = 30 * time.Second       // longest wait of a message that a store's trouble sends back
	backoffMin  = 200 * time.Millisecond // first wait after an error of a port
	backoffMax  = 5 * time.Second        // longest wait after an error of a port
	retryMax    = 24 * time.Hour         // longest Retry-After believed
)

// next is what a step leaves to be done with the message.
type next struct {
	done bool
	// wait is when to come back, if not done.
	wait time.Duration
	// dead is why the message can never be done, if it can't.
	dead string
}

var done = next{done: true}

func comeBack(after time.Duration) next { return next{wait: after} }

// later is when a message comes back that a store's trouble sends back: twice as late each time, so
// that its receives outlast a failover.
func later(d Delivery) next {
	wait := nackDefault
	for n := 1; n < d.Receives && wait < nackMax; n++ {
		wait *= 2
	}
	return comeBack(min(wait, nackMax))
}

// Run receives and handles until accept ends, and then returns how that came about. What has been
// received by then is still handled under ctx, so that a process can be told to take no more without
// leaving anything half done. Accept must end when ctx does, or before.
func (w *Worker) Run(ctx, accept context.Context) error {
	failures := 0
	for accept.Err() == nil {
		deliveries, err := w.receive(ctx, accept)
		if err != nil && accept.Err() == nil {
			observe(w.Observer, Observation{Point: "worker.receive", Err: err})
			failures++
			w.pause(accept, "receive", failures)
			continue
		}
		failures = 0
		for _, d := range deliveries {
			w.Handle(ctx, d)
		}
	}
	w.payAll(ctx)
	return context.Cause(accept)
}

// receive waits for a message. While something is owed it only looks, and waits by itself.
func (w *Worker) receive(ctx, accept context.Context) ([]Delivery, error) {
	w.pay(ctx)
	if len(w.owed.settlements) == 0 {
		return w.Queue.Receive(accept, 1, w.Policy.LongPoll)
	}
	deliveries, err := w.Queue.Receive(accept, 1, 0)
	if err == nil && len(deliveries) == 0 {
		err = w.Waiter.Wait(accept, nackDefault)
	}
	return deliveries, err
}

// Handle does what one delivery asks, and acknowledges it last, if nothing more is to be done for
// it. It returns no error: what went wrong is observed, and the message comes back.
func (w *Worker) Handle(ctx context.Context, d Delivery) {
	n := w.handle(ctx, d)
	if ctx.Err() != nil {
		return
	}
	var err error
	point := "worker.nack"
	switch {
	case n.dead != "":
		point, err = "worker.dead-letter", w.Queue.DeadLetter(ctx, d, n.dead)
	case n.done:
		point, err = "worker.ack", w.Queue.Ack(ctx, d)
	default:
		err = w.Queue.Nack(ctx, d, max(n.wait, time.Millisecond))
	}
	observe(w.Observer, Observation{Point: point, MessageID: d.MessageID, Answer: n.dead, Took: n.wait, Err: err})
}

// handle recovers from a panic, so that one message's trouble stays its own: it comes back until
// the broker's limit of receives sets it aside.
func (w *Worker) handle(ctx context.Context, d Delivery) (n next) {
	defer func() {
		if p := recover(); p != nil {
			observe(w.Observer, Observation{Point: "worker.panic", MessageID: d.MessageID, Err: fmt.Errorf("panic: %v", p)})
			n = later(d)
		}
	}()
	m, err := DecodeMessage(d.Payload)
	switch {
	case err != nil:
		return next{dead: err.Error()}
	case m.Kind == Expire:
		return w.expire(ctx, m, d)
	}
	return w.remind(ctx, m, d)
}

// remind takes every channel on its own. The message is done when every channel is; else it comes
// back as soon as the first of them wants.
func (w *Worker) remind(ctx context.Context, m Message, d Delivery) next {
	all := done
	for _, route := range w.Routes {
		n := w.remindOn(ctx, m, d, route)
		switch {
		case ctx.Err() != nil || n.dead != "":
			return n
		case !n.done && (all.done || n.wait < all.wait):
			all = n
		}
	}
	return all
}

func (w *Worker) remindOn(ctx context.Context, m Message, d Delivery, route Route) next {
	if !w.paid(ctx, Reminder{m.Window, route.Channel}) {
		return comeBack(max(w.Policy.Visibility, w.Policy.Backstop/2))
	}
	a := attempt{Worker: w, message: m, id: d.MessageID, route: route, token: w.Tokens.NewToken(), reminder: Reminder{m.Window, route.Channel}}
	claim, err := a.claim(ctx)
	if err != nil {
		a.release(ctx, 0, "")
		return later(d)
	}
	switch claim.Answer {
	case Granted:
		return a.send(ctx, claim)
	case Settled, SettledHere, Closed, Late:
		return done
	case NoHold:
		return next{dead: fmt.Sprintf("%s %s: %v", m.Kind, m.Window, ErrNoHold)}
	case Busy, Early:
		return comeBack(claim.Wait)
	case Ahead:
		return later(d)
	}
	panic(fmt.Sprintf("claim %s: unknown answer %q", a.reminder, claim.Answer))
}

func (w *Worker) expire(ctx context.Context, m Message, d Delivery) next {
	var answer Expiry
	var wait time.Duration
	err := w.ask(ctx, "worker.expire", func(ctx context.Context) (err error) {
		answer, wait, err = w.Store.Expire(ctx, m.Window, d.MessageID)
		return err
	})
	observe(w.Observer, Observation{Point: "worker.expire", Window: m.Window, MessageID: d.MessageID, Answer: string(answer), Err: err})
	switch {
	case err != nil, answer == ExpiryAhead:
		return later(d)
	case answer == ExpiryEarly:
		return comeBack(wait)
	}
	return done
}

// ask asks a store up to askMax times, each within the store's timeout, and all within the longer of
// that and the send timeout, so that no message keeps the slot. Every question may be asked again: a
// repeat comes to the same. One about a row that somebody else keeps is not: the message comes back.
func (w *Worker) ask(ctx context.Context, what string, question func(context.Context) error) error {
	ctx, cancel := w.Clock.WithTimeout(ctx, w.patience())
	defer cancel()
	var err error
	for try := 1; try <= askMax && ctx.Err() == nil; try++ {
		if try > 1 {
			w.pause(ctx, what, try-1)
		}
		if err = w.once(ctx, question); err == nil || errors.Is(err, ErrLocked) {
			return err
		}
	}
	return errors.Join(err, ctx.Err())
}

// patience is how long one question, or one outcome to be recorded, may keep the slot.
func (w *Worker) patience() time.Duration { return max(w.Policy.StoreTimeout, w.Policy.SendTimeout) }

func (w *Worker) once(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := w.Clock.WithTimeout(ctx, w.Policy.StoreTimeout)
	defer cancel()
	return question(ctx)
}

// pause waits after the n-th failure in a row, twice as long each time, less up to a quarter that
// the seed decides, so that slots which failed together don't come back together.
func (w *Worker) pause(ctx context.Context, seed string, n int) {
	wait := backoffMax
	if shift := n - 1; shift < 8 {
		wait = min(backoffMax, backoffMin<<shift)
	}
	h := fnv.New32a()
	h.Write([]byte(seed))
	wait -= (wait / 4 * time.Duration(h.Sum32()%256) / 256).Truncate(time.Microsecond)
	// An error means that ctx ended, which every caller looks at next.
	_ = w.Waiter.Wait(ctx, wait)
}
