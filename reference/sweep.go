package reference

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/benbjohnson/clock"
)

// Sweeper finds what is due and enqueues it. It keeps nothing between runs, and any number may run
// at once: it nominates by state and age, never by when it last ran, so that a cron which was
// paused resumes forward.
type Sweeper struct {
	Store  SweepStore
	Queue  Publisher
	Clock  clock.Clock
	Tokens TokenSource
	Policy Policy
	// Observer may be nil.
	Observer Observer
}

// Tally counts messages by kind.
type Tally struct {
	Remind int `json:"remind"`
	Expire int `json:"expire"`
}

func (t *Tally) add(k Kind, n int) {
	if k == Remind {
		t.Remind += n
	} else {
		t.Expire += n
	}
}

// Total is the sum over the kinds.
func (t Tally) Total() int { return t.Remind + t.Expire }

// Report is what one sweep did.
type Report struct {
	// ID names the run; it is an attempt token.
	ID Token `json:"id"`
	// Found counts windows nominated; Published counts messages that the broker took, those that
	// it collapsed into an earlier one among them.
	Found     Tally `json:"found"`
	Published Tally `json:"published"`
	// Queued is the sum of Published.
	Queued int `json:"queued"`
	Pages  int `json:"pages"`
	// Backstop counts holds that the sweep expired by itself.
	Backstop int `json:"backstop"`
	// Drained says that the sweep came to the end of what was due within its budget.
	Drained bool `json:"drained"`
}

// Whole says that everything found was published and nothing was left.
func (r Report) Whole() bool { return r.Drained && r.Found == r.Published }

// Run makes one sweep, and reports on it also when it fails. What could not be published is found
// again by the next sweep. The backstop comes first, for it needs nothing but the database; the two
// kinds then take turns page by page. No call that reads or expires takes more than a third of the
// budget, so that none of the three can keep the others waiting. The error wraps
// ErrUndrained whenever the report is not Whole, beside what kept it from that.
func (s *Sweeper) Run(ctx context.Context) (Report, error) {
	started := s.Clock.Now()
	run := sweepRun{Sweeper: s, report: Report{ID: s.Tokens.NewToken()}}
	err := run.within(ctx, s.Policy.SweepBudget, func(ctx context.Context) error {
		return errors.Join(run.backstop(ctx), run.pages(ctx))
	})
	run.report.Queued = run.report.Published.Total()
	run.report.Drained = run.report.Drained && err == nil
	err = errors.Join(err, run.within(ctx, s.Policy.StoreTimeout, func(ctx context.Context) error {
		return s.Store.RecordSweep(ctx, run.report)
	}))
	if !run.report.Whole() {
		err = errors.Join(err, ErrUndrained)
	}
	observe(s.Observer, Observation{Point: "sweep.end", Token: run.report.ID, Took: s.Clock.Since(started), Err: err})
	if err != nil {
		return run.report, fmt.Errorf("sweep %s, found %d, published %d: %w", run.report.ID, run.report.Found.Total(), run.report.Queued, err)
	}
	return run.report, nil
}

type sweepRun struct {
	*Sweeper
	report Report
}

// within does something under a timeout of its own, unless ctx has ended.
func (r *sweepRun) within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx, cancel := r.Clock.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// backstop expires by itself what is overdue by so much that the broker, or its messages, must be lost.
func (r *sweepRun) backstop(ctx context.Context) error {
	for ctx.Err() == nil {
		var windows []Window
		err := r.within(ctx, r.Policy.SweepBudget/3, func(ctx context.Context) (err error) {
			windows, err = r.Store.ExpireOverdue(ctx, r.Policy.Backstop, r.Policy.Page)
			return err
		})
		if err != nil {
			return fmt.Errorf("expire what is overdue by %s: %w", r.Policy.Backstop, err)
		}
		r.report.Backstop += len(windows)
		for _, w := range windows {
			observe(r.Observer, Observation{Point: "sweep.backstop", Window: w, Token: r.report.ID})
		}
		if len(windows) < r.Policy.Page {
			return nil
		}
	}
	return ctx.Err()
}

// pages publishes page after page of both kinds until both are drained or the budget ends. A page
// that could not be published, or read, does not keep the others back.
func (r *sweepRun) pages(ctx context.Context) error {
	streams := []*stream{{kind: Remind}, {kind: Expire}}
	var errs error
	for left := len(streams); left > 0; {
		for _, s := range streams {
			if s.ended {
				continue
			}
			if ctx.Err() != nil {
				return errors.Join(errs, ctx.Err())
			}
			errs = errors.Join(errs, r.page(ctx, s))
			if s.ended {
				left--
			}
		}
	}
	r.report.Drained = streams[0].drained && streams[1].drained
	return errs
}

// stream is one kind's way through the pages.
type stream struct {
	kind           Kind
	after          Window
	ended, drained bool
}

func (r *sweepRun) page(ctx context.Context, s *stream) error {
	var found []Nomination
	err := r.within(ctx, r.Policy.SweepBudget/3, func(ctx context.Context) (err error) {
		found, err = r.Store.Due(ctx, DueQuery{s.kind, r.Policy.Lead, r.Policy.Cutoff, s.after, r.Policy.Page})
		return err
	})
	if err != nil {
		s.ended = true
		return fmt.Errorf("find what is due to %s: %w", s.kind, err)
	}
	if len(found) < r.Policy.Page {
		s.ended, s.drained = true, true
	}
	if len(found) == 0 {
		return nil
	}
	s.after = found[len(found)-1].Message.Window
	r.report.Pages++
	r.report.Found.add(s.kind, len(found))
	published, err := r.publish(ctx, found)
	r.report.Published.add(s.kind, published)
	return err
}

// publish hands a page to the broker and counts what it took. A message that can't be published
// does not keep the others of its page back. Publishing is never tried again here: the next sweep
// does it, under a key of its own choosing.
func (r *sweepRun) publish(ctx context.Context, found []Nomination) (int, error) {
	var first error
	note := func(n Nomination, err error) {
		if err != nil && first == nil {
			first = fmt.Errorf("publish %s %s: %w", n.Message.Kind, n.Message.Window, err)
		}
	}
	entries, taken := make([]Entry, 0, len(found)), found[:0]
	for _, n := range found {
		e, err := r.entry(n)
		note(n, err)
		if err == nil {
			entries, taken = append(entries, e), append(taken, n)
		}
	}
	if len(entries) == 0 {
		return 0, first
	}
	results, err := r.Queue.Publish(ctx, entries)
	if err == nil && len(results) != len(entries) {
		err = fmt.Errorf("%d results", len(results))
	}
	if err != nil {
		return 0, errors.Join(first, fmt.Errorf("publish %d messages from %s on: %w", len(entries), taken[0].Message.Window, err))
	}
	published := 0
	for i, p := range results {
		note(taken[i], p.Err)
		if p.Err == nil {
			published++
		}
	}
	return published, first
}

func (r *sweepRun) entry(n Nomination) (Entry, error) {
	payload, err := n.Message.Encode()
	switch {
	case err != nil:
		return Entry{}, err
	case len(payload) >= PayloadBytesMax:
		return Entry{}, fmt.Errorf("the payload has %d bytes, and must have fewer than %d: %w", len(payload), PayloadBytesMax, ErrInvalid)
	}
	key := MessageKey(n.Message.Kind, n.Message.Window, n.Age, r.Policy.Renominate, r.Policy.Backstop)
	return Entry{Key: key, Payload: payload}, nil
}
