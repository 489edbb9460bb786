package httpbroker

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/sim/broker"
)

// Config is how a Server behaves.
type Config struct {
	// Profile is the broker's. Strict means nothing here: an ack doesn't say whose it is.
	Profile broker.Profile
	// Token is the only bearer token that is let in; any if it is empty.
	Token string
	// Faults are those for which Reason is empty; others never strike. Start is what their times
	// count from.
	Faults []faults.Fault
	Start  time.Time
	// Clock and Waiter are the real ones if nil.
	Clock  clock.Clock
	Waiter reference.Waiter
	// Log hears of what faults strike; it may be nil.
	Log func(string)
}

// Limits on what the server keeps.
const (
	bodyBytesMax = 2 << 20 // of a request: a payload, escaped
	queuesMax    = 100
	messagesMax  = 1_000_000
)

// Server is an http.Handler.
type Server struct {
	config Config
	began  time.Time
	mux    *http.ServeMux

	mu     sync.Mutex
	queues map[string]*queue
	armed  []*faults.Armed
	lost   int
}

// New makes a Server without queues.
func New(c Config) *Server {
	if c.Clock == nil {
		c.Clock = clock.New()
	}
	if c.Waiter == nil {
		c.Waiter = process.ClockWaiter{Clock: c.Clock}
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	c.Profile.Strict = false
	s := &Server{config: c, began: c.Clock.Now(), mux: http.NewServeMux(), queues: map[string]*queue{}}
	for _, f := range c.Faults {
		s.armed = append(s.armed, f.Armed(c.Start))
	}
	s.mux.HandleFunc("/v1/queue/publish", s.publish)
	s.mux.HandleFunc("/v1/queue/consume", s.consume)
	s.mux.HandleFunc("/v1/queue/ack", s.ack)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "there are /v1/queue/publish, /v1/queue/consume and /v1/queue/ack")
	})
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// read lets a request in and decodes it.
func (s *Server) read(w http.ResponseWriter, r *http.Request, into any) bool {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "it is a POST")
		return false
	case !bearer || token == "" || s.config.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(s.config.Token)) == 0:
		refuse(w, http.StatusUnauthorized, "Authorization: Bearer and a token are needed")
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", bodyBytesMax))
		return false
	case err != nil:
		panic(http.ErrAbortHandler) // whoever asked is gone
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("there is something after the object")
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return false
	}
	return true
}

// refusal is an answer other than success.
type refusal struct {
	status int
	msg    string
}

func (r refusal) Error() string { return r.msg }

// do makes one call: faults strike before, in and after it, and its effect is had by one at a time.
// The effect asks for those in and after it by itself, for it knows the messages.
func (s *Server) do(w http.ResponseWriter, r *http.Request, m faults.Moment, effect func() (in hit, data []byte, err error)) {
	s.mu.Lock()
	before := s.strike(m, faults.Before)
	s.mu.Unlock()
	s.delay(r, before.Delay)
	switch {
	case before.down:
		panic(http.ErrAbortHandler)
	case before.Err != nil:
		refuse(w, http.StatusInternalServerError, before.Err.Error())
		return
	}
	s.mu.Lock()
	in, data, err := effect()
	s.mu.Unlock()
	s.delay(r, in.Delay)
	var refused refusal
	switch {
	case in.Err != nil:
		panic(http.ErrAbortHandler)
	case errors.As(err, &refused):
		refuse(w, refused.status, refused.msg)
	case err != nil:
		refuse(w, http.StatusInternalServerError, err.Error())
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(fmt.Appendf(nil, `{"ok":true,"data":%s}`, data))
	}
}

// delay keeps a call waiting, or gives it up when whoever asked is gone.
func (s *Server) delay(r *http.Request, d time.Duration) {
	if d > 0 && s.config.Waiter.Wait(r.Context(), d) != nil {
		panic(http.ErrAbortHandler)
	}
}

func refuse(w http.ResponseWriter, status int, msg string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(fmt.Appendf(nil, `{"ok":false,"error":%s}`, quoted(msg)))
}

func quoted(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("encode %q: %v", text, err))
	}
	return out
}
