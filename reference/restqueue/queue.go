package restqueue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/webhook/once"
)

// Queue is a queue at a hosted service. Any number of goroutines may use it at once; what stops or
// throttles one stops or throttles all. It implements reference.Publisher and reference.Consumer.
type Queue struct {
	config                         Config
	publishURL, consumeURL, ackURL *url.URL
	client                         *once.Client
	pause                          *once.Pause
	handed                         atomic.Int64

	mu      sync.Mutex
	stopped *StoppedError
	probeAt time.Time
}

var (
	_ reference.Publisher = (*Queue)(nil)
	_ reference.Consumer  = (*Queue)(nil)
)

// Close closes idle connections.
func (q *Queue) Close() { q.client.Close() }

// Stopped gives the stop after a 402, if there is one.
func (q *Queue) Stopped() (*StoppedError, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stopped, q.stopped != nil
}

// ready waits until the service may be called. It doesn't wait longer than most.
func (q *Queue) ready(ctx context.Context, most time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left := q.pause.Left()
	switch {
	case left <= 0:
		return nil
	case left > most:
		return &ThrottledError{left}
	}
	return q.config.Waiter.Wait(ctx, left)
}

// call makes one call, and gives the fields of its answer. The bytes are the most that are read.
func (q *Queue) call(ctx context.Context, to *url.URL, key string, request object, bytes int64) (fields, error) {
	probe, err := q.mayCall()
	if err != nil {
		return nil, err
	}
	header := http.Header{
		"Content-Type":  {"application/json"},
		"Accept":        {"application/json"},
		"User-Agent":    {"seathold-restqueue/1"},
		"Authorization": {"Bearer " + string(q.config.Token)},
	}
	if key != "" {
		header["Idempotency-Key"] = []string{key}
	}
	answer, err := q.client.Do(ctx, once.Call{
		URL: to, Header: header, Body: request.end(), Timeout: q.config.Timeout, AnswerBytesMax: bytes,
	})
	if err != nil {
		return nil, err
	}
	if probe && answer.Status >= 200 && answer.Status <= 299 {
		q.goOn()
	}
	return q.read(answer)
}

// read tells what an answer means.
func (q *Queue) read(a once.Answer) (fields, error) {
	switch {
	case a.Status == http.StatusPaymentRequired:
		return nil, q.stop()
	case a.Status == http.StatusTooManyRequests:
		after, _ := once.RetryAfter(a.Header, q.config.Clock.Now(), q.config.RetryAfterMax)
		q.pause.Asked(after)
		return nil, &ThrottledError{q.pause.Left()}
	case a.Status < 200 || a.Status > 299:
		return nil, &StatusError{a.Status}
	case a.BodyErr != nil:
		return nil, fmt.Errorf("%w: %w", ErrBadAnswer, a.BodyErr)
	case a.Status == http.StatusNoContent:
		return nil, nil
	}
	envelope, err := parse(a.Body)
	if err != nil {
		return nil, err
	}
	if ok, err := envelope.boolean(q.config.Fields.OK, true); err != nil || !ok {
		return nil, errors.Join(ErrRefused, err)
	}
	return envelope.object(q.config.Fields.Data)
}

// mayCall refuses a call after a 402, but for one each time that a probe is due.
func (q *Queue) mayCall() (probe bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped == nil {
		return false, nil
	}
	if now := q.config.Clock.Now(); q.config.Probe > 0 && !now.Before(q.probeAt) {
		q.probeAt = now.Add(q.config.Probe)
		return true, nil
	}
	return false, q.stopped
}

// stop is a 402. The alarm is raised at the first.
func (q *Queue) stop() error {
	q.mu.Lock()
	stopped, first := q.stopped, q.stopped == nil
	if first {
		now := q.config.Clock.Now()
		stopped = &StoppedError{Since: now, Probe: q.config.Probe}
		q.stopped, q.probeAt = stopped, now.Add(q.config.Probe)
	}
	q.mu.Unlock()
	if first && q.config.Alarm != nil {
		q.config.Alarm(stopped)
	}
	return stopped
}

// goOn ends a stop, by a probe that succeeded. A call that was under way at the 402 doesn't.
func (q *Queue) goOn() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = nil
}
