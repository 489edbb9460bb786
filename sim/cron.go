package sim

import (
	"fmt"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/trace"
	"github.com/seathold/seathold/sim/virtual"
)

// cronJob calls the sweep. It is no process of ours: it neither knows nor cares what became of the
// last call, except that a caller may stop waiting and call again, which doesn't stop the sweep.
type cronJob struct {
	world  *World
	set    script.Cron
	jitter *virtual.Stream
	// paused counts who has paused it; ticks are then skipped for good.
	paused int
	// doubles and retries strike the next tick.
	doubles, retries []*armed
}

// run has cron tick from the first tick after t on.
func (j *cronJob) run(t time.Time) {
	tick := j.set.Next(t)
	if tick.IsZero() { // an expression that no time ever matches
		return
	}
	late := time.Duration(0)
	if j.set.Jitter > 0 {
		late = time.Duration(j.jitter.Below(int64(j.set.Jitter))).Truncate(time.Microsecond)
	}
	w := j.world
	w.AtTie(tick.Add(late), w.ties, "cron", j.tick)
	w.At(tick, func() { j.run(tick) })
}

func (j *cronJob) tick() {
	w := j.world
	if w.replaying {
		return
	}
	if j.paused > 0 {
		w.skipped++
		return
	}
	j.call(0)
	for _, a := range j.doubles {
		w.strikes(a)
		j.call(0)
	}
	for _, a := range j.retries {
		w.strikes(a)
		w.At(w.Now().Add(a.fault.By), func() { j.call(0) })
	}
	j.doubles, j.retries = nil, nil
}

// call starts a sweep and waits for it as long as the caller's timeout says.
func (j *cronJob) call(retry int) {
	w := j.world
	sweep := w.startSweep()
	if j.set.Timeout <= 0 {
		return
	}
	w.At(w.Now().Add(j.set.Timeout), func() {
		if sweep.Ended() || sweep.Over() {
			return
		}
		w.record(trace.Event{Who: "cron", What: trace.CronTimedOut, Answer: sweep.node.Name, N: retry})
		if retry < j.set.Retries {
			j.call(retry + 1)
		}
	})
}

// startSweep runs one sweep as a process of its own.
func (w *World) startSweep() *process {
	w.sweeps++
	n := w.newNode(fmt.Sprintf("sweep#%d", w.sweeps), "sweep")
	n.Skew = w.skewOf("sweep", n.Name)
	number := w.sweeps
	return w.spawn(n, 0, func(p *process) {
		w.record(trace.Event{Who: n.Name, What: trace.SweepStart})
		s := reference.Sweeper{
			Store: storePort{p}, Queue: publisherPort{p}, Clock: n.Clock(), Tokens: tokens{w}, Policy: w.scenario.Policy,
		}
		report, err := w.pipeline.Sweep(n.Context(), &s)
		w.reports[number] = report
		w.record(trace.Event{Who: n.Name, What: trace.SweepEnd, N: report.Queued, Answer: sweepAnswer(p, report, err)})
	})
}

func sweepAnswer(p *process, r reference.Report, err error) string {
	switch {
	case p.Over():
		return "crashed"
	case r.Found != r.Published:
		return "diverged"
	case err != nil || !r.Drained:
		return "undrained"
	}
	return "whole"
}
