package virtual

import "time"

// Parking is where processes wait, without polling, for things that become ready at known times and
// are taken one by one.
type Parking struct {
	schedule *Schedule
	picks    *Stream
	ready    func() (time.Time, bool)
	parked   []*Process
	// wakeAt is when the next process is to be woken; zero is not planned.
	wakeAt time.Time
}

// NewParking makes a place to wait for what ready tells: when the first thing is or will be ready,
// or false if nothing will. Picks decide who of those that wait gets it.
func (s *Schedule) NewParking(picks *Stream, ready func() (time.Time, bool)) *Parking {
	return &Parking{schedule: s, picks: picks, ready: ready}
}

// Waiting counts those that wait. Who was parked when its node crashed does not wait any more.
func (k *Parking) Waiting() int {
	n := 0
	for _, p := range k.parked {
		if !p.life.over && !p.ended {
			n++
		}
	}
	return n
}

// Park stops a process until there may be something for it, or its node ends or is released.
func (k *Parking) Park(p *Process) {
	k.parked = append(k.parked, p)
	k.Kick()
	p.Park()
}

// Release lets the processes of a node go on, with nothing.
func (k *Parking) Release(n *Node) {
	kept := k.parked[:0]
	for _, p := range k.parked {
		if p.node == n {
			p.WakeAt(k.schedule.now)
		} else {
			kept = append(kept, p)
		}
	}
	k.parked = kept
}

// Kick sees to it that somebody is woken when the next thing is ready. It must be called after
// everything that may have changed when that is, also by whoever has taken something.
func (k *Parking) Kick() {
	if len(k.parked) == 0 {
		return
	}
	next, any := k.ready()
	if !any {
		return
	}
	if next.Before(k.schedule.now) {
		next = k.schedule.now
	}
	if !k.wakeAt.IsZero() && !k.wakeAt.After(next) {
		return
	}
	k.wakeAt = next
	k.schedule.At(next, func() {
		if k.wakeAt.Equal(next) {
			k.wakeAt = time.Time{}
			k.wakeOne()
		}
	})
}

// wakeOne picks one that waits, of those whose node is at work.
func (k *Parking) wakeOne() {
	now := k.schedule.now
	kept := k.parked[:0]
	var able []int
	var resume time.Time
	for _, p := range k.parked {
		if p.life.over || p.ended {
			continue
		}
		kept = append(kept, p)
		switch until := p.node.stalledUntil; {
		case !until.After(now):
			able = append(able, len(kept)-1)
		case resume.IsZero() || until.Before(resume):
			resume = until
		}
	}
	k.parked = kept
	next, any := k.ready()
	switch {
	case !any:
	case next.After(now):
		k.Kick()
	case len(able) > 0:
		i := k.pick(able)
		p := k.parked[i]
		k.parked = append(k.parked[:i], k.parked[i+1:]...)
		p.WakeAt(now)
	case !resume.IsZero():
		k.schedule.At(resume, k.Kick)
	}
}

// pick gives one of some indexes of those that wait.
func (k *Parking) pick(able []int) int {
	if k.schedule.Order == nil {
		return able[k.picks.Below(int64(len(able)))]
	}
	waiting := make([]*Process, len(able))
	for j, i := range able {
		waiting[j] = k.parked[i]
	}
	return able[k.schedule.Order.Wake(k.schedule.now, waiting)]
}
