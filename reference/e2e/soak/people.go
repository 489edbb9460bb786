package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/seathold/seathold/reference"
)

// people are learners and admins, who ask again until they have an answer, and remember it.
type people struct {
	mu sync.Mutex
	// told is what they were told that holds became; one that isn't there they were told nothing of.
	told  map[reference.HoldID]reference.State
	holds int
	done  map[string]int
	// lost are those who got no answer in time.
	lost []string
	here sync.WaitGroup
}

const (
	lifeMin, lifeMax = 7 * time.Second, 12 * time.Second
	moreMin, moreMax = 3 * time.Second, 8 * time.Second
	answerMax        = time.Minute
	againEvery       = 100 * time.Millisecond
)

var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "", "Mars/Olympus"}

// come lets people come until ctx ends. They stay longer.
func (w *world) come(ctx context.Context) {
	chance := w.chance(1)
	every := time.NewTicker(time.Second / time.Duration(w.rate))
	defer every.Stop()
	for n := 1; ; n++ {
		select {
		case <-every.C:
			seed := chance.Uint64()
			w.crowd.here.Go(func() {
				w.live(w.ctx, reference.HoldID(fmt.Sprintf("soak-%06d", n)), rand.New(rand.NewPCG(w.seed, seed)))
			})
		case <-ctx.Done():
			return
		}
	}
}

// live is one hold's life: it is created, and perhaps extended, confirmed or cancelled, at any time
// and now and then in the last moment.
func (w *world) live(ctx context.Context, id reference.HoldID, chance *rand.Rand) {
	began := time.Now()
	h := reference.Hold{
		ID: id, Learner: "learner-" + reference.LearnerID(id), Section: "section-1", Zone: zones[chance.IntN(len(zones))],
		ExpiresAt: began.Add(between(chance, lifeMin, lifeMax)).Truncate(time.Second).UTC(),
	}
	if chance.IntN(10) == 0 {
		h.Channels = []reference.Channel{reference.Channels[chance.IntN(2)]}
	}
	holds := reference.Holds{Store: w.store}
	if w.ask(ctx, "created", func(ctx context.Context) error { return holds.Create(ctx, h) }) != nil {
		return
	}
	w.crowd.mu.Lock()
	w.crowd.holds++
	w.crowd.mu.Unlock()
	end := h.ExpiresAt
	if chance.IntN(100) < 18 {
		pause(ctx, time.Until(moment(chance, began, end)))
		to := end.Add(between(chance, moreMin, moreMax)).Truncate(time.Second)
		if w.ask(ctx, "extended", func(ctx context.Context) error {
			return holds.Extend(ctx, reference.Window{Hold: id, ExpiresAt: end}, to)
		}) == nil {
			end = to
		}
	}
	switch n := chance.IntN(100); {
	case n < 25:
		pause(ctx, time.Until(moment(chance, time.Now(), end)))
		w.tell(id, reference.Confirmed, w.ask(ctx, "confirmed", func(ctx context.Context) error { return holds.Confirm(ctx, id) }))
	case n < 37:
		pause(ctx, time.Until(moment(chance, time.Now(), end)))
		w.tell(id, reference.Cancelled, w.ask(ctx, "cancelled", func(ctx context.Context) error { return holds.Cancel(ctx, id) }))
	}
}

// moment picks one before end, or around it.
func moment(chance *rand.Rand, after, end time.Time) time.Time {
	left := end.Sub(after)
	if left <= 0 || chance.IntN(5) == 0 {
		return end.Add(between(chance, -200*time.Millisecond, 200*time.Millisecond))
	}
	return after.Add(time.Duration(chance.Int64N(int64(left))))
}

// decisions are answers, too.
var decisions = []error{
	reference.ErrNoHold, reference.ErrHoldExists, reference.ErrNotHeld, reference.ErrRunOut, reference.ErrOtherWindow, reference.ErrNotLater, reference.ErrInvalid,
}

// ask asks until there is an answer.
func (w *world) ask(ctx context.Context, what string, question func(context.Context) error) error {
	var err error
	for deadline := time.Now().Add(answerMax); time.Now().Before(deadline); {
		err = askOnce(ctx, question)
		refused := slices.ContainsFunc(decisions, func(d error) bool { return errors.Is(err, d) })
		if err == nil || refused {
			w.crowd.mu.Lock()
			defer w.crowd.mu.Unlock()
			if refused {
				what = "not " + what
			}
			w.crowd.done[what]++
			return err
		}
		if !pause(ctx, againEvery) {
			return ctx.Err()
		}
	}
	w.crowd.mu.Lock()
	defer w.crowd.mu.Unlock()
	w.crowd.lost = append(w.crowd.lost, fmt.Sprintf("%s: no answer in %s: %v", what, answerMax, err))
	return err
}

func askOnce(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return question(ctx)
}

// tell remembers what somebody was told.
func (w *world) tell(id reference.HoldID, became reference.State, err error) {
	if err == nil {
		w.crowd.mu.Lock()
		defer w.crowd.mu.Unlock()
		w.crowd.told[id] = became
	}
}
