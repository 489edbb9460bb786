package once

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"github.com/benbjohnson/clock"
)

// Config is how a Client connects. The zero Config is good.
type Config struct {
	// ConnectTimeout is how long a connection may take to come about, TLS included; 3s if zero.
	ConnectTimeout time.Duration
	// IdleTimeout is how long a connection is kept for the next call; 2s if zero, negative is not at
	// all. It should be shorter than the other side's, which is 5s with some: a call written just as
	// the other side gives the connection up ends without an answer.
	IdleTimeout time.Duration
	// IdleMax is how many connections are kept; 64 if zero. It should be the number of slots.
	IdleMax int
	// TLS may be nil. It is cloned.
	TLS *tls.Config
	// Proxy gives the proxy to a URL, as in http.Transport. Nil is none, the environment's neither.
	Proxy func(*http.Request) (*url.URL, error)
	// Clock is the clock that timeouts run by; the real one if nil.
	Clock clock.Clock
}

const (
	connectDefault = 3 * time.Second
	idleDefault    = 2 * time.Second
	idleMaxDefault = 64
	headerBytesMax = 64 << 10
)

// Client makes calls. Any number of goroutines may use it at once.
type Client struct {
	clock     clock.Clock
	connect   time.Duration
	transport *http.Transport
}

// New makes a Client.
func New(c Config) *Client {
	if c.Clock == nil {
		c.Clock = clock.New()
	}
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = connectDefault
	}
	if c.IdleTimeout == 0 {
		c.IdleTimeout = idleDefault
	}
	if c.IdleMax <= 0 {
		c.IdleMax = idleMaxDefault
	}
	dialer := &net.Dialer{Timeout: c.ConnectTimeout}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &Client{clock: c.Clock, connect: c.ConnectTimeout, transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &conn{Conn: c}, nil
		},
		Proxy: c.Proxy, TLSClientConfig: c.TLS.Clone(), TLSHandshakeTimeout: c.ConnectTimeout, Protocols: &protocols,
		MaxIdleConnsPerHost: c.IdleMax, IdleConnTimeout: max(c.IdleTimeout, 0), DisableKeepAlives: c.IdleTimeout < 0,
		MaxResponseHeaderBytes: headerBytesMax,
		// An answer that unpacks to more than it is would make a bound on its bytes worth little.
		DisableCompression: true,
	}}
}

// Close closes idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Call is one POST.
type Call struct {
	URL    *url.URL
	Header http.Header
	Body   []byte
	// Start is asked last thing before the first byte is written, and its error keeps it from being
	// written. It may be nil.
	Start func() error
	// Timeout is how long the call may take from there on, its answer included.
	Timeout time.Duration
	// AnswerBytesMax is how much of the answer's body is read.
	AnswerBytesMax int64
}

// Answer is what came back. There is one as soon as there is a status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// BodyErr says why Body isn't all of it: ErrTooLong, or what went wrong.
	BodyErr error
}

// ErrTooLong: the body is longer than the call would read.
var ErrTooLong = errors.New("the answer is too long")

// NotStartedError says that nothing of a call was written, nor will be.
type NotStartedError struct{ Err error }

// Error gives the cause.
func (e *NotStartedError) Error() string { return "not started: " + e.Err.Error() }

// Unwrap gives the cause: what Start said, the context's error, or why there is no connection.
func (e *NotStartedError) Unwrap() error { return e.Err }

// Do makes the call. Its error is a NotStartedError or means that nobody knows. Neither it nor its
// text holds anything of the call or of the answer.
func (c *Client) Do(ctx context.Context, call Call) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, &NotStartedError{err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g := &gate{}
	stop := c.limit(ctx, c.connect, func() {
		if certain, _ := g.end(); certain {
			cancel(fmt.Errorf("no connection within %s: %w", c.connect, context.DeadlineExceeded))
		}
	})
	defer func() { stop() }()
	g.start = func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if call.Start != nil {
			if err := call.Start(); err != nil {
				return err
			}
		}
		stop()
		stop = c.limit(ctx, call.Timeout, func() {
			cancel(fmt.Errorf("no answer within %s: %w", call.Timeout, context.DeadlineExceeded))
		})
		return nil
	}
	answer, err := c.exchange(traced(ctx, g), call)
	certain, refusal := g.end()
	cause := context.Cause(ctx)
	switch {
	case refusal != nil:
		return Answer{}, &NotStartedError{refusal}
	case err == nil && !certain:
		return answer, nil
	case err == nil:
		// An answer that was there before the question belongs to nothing.
		return Answer{}, &NotStartedError{errEarly}
	case cause != nil:
		err = cause
	case !certain:
		err = lost(err)
	}
	if certain {
		return Answer{}, &NotStartedError{err}
	}
	return Answer{}, err
}

var (
	errEarly      = errors.New("answered before it was asked")
	errUnanswered = errors.New("the connection was closed without an answer")
	errUnreadable = errors.New("the answer can't be read as HTTP")
)

// lost words why a call that was started has no answer. What net/http says of an answer that it
// can't read quotes it, and it may hold anything.
func lost(err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, io.EOF), err.Error() == "http: server closed idle connection":
		return errUnanswered
	case errors.As(err, &op):
		return op
	}
	return errUnreadable
}

// traced binds the gate to the connection that the call gets.
func traced(ctx context.Context, g *gate) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		own, err := gated(info.Conn)
		if err != nil {
			panic(fmt.Sprintf("call by a connection of type %T: %v", info.Conn, err))
		}
		g.bind(own)
	}})
}

// exchange writes the request and reads the answer.
func (c *Client) exchange(ctx context.Context, call Call) (Answer, error) {
	req := (&http.Request{
		Method: http.MethodPost, URL: call.URL, Host: call.URL.Host, Header: call.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(call.Body)), ContentLength: int64(len(call.Body)),
		// With a GetBody the Transport would write the request again by itself.
		GetBody: nil,
	}).WithContext(ctx)
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, Header: resp.Header}
	if a.Status == http.StatusSwitchingProtocols {
		return a, nil // what follows is no body: it has no end, and no timeout reaches it
	}
	a.Body, a.BodyErr = io.ReadAll(io.LimitReader(resp.Body, call.AnswerBytesMax+1))
	if int64(len(a.Body)) > call.AnswerBytesMax {
		a.Body, a.BodyErr = a.Body[:call.AnswerBytesMax], ErrTooLong
	}
	return a, nil
}

// limit does something after d, unless it is stopped before or ctx ends.
func (c *Client) limit(ctx context.Context, d time.Duration, then func()) (stop func()) {
	limited, release := c.clock.WithTimeout(ctx, d)
	unhook := context.AfterFunc(limited, func() {
		if ctx.Err() == nil {
			then()
		}
	})
	return func() {
		unhook()
		release()
	}
}
