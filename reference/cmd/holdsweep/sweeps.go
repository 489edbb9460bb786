package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/program"
	"github.com/seathold/seathold/reference/watch"
)

// sweeps are the sweeps of this process, one at a time. Those of other processes overlap as they
// please.
type sweeps struct {
	running sync.Mutex
	sweeper *reference.Sweeper
	watched *watch.Sweep
	policy  reference.Policy
	log     *slog.Logger
}

// ended is what came of one sweep: its report, a word for it, and what went wrong.
type ended struct {
	report reference.Report
	result string
	err    error
}

// sweep makes one sweep; nil if one is running.
func (s *sweeps) sweep(ctx context.Context) *ended {
	if !s.running.TryLock() {
		s.watched.Skipped()
		return nil
	}
	defer s.running.Unlock()
	s.warnOfGap(s.watched.Began())
	r, err := s.sweeper.Run(ctx)
	return &ended{r, s.watched.Ended(ctx, r, err), err}
}

// warnOfGap says that sweeps come so rarely that a hold may come due and pass its cut-off between
// two of them. Where a hosted cron calls, that can be known only by what it does.
func (s *sweeps) warnOfGap(gap time.Duration) {
	p := s.policy
	p.SweepPeriod = gap
	if err := p.Check(len(reference.Channels)); gap > 0 && err != nil {
		s.log.Warn("sweep.gap", "gap", gap.Round(time.Millisecond).String(), "error", err)
	}
}

// once makes one sweep and prints its report.
func once(p *program.Program, s *sweeps, stdout io.Writer) error {
	signals, stop := p.Signals(0)
	defer stop()
	e := s.sweep(signals.Work)
	if err := json.NewEncoder(stdout).Encode(e.answer()); err != nil && e.err == nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if e.err != nil {
		return &settings.Problem{
			What: e.err.Error(), Exit: settings.ExitFailed,
			Hint: "what was left is found again by the next sweep",
		}
	}
	return nil
}

// answer is a report as JSON, with one word of what was wrong, if anything was.
type answer struct {
	reference.Report
	Problem string `json:"problem,omitempty"`
}

func (e *ended) answer() answer {
	if e.result == watch.ResultWhole {
		return answer{Report: e.report}
	}
	return answer{e.report, e.result}
}
