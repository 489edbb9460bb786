package restqueue

import (
	"context"
	"errors"
	"fmt"

	"github.com/seathold/seathold/reference"
)

const (
	// brokenMax is after how many failures in a row the rest of a batch is left out.
	brokenMax = 3
	// throttledMax is how often one entry is tried that is answered 429 each time.
	throttledMax   = 5
	answerBytesMax = 64 << 10
)

// Publish publishes one entry after the other, each in a call of its own.
func (q *Queue) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	results := make([]reference.Published, len(entries))
	broken := 0
	var stop error
	for i, e := range entries {
		if stop != nil {
			results[i].Err = stop
			continue
		}
		results[i] = q.publish(ctx, e)
		err := results[i].Err
		if broken++; !isBroken(err) {
			broken = 0
		}
		stop = stops(ctx, err, broken)
	}
	return results, nil
}

// stops gives the error of all entries that are not to be tried, if it is so.
func stops(ctx context.Context, err error, broken int) error {
	var stopped *StoppedError
	var throttled *ThrottledError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("publish: %w: %w", ErrNotTried, ctx.Err())
	case errors.As(err, &stopped), errors.As(err, &throttled):
		return err
	case broken >= brokenMax:
		return fmt.Errorf("publish: %w after %d failures in a row: %w", ErrNotTried, broken, err)
	}
	return nil
}

// isBroken says that the failure is the service's, or the way's to it, and not the entry's.
func isBroken(err error) bool {
	var status *StatusError
	switch {
	case err == nil, errors.Is(err, reference.ErrInvalid), errors.Is(err, ErrRefused):
		return false
	case errors.As(err, &status):
		return status.Status >= 500
	}
	return true
}

func (q *Queue) publish(ctx context.Context, e reference.Entry) reference.Published {
	value, size := encodePayload(e.Payload, q.config.PayloadAsText)
	err := e.Check()
	if err == nil {
		err = checkSize(size)
	}
	if err != nil {
		return reference.Published{Err: err}
	}
	f := q.config.Fields
	request := object{}.with(f.Queue, text(q.config.Queue)).with(f.Payload, value).with(f.Delay, seconds(e.Delay))
	data, err := q.persist(ctx, func() (fields, error) {
		return q.call(ctx, q.publishURL, e.Key, request, answerBytesMax)
	})
	var result reference.Published
	if err == nil {
		result.MessageID, err = data.id(f.MessageID)
	}
	if err == nil {
		result.Duplicate, err = data.boolean(f.Duplicate, false)
	}
	if err != nil {
		return reference.Published{Err: fmt.Errorf("publish: %w", err)}
	}
	return result
}

// persist calls again after a 429 that can be sat out, for it says that nothing was taken.
func (q *Queue) persist(ctx context.Context, call func() (fields, error)) (data fields, err error) {
	for range throttledMax {
		if err = q.ready(ctx, q.config.ThrottleWait); err != nil {
			return nil, err
		}
		var throttled *ThrottledError
		if data, err = call(); !errors.As(err, &throttled) {
			return data, err
		}
	}
	return nil, err
}
