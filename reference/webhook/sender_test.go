package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

const secret once.Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var background = context.Background()

// provider accepts what is signed, and honours keys if it is told to.
type provider struct {
	*httptest.Server
	keys bool

	mu       sync.Mutex
	next     porttest.Behaviour
	accepted []string
}

func newProvider(t testing.TB, keys bool) *provider {
	p := &provider{keys: keys}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	verifier, err := standardwebhooks.NewWebhook(string(secret))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = verifier.Verify(text, r.Header)
	}
	key := r.Header.Get("webhook-id")
	if given := r.Header.Get("Idempotency-Key"); err == nil && (given != "") != p.keys || given != "" && given != key {
		err = fmt.Errorf("key %q for %s", given, key)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.next
	p.next = porttest.Accept
	switch next {
	case porttest.Reject:
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	case porttest.Throttle:
		w.Header().Set("Retry-After", fmt.Sprint(porttest.ThrottleAfter.Seconds()))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case porttest.Break:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if !p.keys || !slices.Contains(p.accepted, key) {
		p.accepted = append(p.accepted, key)
	}
	if next == porttest.LoseReply {
		panic(http.ErrAbortHandler)
	}
	fmt.Fprintf(w, `{"id":"msg-%d"}`, len(p.accepted))
}

func (p *provider) behave(b porttest.Behaviour) bool {
	if b == porttest.Unreachable {
		p.Close()
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = b
	return true
}

func (p *provider) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.accepted)
}

// open makes a Sender to url with what edit adds.
func open(t testing.TB, url string, edit func(*webhook.Config)) *webhook.Sender {
	t.Helper()
	c := webhook.Config{URL: url, Secrets: []once.Secret{secret}, RefField: "id"}
	if edit != nil {
		edit(&c)
	}
	s, err := webhook.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func keys(horizon time.Duration) func(*webhook.Config) {
	return func(c *webhook.Config) { c.KeyHorizon = horizon }
}

// notice is a reminder that may be started within a minute.
func notice() reference.Notice {
	ends := time.Date(2026, 3, 2, 12, 10, 0, 0, time.UTC)
	return reference.Notice{
		Reminder: reference.Reminder{Window: reference.Window{Hold: "h-17", ExpiresAt: ends}, Channel: reference.Email},
		Attempt:  "t1", Learner: "learner-42", Section: "piano-3", Zone: "Europe/Berlin",
		StartBy: reference.StartWithin(time.Now(), time.Minute), Timeout: 5 * time.Second,
	}
}

func TestSender(t *testing.T) {
	for _, horizon := range []time.Duration{0, 24 * time.Hour} {
		for _, channel := range reference.Channels {
			t.Run(fmt.Sprintf("%s-keys-%s", channel, horizon), func(t *testing.T) {
				porttest.TestSender(t, channel, func(t *testing.T) porttest.SenderUnderTest {
					p := newProvider(t, horizon > 0)
					return porttest.SenderUnderTest{
						Sender: open(t, p.URL, keys(horizon)), Now: time.Now, Accepted: p.all, Behave: p.behave,
					}
				})
			})
		}
	}
}

// TestReusedConnectionClosed: a provider counts a request and then closes the reused connection
// without an answer. It sees one acceptance, keys or not.
func TestReusedConnectionClosed(t *testing.T) {
	for _, horizon := range []time.Duration{0, 24 * time.Hour} {
		t.Run(fmt.Sprintf("keys-%s", horizon), func(t *testing.T) {
			p := newProvider(t, horizon > 0)
			p.keys = horizon > 0
			s := open(t, p.URL, keys(horizon))
			if _, err := s.Send(background, notice()); err != nil {
				t.Fatal(err)
			}
			p.behave(porttest.LoseReply)
			n := notice()
			n.Reminder.Hold = "h-18"
			_, err := s.Send(background, n)
			var refused *reference.NotAcceptedError
			if err == nil || errors.As(err, &refused) || errors.Is(err, reference.ErrRejected) {
				t.Errorf("the error is %v, want one that means unknown", err)
			}
			if got, want := p.all(), []string{notice().Reminder.Key(), n.Reminder.Key()}; !slices.Equal(got, want) {
				t.Errorf("accepted %v, want %v", got, want)
			}
		})
	}
}

// TestTimeToStartByPassesWhileConnecting: it is compared last thing before the request is written.
func TestTimeToStartByPassesWhileConnecting(t *testing.T) {
	for _, c := range []struct {
		name    string
		connect time.Duration
		want    webhook.Class
	}{
		{"just-not", 999 * time.Millisecond, webhook.Accepted},
		{"just", time.Second, webhook.TooLate},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProvider(t, false)
			clk := clock.NewMock()
			clk.Set(time.Now())
			s := open(t, p.URL, func(cfg *webhook.Config) {
				cfg.Clock = clk
				// The transport asks for a proxy between our first look and the connection.
				cfg.Connect.Proxy = func(*http.Request) (*url.URL, error) {
					clk.Add(c.connect)
					return nil, nil
				}
			})
			n := notice()
			n.StartBy = reference.StartWithin(clk.Now(), time.Second)
			_, err := s.Send(background, n)
			if got := classOf(err); got != c.want || len(p.all()) > 0 != (c.want == webhook.Accepted) {
				t.Errorf("%s (%v), accepted %v; want %s", got, err, p.all(), c.want)
			}
		})
	}
}

func TestReceipt(t *testing.T) {
	field := func(name string) func(*webhook.Config) { return func(c *webhook.Config) { c.RefField = name } }
	required := func(c *webhook.Config) { c.RefRequired = true }
	for _, c := range []struct {
		name   string
		edit   func(*webhook.Config)
		header string
		body   string
		want   string
		ok     bool
	}{
		{"field", field("id"), "", `{"id":"m-1"}`, "m-1", true},
		{"field-further-down", field("data.message.id"), "", `{"data":{"message":{"id":"m-1"}}}`, "m-1", true},
		{"number", field("id"), "", `{"id":12345678901234567890}`, "12345678901234567890", true},
		{"neither-text-nor-number", field("id"), "", `{"id":{"x":1}}`, "", true},
		{"null", field("id"), "", `{"id":null}`, "", true},
		{"missing", field("id"), "", `{}`, "", true},
		{"no-object", field("id"), "", `[1]`, "", true},
		{"no-json", field("id"), "", `<html>`, "", true},
		{"malformed-json", field("id"), "", `{"id":"m-1"`, "", true},
		{"nothing", field("id"), "", ``, "", true},
		{"not-looked-for", field(""), "", `{"id":"m-1"}`, "", true},
		{"header", func(c *webhook.Config) { c.RefHeader = "X-Message-Id" }, "m-2", `{"id":"m-1"}`, "m-2", true},
		{"field-without-the-header", func(c *webhook.Config) { c.RefHeader = "X-Message-Id" }, "", `{"id":"m-1"}`, "m-1", true},
		{"control-characters", field("id"), "", `{"id":"\u0000m\u001b[31m-\r\n1\u202e "}`, "m[31m-1", true},
		{"no-text-in-utf-8", field("id"), "", "{\"id\":\"m\xff-1\"}", "m-1", true},
		{"too-long", field("id"), "", `{"id":"` + strings.Repeat("ü", 100) + `"}`, strings.Repeat("ü", 64), true},
		{"in-a-huge-body", field("id"), "", `{"id":"m-1","x":"` + strings.Repeat("x", 1<<20) + `"}`, "", true},
		{"required-and-there", required, "", `{"id":"m-1"}`, "m-1", true},
		{"required-and-missing", required, "", `<html>maintenance</html>`, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain") // the status alone decides
				if c.header != "" {
					w.Header().Set("X-Message-Id", c.header)
				}
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			receipt, err := open(t, server.URL, c.edit).Send(background, notice())
			if receipt.Ref != c.want || (err == nil) != c.ok {
				t.Errorf("receipt %q, %v; want %q", receipt.Ref, err, c.want)
			}
		})
	}
}

// TestPause: after a 429 no slot calls the provider before its time.
func TestPause(t *testing.T) {
	p := newProvider(t, false)
	clk := clock.NewMock()
	clk.Set(time.Now())
	pause := webhook.NewPause(clk)
	var seen []webhook.Exchange
	edit := func(c *webhook.Config) {
		c.Clock, c.Pause = clk, pause
		c.Observer = func(e webhook.Exchange) { seen = append(seen, e) }
	}
	one, other := open(t, p.URL, edit), open(t, p.URL, edit)
	n := notice()
	n.StartBy = reference.StartWithin(clk.Now(), time.Hour)
	p.behave(porttest.Throttle)
	for _, s := range []*webhook.Sender{one, one, other} {
		_, err := s.Send(background, n)
		var refused *reference.NotAcceptedError
		if !errors.As(err, &refused) || refused.After != porttest.ThrottleAfter {
			t.Errorf("the error is %v, want not accepted for %s", err, porttest.ThrottleAfter)
		}
	}
	clk.Add(porttest.ThrottleAfter)
	if _, err := other.Send(background, n); err != nil {
		t.Error(err)
	}
	var got []string
	for _, e := range seen {
		got = append(got, fmt.Sprint(e.Class, " ", e.Status, " ", e.Paused))
	}
	want := []string{"not-accepted 429 false", "not-accepted 0 true", "not-accepted 0 true", "accepted 200 false"}
	if !slices.Equal(got, want) {
		t.Errorf("exchanges %q, want %q", got, want)
	}
	// Refused connections begin a pause, too.
	one.Close()
	p.Close()
	for range 2 {
		_, err := one.Send(background, n)
		var refused *reference.NotAcceptedError
		if !errors.As(err, &refused) || refused.After <= 0 {
			t.Errorf("the error is %v, want not accepted for a while", err)
		}
	}
	if last := seen[len(seen)-1]; !last.Paused {
		t.Errorf("the last exchange is %+v, want it paused", last)
	}
}

// TestCancelledWhileConnecting: that is no fault of the provider's, and begins no pause.
func TestCancelledWhileConnecting(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	p, pause := newProvider(t, false), webhook.NewPause(clock.New())
	s := open(t, p.URL, func(c *webhook.Config) {
		c.Pause = pause
		c.Connect.Proxy = func(*http.Request) (*url.URL, error) {
			cancel()
			return nil, nil
		}
	})
	_, err := s.Send(ctx, notice())
	if !errors.Is(err, context.Canceled) || pause.Left() > 0 || len(p.all()) > 0 {
		t.Errorf("%v, a pause of %s, accepted %v; want it cancelled, and nothing else", err, pause.Left(), p.all())
	}
}

// TestNothingIsGivenAway: no error tells a secret, or anything that a provider answered.
func TestNothingIsGivenAway(t *testing.T) {
	const contact = "+4915112345678"
	answers := []func(http.ResponseWriter, *http.Request){
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, contact, http.StatusBadRequest) },
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, contact, http.StatusBadGateway) },
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/"+contact, http.StatusFound) },
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", contact)
			http.Error(w, contact, http.StatusTooManyRequests)
		},
		func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(c, "HTTP/1.1 "+contact+"\r\n"+contact+"\r\n\r\n")
				c.Close()
			}
		},
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		nil, // nobody there
	}
	for i, answer := range answers {
		server := httptest.NewServer(http.HandlerFunc(answer))
		url := server.URL + "/path-secret?key=query-secret"
		if answer == nil {
			server.Close()
		}
		s := open(t, url, func(c *webhook.Config) { c.Authorization = "Bearer header-secret" })
		_, err := s.Send(background, notice())
		server.Close()
		if err == nil {
			t.Fatalf("answer %d: no error", i)
		}
		for _, private := range []string{"15112345678", "secret", string(secret)[6:], "Bearer"} {
			if strings.Contains(err.Error(), private) {
				t.Errorf("answer %d: the error tells %s: %v", i, private, err)
			}
		}
	}
}

func BenchmarkSend(b *testing.B) {
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"m-1"}`)
	}))
	defer p.Close()
	s, n := open(b, p.URL, keys(24*time.Hour)), notice()
	n.StartBy = reference.StartWithin(time.Now(), time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Send(background, n); err != nil {
			b.Fatal(err)
		}
	}
}

func newServer(t *testing.T, serve http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	return server
}
