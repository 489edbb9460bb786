package once_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference/webhook/once"
)

var background = context.Background()

// peer is a server on raw connections. Each request that it has read whole is counted, and handed to
// its answer with the number that it has on its connection, from 1; false closes the connection.
type peer struct {
	url      *url.URL
	requests atomic.Int64
	mu       sync.Mutex
	seen     map[string]int // by the request's body
	listener net.Listener
	open     sync.WaitGroup
}

func newPeer(t *testing.T, answer func(c net.Conn, nth int) bool) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{url: &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}, seen: map[string]int{}, listener: l}
	t.Cleanup(p.drain)
	ctx, cancel := context.WithCancel(background)
	t.Cleanup(cancel)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(ctx, func() { c.Close() })
			p.open.Go(func() {
				defer stop()
				defer c.Close()
				p.serve(c, answer)
			})
		}
	}()
	return p
}

// drain reads all connections to their end.
func (p *peer) drain() {
	p.listener.Close()
	p.open.Wait()
}

func (p *peer) serve(c net.Conn, answer func(c net.Conn, nth int) bool) {
	r := bufio.NewReader(c)
	for nth := 1; ; nth++ {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		p.requests.Add(1)
		p.mu.Lock()
		p.seen[string(body)]++
		p.mu.Unlock()
		if !answer(c, nth) {
			return
		}
	}
}

func (p *peer) times(body string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[body]
}

// says writes an answer and keeps the connection.
func says(answer string) func(net.Conn, int) bool {
	return func(c net.Conn, _ int) bool {
		_, err := io.WriteString(c, answer)
		return err == nil
	}
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// okOnce answers the first request of a connection and closes it at the second.
func okOnce(c net.Conn, nth int) bool { return nth == 1 && says(ok)(c, nth) }

func call(to *url.URL, body string) once.Call {
	return once.Call{
		URL: to, Header: http.Header{"Idempotency-Key": {"k1"}}, Body: []byte(body),
		Timeout: 5 * time.Second, AnswerBytesMax: 1 << 10,
	}
}

func newClient(t *testing.T, c once.Config) *once.Client {
	client := once.New(c)
	t.Cleanup(client.Close)
	return client
}

// TestAtMostOnce is the case that net/http alone gets wrong, which its first half shows.
func TestAtMostOnce(t *testing.T) {
	t.Run("net/http-writes-twice", func(t *testing.T) {
		p := newPeer(t, okOnce)
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		for i := range 2 {
			req, err := http.NewRequest(http.MethodPost, p.url.String(), strings.NewReader(fmt.Sprint("body ", i)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Idempotency-Key", "k1")
			resp, err := (&http.Client{Transport: transport}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if n := p.times("body 1"); n != 2 {
			t.Errorf("net/http wrote the second request %d times: has it mended its ways?", n)
		}
	})
	for _, header := range []http.Header{{}, {"Idempotency-Key": {"k1"}}, {"X-Idempotency-Key": {"k1"}}} {
		t.Run(fmt.Sprintf("once-with-%d-key-%s", len(header), strings.Join(keysOf(header), "")), func(t *testing.T) {
			p := newPeer(t, okOnce)
			client := newClient(t, once.Config{})
			first, second := call(p.url, "first"), call(p.url, "second")
			first.Header, second.Header = header, header
			if _, err := client.Do(background, first); err != nil {
				t.Fatal(err)
			}
			_, err := client.Do(background, second)
			var not *once.NotStartedError
			if err == nil || errors.As(err, &not) {
				t.Errorf("the error is %v, want one that leaves it open", err)
			}
			if n := p.times("second"); n != 1 {
				t.Errorf("written %d times, want once", n)
			}
		})
	}
}

func keysOf(h http.Header) (names []string) {
	for name := range h {
		names = append(names, name)
	}
	return names
}

func TestReuse(t *testing.T) {
	var connections atomic.Int64
	p := newPeer(t, func(c net.Conn, nth int) bool {
		if nth == 1 {
			connections.Add(1)
		}
		return says(ok)(c, nth)
	})
	client := newClient(t, once.Config{})
	for i := range 20 {
		a, err := client.Do(background, call(p.url, fmt.Sprint(i)))
		if err != nil || a.Status != 200 || string(a.Body) != "{}" || a.BodyErr != nil {
			t.Fatalf("answer %+v, %v", a, err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 20 calls in a row, want 1", n)
	}
}

func TestAnswers(t *testing.T) {
	long := strings.Repeat("x", 4<<10)
	for _, c := range []struct {
		name   string
		answer func(net.Conn, int) bool
		status int
		body   string
		// bodyErr is part of the text of BodyErr, and err of the error.
		bodyErr, err string
	}{
		{"whole", says(ok), 200, "{}", "", ""},
		{"without-a-body", says("HTTP/1.1 204 No Content\r\n\r\n"), 204, "", "", ""},
		{"after-1xx", says("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + ok), 200, "{}", "", ""},
		{"switching-protocols", says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), 101, "", "", ""},
		{"redirect", says("HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"), 307, "", "", ""},
		{"too-long", says("HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n" + long), 200, long[:1<<10], "too long", ""},
		{"without-end", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + long + "\r\n"), 200, long[:1<<10], "too long", ""},
		{"cut-off", func(c net.Conn, n int) bool {
			says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")(c, n)
			return false
		}, 200, "half", "unexpected EOF", ""},
		{"slow-body", func(c net.Conn, n int) bool {
			return says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")(c, n)
		}, 200, "half", "no answer within 300ms", ""},
		{"silent", func(net.Conn, int) bool { return true }, 0, "", "", "no answer within 300ms"},
		{"closed", func(net.Conn, int) bool { return false }, 0, "", "", "closed without an answer"},
		{"half-closed", func(c net.Conn, _ int) bool {
			_ = c.(*net.TCPConn).CloseWrite()
			return true
		}, 0, "", "", "closed without an answer"},
		{"reset", func(c net.Conn, _ int) bool {
			_ = c.(*net.TCPConn).SetLinger(0)
			return false
		}, 0, "", "", "reset by peer"},
		{"half-a-status", func(c net.Conn, n int) bool {
			says("HTTP/1.1 20")(c, n)
			return false
		}, 0, "", "", "can't be read"},
		{"no-http", says("+4915112345678 is unknown\r\n\r\n"), 0, "", "", "can't be read"},
		{"bad-header", says("HTTP/1.1 200 OK\r\n+4915112345678\r\n\r\n"), 0, "", "", "can't be read"},
		{"bad-length", says("HTTP/1.1 200 OK\r\nContent-Length: +4915112345678\r\n\r\n"), 0, "", "", "can't be read"},
		{"huge-header", says("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n"), 0, "", "", "can't be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(t, c.answer)
			call := call(p.url, "x")
			call.Timeout = time.Minute
			if strings.Contains(c.err+c.bodyErr, "within") {
				call.Timeout = 300 * time.Millisecond
			}
			a, err := newClient(t, once.Config{}).Do(background, call)
			if c.err != "" {
				var not *once.NotStartedError
				if err == nil || !strings.Contains(err.Error(), c.err) || errors.As(err, &not) {
					t.Errorf("the error is %v, want one that leaves it open and says %q", err, c.err)
				}
				if err != nil && strings.Contains(err.Error(), "1234") {
					t.Errorf("the error quotes the answer: %v", err)
				}
			} else if err != nil || a.Status != c.status || string(a.Body) != c.body || fmt.Sprint(a.BodyErr) == "<nil>" != (c.bodyErr == "") {
				t.Errorf("the answer is %d %.20q, body %v, error %v; want %d %.20q", a.Status, a.Body, a.BodyErr, err, c.status, c.body)
			}
			if n := p.requests.Load(); n != 1 {
				t.Errorf("written %d times, want once", n)
			}
		})
	}
}

var errNo = errors.New("no")

func TestNotStarted(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	p := newPeer(t, says(ok))
	// A listener that takes connections and says nothing, so that TLS never comes about.
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	at := func(scheme, host string) once.Call { return call(&url.URL{Scheme: scheme, Host: host, Path: "/"}, "x") }
	refusing := call(p.url, "x")
	refusing.Start = func() error { return errNo }
	over, cancel := context.WithCancel(background)
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		call once.Call
		want error
	}{
		{"start-says-no", background, refusing, errNo},
		{"context-is-over", over, call(p.url, "x"), context.Canceled},
		{"nobody-listens", background, at("http", closed.Addr().String()), nil},
		{"no-such-host", background, at("http", "no-such-host.invalid"), nil},
		{"no-tls-there", background, at("https", p.url.Host), nil},
		{"certificate-of-nobody", background, at("https", secure.Listener.Addr().String()), nil},
		{"tls-never-comes-about", background, at("https", mute.Addr().String()), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			patience := time.Minute
			if c.call.URL.Host == mute.Addr().String() {
				patience = 300 * time.Millisecond
			}
			client := newClient(t, once.Config{ConnectTimeout: patience})
			a, err := client.Do(c.ctx, c.call)
			var not *once.NotStartedError
			if !errors.As(err, &not) || c.want != nil && !errors.Is(err, c.want) || a.Status != 0 {
				t.Errorf("answer %+v and error %v, want not started: %v", a, err, c.want)
			}
		})
	}
	if n := p.requests.Load(); n != 0 {
		t.Errorf("%d requests arrived, want none", n)
	}
}

// TestTimeoutRunsFromTheStart: what connecting takes is not taken from the call.
func TestTimeoutRunsFromTheStart(t *testing.T) {
	for _, c := range []struct {
		name   string
		took   time.Duration
		answer func(net.Conn, int) bool
		ok     bool
	}{
		{"answered-within", 999 * time.Millisecond, says(ok), true},
		{"not-answered-within", time.Second, func(net.Conn, int) bool { return true }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			clk := clock.NewMock()
			p := newPeer(t, func(conn net.Conn, nth int) bool {
				clk.Add(c.took)
				return c.answer(conn, nth)
			})
			call := call(p.url, "x")
			call.Timeout = time.Second
			call.Start = func() error {
				clk.Add(time.Hour) // far beyond the time to connect
				return nil
			}
			_, err := newClient(t, once.Config{Clock: clk}).Do(background, call)
			var not *once.NotStartedError
			if c.ok != (err == nil) || errors.As(err, &not) {
				t.Errorf("the error is %v, want none: %t", err, c.ok)
			}
		})
	}
}

func TestOverTLS(t *testing.T) {
	var calls atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		fmt.Fprint(w, r.Proto)
	}))
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	u, _ := url.Parse(s.URL)
	client := newClient(t, once.Config{TLS: &tls.Config{RootCAs: pool, NextProtos: []string{"h2", "http/1.1"}}})
	for range 2 {
		a, err := client.Do(background, call(u, "x"))
		if err != nil || string(a.Body) != "HTTP/1.1" {
			t.Fatalf("answer %q, %v; want HTTP/1.1", a.Body, err)
		}
	}
	refusing := call(u, "x")
	refusing.Start = func() error { return errNo }
	if _, err := client.Do(background, refusing); !errors.Is(err, errNo) || calls.Load() != 2 {
		t.Errorf("%v after %d calls, want it not started, and 2", err, calls.Load())
	}
}

// TestCertain cancels calls at all moments there are, and holds each answer to what arrived.
func TestCertain(t *testing.T) {
	p := newPeer(t, says(ok))
	client := newClient(t, once.Config{})
	const calls = 1500
	type result struct {
		body    string
		started bool
	}
	results := make(chan result, calls)
	var slots sync.WaitGroup
	for slot := range 8 {
		slots.Go(func() {
			for i := slot; i < calls; i += 8 {
				ctx, cancel := context.WithTimeout(background, time.Duration(i%100)*7*time.Microsecond)
				body := fmt.Sprint("call ", i)
				_, err := client.Do(ctx, call(p.url, body))
				cancel()
				var not *once.NotStartedError
				results <- result{body, !errors.As(err, &not)}
			}
		})
	}
	slots.Wait()
	close(results)
	client.Close()
	p.drain()
	started := 0
	for r := range results {
		n := p.times(r.body)
		if n > 1 || n == 1 && !r.started {
			t.Fatalf("%s arrived %d times, started: %t", r.body, n, r.started)
		}
		if r.started {
			started++
		}
	}
	t.Logf("%d of %d calls were started", started, calls)
}

func BenchmarkDo(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer s.Close()
	u, _ := url.Parse(s.URL)
	client := once.New(once.Config{})
	defer client.Close()
	c := call(u, "{}")
	c.Body = bytes.Repeat([]byte("x"), 400)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Do(background, c); err != nil {
			b.Fatal(err)
		}
	}
}
