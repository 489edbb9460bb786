package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/webhook/once"
)

const (
	userAgent      = "seathold-webhook/1"
	answerBytesMax = 64 << 10
)

// Sender sends reminders to one provider. Any number of goroutines may use it at once. It
// implements reference.Sender.
type Sender struct {
	config  Config
	target  *url.URL
	signers []*standardwebhooks.Webhook
	client  *once.Client
}

var _ reference.Sender = (*Sender)(nil)

// KeyHorizon is how long the provider remembers reminder keys; zero if it honours none.
func (s *Sender) KeyHorizon() time.Duration { return s.config.KeyHorizon }

// Close closes idle connections.
func (s *Sender) Close() { s.client.Close() }

// Send makes one request, as the package comment says, and tells what its answer means.
func (s *Sender) Send(ctx context.Context, n reference.Notice) (reference.Receipt, error) {
	began := s.config.Clock.Now()
	seen := Exchange{Reminder: n.Reminder, Attempt: n.Attempt}
	receipt, err := s.send(ctx, n, &seen)
	seen.Took, seen.Class = s.config.Clock.Since(began), classOf(err)
	if s.config.Observer != nil {
		s.config.Observer(seen)
	}
	if err != nil {
		return reference.Receipt{}, fmt.Errorf("send %s to %s://%s: %w", n.Reminder, s.target.Scheme, s.target.Host, err)
	}
	return receipt, nil
}

func (s *Sender) send(ctx context.Context, n reference.Notice, seen *Exchange) (reference.Receipt, error) {
	if err := s.mayAsk(ctx, n); err != nil {
		seen.Paused = classOf(err) == NotAccepted && ctx.Err() == nil
		return reference.Receipt{}, err
	}
	call, err := s.call(n, seen)
	if err != nil {
		return reference.Receipt{}, err
	}
	answer, err := s.client.Do(ctx, call)
	if err != nil {
		return reference.Receipt{}, s.unanswered(ctx, n, err)
	}
	s.config.Pause.Reached()
	seen.Status = answer.Status
	return s.read(answer)
}

// mayAsk says why the provider is not to be asked, if it isn't. It is all asked again, but for the
// pause, when the request is about to be written.
func (s *Sender) mayAsk(ctx context.Context, n reference.Notice) error {
	if err := ctx.Err(); err != nil {
		return &reference.NotAcceptedError{Err: err}
	}
	if n.StartBy.Passed(s.config.Clock.Now()) {
		return reference.ErrStartPassed
	}
	if left := s.config.Pause.Left(); left > 0 {
		return &reference.NotAcceptedError{After: left, Err: errPaused}
	}
	return nil
}

var errPaused = errors.New("the provider is being left alone for a while")

// call is the request for n.
func (s *Sender) call(n reference.Notice, seen *Exchange) (once.Call, error) {
	text, zoneUnknown, err := body(n, s.config.Template)
	if err != nil {
		return once.Call{}, notAsked(err)
	}
	seen.ZoneUnknown = zoneUnknown
	header, err := s.header(n.Reminder.Key(), s.config.Clock.Now(), text)
	if err != nil {
		return once.Call{}, notAsked(err)
	}
	return once.Call{
		URL: s.target, Header: header, Body: text, Timeout: n.Timeout, AnswerBytesMax: answerBytesMax,
		Start: func() error {
			if n.StartBy.Passed(s.config.Clock.Now()) {
				return reference.ErrStartPassed
			}
			return nil
		},
	}, nil
}

func notAsked(err error) error { return &reference.NotAcceptedError{Err: err} }

// unanswered tells what a call means that got no answer.
func (s *Sender) unanswered(ctx context.Context, n reference.Notice, err error) error {
	var notStarted *once.NotStartedError
	switch {
	case errors.Is(err, reference.ErrStartPassed):
		return reference.ErrStartPassed
	case !errors.As(err, &notStarted):
		return err
	case ctx.Err() != nil:
		return notAsked(err)
	}
	return &reference.NotAcceptedError{After: s.config.Pause.Refused(string(n.Attempt)), Err: err}
}

// read tells what an answer means.
func (s *Sender) read(a once.Answer) (reference.Receipt, error) {
	answered := fmt.Errorf("the provider answered %d %s", a.Status, http.StatusText(a.Status))
	switch class := s.config.Statuses.class(a.Status, s.config.KeyHorizon > 0); class {
	case Accepted:
		ref := s.config.ref(a)
		if ref == "" && s.config.RefRequired {
			return reference.Receipt{}, fmt.Errorf("%w, without a reference", answered)
		}
		return reference.Receipt{Ref: ref}, nil
	case Rejected:
		return reference.Receipt{}, fmt.Errorf("%w: %w", reference.ErrRejected, answered)
	case NotAccepted:
		after, said := once.RetryAfter(a.Header, s.config.Clock.Now(), s.config.RetryAfterMax)
		if said || a.Status == http.StatusTooManyRequests {
			s.config.Pause.Asked(after)
		}
		return reference.Receipt{}, &reference.NotAcceptedError{After: after, Err: answered}
	}
	return reference.Receipt{}, answered
}

// classOf is what kind of answer err is to a worker.
func classOf(err error) Class {
	var refused *reference.NotAcceptedError
	switch {
	case err == nil:
		return Accepted
	case errors.Is(err, reference.ErrStartPassed):
		return TooLate
	case errors.Is(err, reference.ErrRejected):
		return Rejected
	case errors.As(err, &refused):
		return NotAccepted
	}
	return Unknown
}
