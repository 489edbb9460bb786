package restqueue_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference/restqueue"
	"github.com/seathold/seathold/reference/webhook/once"
)

var (
	background             = context.Background()
	start                  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	token      once.Secret = "tell-no-one"
)

// call is a request that a service has had.
type call struct {
	path, token, key string
	fields           map[string]any
}

// service answers as it is told, one answer a call, the last of them for ever.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	answers []http.HandlerFunc
	calls   []call
}

func newService(t testing.TB, answers ...http.HandlerFunc) *service {
	s := &service{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c := call{path: r.URL.Path, token: r.Header.Get("Authorization"), key: r.Header.Get("Idempotency-Key")}
	if err != nil || json.Unmarshal(body, &c.fields) != nil {
		http.Error(w, "no JSON", http.StatusTeapot)
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	answer(w, r)
}

func (s *service) had() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]call(nil), s.calls...)
}

// says answers a status and a body.
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func closes(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

var published = says(200, `{"ok":true,"data":{"message_id":"m-1"}}`)

// hand is a waiter that turns a clock on, and writes down how long it was asked to wait.
type hand struct {
	clk   *clock.Mock
	waits []time.Duration
	then  func()
}

func (h *hand) Wait(ctx context.Context, d time.Duration) error {
	h.waits = append(h.waits, d)
	h.clk.Add(d)
	if h.then != nil {
		h.then()
	}
	return ctx.Err()
}

func open(t testing.TB, s *service, edit func(*restqueue.Config)) (*restqueue.Queue, *hand) {
	t.Helper()
	h := &hand{clk: clock.NewMock()}
	h.clk.Set(start)
	c := restqueue.Config{URL: s.URL, Queue: "seat-holds", Token: token, Clock: h.clk, Waiter: h}
	if edit != nil {
		edit(&c)
	}
	q, err := restqueue.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q, h
}
