package stub

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference"
)

// Config is how a Stub is made.
type Config struct {
	// Secret is what requests are signed by: whsec_ and base64.
	Secret string
	// Log is where acceptances are written to, one line each by one Write; nil is nowhere.
	Log io.Writer
	// KeyHorizon is how long an Idempotency-Key is remembered; zero is that none is honoured.
	KeyHorizon time.Duration
	// Seed is what chance goes by.
	Seed uint64
}

// Acceptance is one reminder that was accepted.
type Acceptance struct {
	Key       string    `json:"key"`
	Channel   string    `json:"channel"`
	HoldID    string    `json:"hold_id"`
	ExpiresAt time.Time `json:"expires_at"`
	Ref       string    `json:"ref"`
	// SignedAt is what the request says of itself, in whole seconds; ReceivedAt is when it was here.
	SignedAt   time.Time `json:"signed_at"`
	ReceivedAt time.Time `json:"received_at"`
	AcceptedAt time.Time `json:"accepted_at"`
}

// Reminder is what it is about.
func (a Acceptance) Reminder() reference.Reminder {
	return reference.Reminder{
		Window:  reference.Window{Hold: reference.HoldID(a.HoldID), ExpiresAt: a.ExpiresAt.UTC()},
		Channel: reference.Channel(a.Channel),
	}
}

// Malformed is the count of requests that broke the contract, in Counts.
const Malformed = "malformed"

// Stub is a provider. It implements http.Handler.
type Stub struct {
	config   Config
	verifier *standardwebhooks.Webhook
	mux      *http.ServeMux

	mu       sync.Mutex
	chance   *rand.Rand
	rules    []Rule
	left     []int // of each rule's Times
	counts   map[string]int
	accepted []Acceptance
	keys     map[string]remembered
	release  chan struct{}
	faulty   error // why the log can't be written
}

type remembered struct {
	ref   string
	until time.Time
}

// New makes a provider that accepts everything.
func New(c Config) (*Stub, error) {
	verifier, err := standardwebhooks.NewWebhook(c.Secret)
	if err != nil {
		return nil, fmt.Errorf("secret: it is whsec_ and base64: %w", err)
	}
	s := &Stub{
		config: c, verifier: verifier, mux: http.NewServeMux(), chance: rand.New(rand.NewPCG(c.Seed, 0x5eed)),
		counts: map[string]int{}, keys: map[string]remembered{}, release: make(chan struct{}),
	}
	s.mux.HandleFunc("POST /", s.remind)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	s.mux.HandleFunc("GET /stub/rules", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Rules()) })
	s.mux.HandleFunc("PUT /stub/rules", s.putRules)
	s.mux.HandleFunc("POST /stub/release", func(http.ResponseWriter, *http.Request) { s.Release() })
	s.mux.HandleFunc("GET /stub/counts", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Counts()) })
	s.mux.HandleFunc("GET /stub/accepted", func(w http.ResponseWriter, _ *http.Request) {
		lines := json.NewEncoder(w)
		for _, a := range s.Accepted() {
			_ = lines.Encode(a) // who asked may be gone
		}
	})
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Follow replaces the rules. The first that is for a request is followed.
func (s *Stub) Follow(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules, s.left = slices.Clone(rules), make([]int, len(rules))
	for i, r := range rules {
		s.left[i] = r.Times
	}
}

// Rules are the rules that are followed.
func (s *Stub) Rules() []Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Rule{}, s.rules...)
}

// Release ends all waits that are on. It opens no Gate.
func (s *Stub) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.release)
	s.release = make(chan struct{})
}

// Accepted is what was accepted so far, in order.
func (s *Stub) Accepted() []Acceptance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.accepted)
}

// Counts says how many requests were answered by which rule.
func (s *Stub) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

// Err says why the log couldn't be written, if it couldn't.
func (s *Stub) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faulty
}

func (s *Stub) putRules(w http.ResponseWriter, r *http.Request) {
	var rules []Rule
	strict := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	strict.DisallowUnknownFields()
	err := strict.Decode(&rules)
	for _, rule := range rules {
		if err == nil {
			err = rule.Check()
		}
	}
	if err != nil {
		http.Error(w, "rules: "+err.Error(), http.StatusBadRequest)
		return
	}
	s.Follow(rules...)
	writeJSON(w, rules)
}

func writeJSON(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what) // who asked may be gone
}

// choose picks the rule for n, and counts it.
func (s *Stub) choose(n notice) Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range s.rules {
		switch {
		case !r.matches(n), r.Times > 0 && s.left[i] == 0, r.Share > 0 && s.chance.Float64() >= r.Share:
			continue
		}
		s.left[i]--
		if r.Name == "" {
			r.Name = "rule-" + strconv.Itoa(i+1)
		}
		s.counts[r.Name]++
		return r
	}
	s.counts[usual]++
	return Rule{Name: usual}
}
