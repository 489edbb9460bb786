package once

import (
	"hash/fnv"
	"sync"
	"time"

	"github.com/benbjohnson/clock"
)

const (
	pauseDefault = 5 * time.Second  // after a 429 that doesn't say for how long
	refusedMin   = 5 * time.Second  // first wait after a connection that didn't come about
	refusedMax   = 20 * time.Second // longest wait after one
)

// Pause keeps all who share it from calling one party for a while: because that asked for it, or
// isn't there. It lasts in this process only; others find out for themselves.
type Pause struct {
	clock clock.Clock
	most  time.Duration

	mu      sync.Mutex
	until   time.Time
	refused int // waits in a row without a connection between them
}

// NewPause makes a pause that isn't on. Whatever is asked for, it lasts at most most: one absurd
// answer must not silence a channel for a day.
func NewPause(clk clock.Clock, most time.Duration) *Pause { return &Pause{clock: clk, most: most} }

// Left is how long the pause still lasts; zero if it isn't on.
func (p *Pause) Left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left()
}

func (p *Pause) left() time.Duration { return max(p.until.Sub(p.clock.Now()), 0) }

// Asked begins a pause of d, for the other side asked for it; zero is that it didn't say how long.
// It never shortens one that is on.
func (p *Pause) Asked(d time.Duration) {
	if d <= 0 {
		d = pauseDefault
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.extend(d)
}

// Refused begins a pause, for no connection came about, and says how long it is: twice as long each
// time in a row, less up to a quarter that the seed decides, so that processes which were refused
// together don't come back together.
func (p *Pause) Refused(seed string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := p.left(); left > 0 {
		return left // the other slots were refused at the same time as this one
	}
	wait := refusedMax
	if p.refused < 8 {
		wait = min(refusedMax, refusedMin<<p.refused)
	}
	p.refused++
	h := fnv.New32a()
	h.Write([]byte(seed))
	p.extend(wait - wait/4*time.Duration(h.Sum32()%256)/256)
	return p.left()
}

// Reached says that a connection came about.
func (p *Pause) Reached() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = 0
}

func (p *Pause) extend(d time.Duration) {
	if until := p.clock.Now().Add(min(d, p.most)); until.After(p.until) {
		p.until = until
	}
}
