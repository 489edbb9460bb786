package restqueue

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/webhook/once"
)

// Config is one queue. What is zero but URL, Queue and Token has a default.
type Config struct {
	// URL is the service, with what comes before the paths: https://queue.example.com.
	URL string
	// Queue is the queue's name there.
	Queue string
	Token once.Secret
	// Paths and Fields are what the service calls things, where it isn't what PathsDefault and
	// FieldsDefault say.
	Paths  Paths
	Fields Fields
	// PayloadAsText sends every payload as a string.
	PayloadAsText bool
	// Timeout is how long a call may take from its start; 5s if zero.
	Timeout time.Duration
	// Poll is how often a waiting Receive asks; 2s if zero. Services count calls, and want money.
	Poll time.Duration
	// Visibility is sent if Fields.Visibility is named.
	Visibility time.Duration
	// ThrottleWait is the longest wait after a 429 that a call sits out by itself; 5s if zero.
	// RetryAfterMax is the longest Retry-After believed; 1m if zero.
	ThrottleWait, RetryAfterMax time.Duration
	// Probe is how often after a 402 one call is made, to see whether that is over; never if zero,
	// and the process has to be restarted.
	Probe time.Duration
	// Alarm hears of a 402, once for each stop. It must not block. It may be nil.
	Alarm func(*StoppedError)
	// Connect is how connections are made; its Clock is that of Config.
	Connect once.Config
	// Clock and Waiter are the process's; the real ones if nil.
	Clock  clock.Clock
	Waiter reference.Waiter
}

// Paths are where calls go, below Config.URL.
type Paths struct{ Publish, Consume, Ack string }

// PathsDefault are the paths of the package comment.
func PathsDefault() Paths { return Paths{"/v1/queue/publish", "/v1/queue/consume", "/v1/queue/ack"} }

// Fields are the names of fields in requests and answers.
type Fields struct {
	Queue, Payload, Delay, Max, MessageID string
	// Visibility is not sent where it has no name.
	Visibility string
	// OK, Data, Messages, Duplicate and Receives are in answers.
	OK, Data, Messages, Duplicate, Receives string
}

// FieldsDefault are the names of the package comment.
func FieldsDefault() Fields {
	return Fields{
		Queue: "queue", Payload: "payload", Delay: "delay_seconds", Max: "max", MessageID: "message_id",
		OK: "ok", Data: "data", Messages: "messages", Duplicate: "duplicate", Receives: "receives",
	}
}

const (
	timeoutDefault       = 5 * time.Second
	pollDefault          = 2 * time.Second
	throttleWaitDefault  = 5 * time.Second
	retryAfterMaxDefault = time.Minute
)

// New makes a Queue. Its error wraps reference.ErrInvalid, and does not tell the token.
func New(c Config) (*Queue, error) {
	if c.Clock == nil {
		c.Clock = clock.New()
	}
	if c.Waiter == nil {
		c.Waiter = process.ClockWaiter{Clock: c.Clock}
	}
	c.Timeout = cmp.Or(c.Timeout, timeoutDefault)
	c.Poll = cmp.Or(c.Poll, pollDefault)
	c.ThrottleWait = cmp.Or(c.ThrottleWait, throttleWaitDefault)
	c.RetryAfterMax = cmp.Or(c.RetryAfterMax, retryAfterMaxDefault)
	paths := PathsDefault()
	c.Paths = Paths{
		cmp.Or(c.Paths.Publish, paths.Publish), cmp.Or(c.Paths.Consume, paths.Consume), cmp.Or(c.Paths.Ack, paths.Ack),
	}
	c.Fields = c.Fields.orDefault()
	base, err := c.check()
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	c.Connect.Clock = c.Clock
	return &Queue{
		config: c, client: once.New(c.Connect), pause: once.NewPause(c.Clock, c.RetryAfterMax),
		publishURL: base.JoinPath(c.Paths.Publish), consumeURL: base.JoinPath(c.Paths.Consume), ackURL: base.JoinPath(c.Paths.Ack),
	}, nil
}

func (f Fields) orDefault() Fields {
	d := FieldsDefault()
	return Fields{
		Queue: cmp.Or(f.Queue, d.Queue), Payload: cmp.Or(f.Payload, d.Payload), Delay: cmp.Or(f.Delay, d.Delay),
		Max: cmp.Or(f.Max, d.Max), MessageID: cmp.Or(f.MessageID, d.MessageID), Visibility: f.Visibility,
		OK: cmp.Or(f.OK, d.OK), Data: cmp.Or(f.Data, d.Data), Messages: cmp.Or(f.Messages, d.Messages),
		Duplicate: cmp.Or(f.Duplicate, d.Duplicate), Receives: cmp.Or(f.Receives, d.Receives),
	}
}

func (c *Config) check() (*url.URL, error) {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"timeout", c.Timeout}, {"poll", c.Poll}, {"throttle wait", c.ThrottleWait}, {"longest Retry-After", c.RetryAfterMax},
	} {
		if d.d <= 0 {
			return nil, fmt.Errorf("%s is %s and must be positive: %w", d.name, d.d, reference.ErrInvalid)
		}
	}
	switch {
	case c.Queue == "":
		return nil, fmt.Errorf("the queue has no name: %w", reference.ErrInvalid)
	case c.Token == "" || strings.ContainsFunc(string(c.Token), func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("the token is empty, or has bytes that no header may have: %w", reference.ErrInvalid)
	case c.Probe < 0:
		return nil, fmt.Errorf("probe is %s and must not be negative: %w", c.Probe, reference.ErrInvalid)
	case c.Fields.Visibility != "" && c.Visibility < time.Second:
		return nil, fmt.Errorf("visibility is %s and must be at least 1s, for it is sent as %s: %w", c.Visibility, c.Fields.Visibility, reference.ErrInvalid)
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the URL can't be read: %w", reference.ErrInvalid)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the URL must begin with http:// or https:// and a host: %w", reference.ErrInvalid)
	case u.User != nil:
		return nil, fmt.Errorf("the URL of %s has a user in it, and the service wants a token: %w", u.Host, reference.ErrInvalid)
	}
	if u.Path == "" {
		u.Path = "/" // JoinPath makes a relative path of none
	}
	return u, nil
}
