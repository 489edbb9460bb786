package stub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference"
)

const bodyBytesMax = 64 << 10

// notice is what of a request is looked at.
type notice struct {
	Version   int       `json:"version"`
	Channel   string    `json:"channel"`
	LearnerID string    `json:"learner_id"`
	HoldID    string    `json:"hold_id"`
	ExpiresAt time.Time `json:"expires_at"`

	key      string
	honoured bool // it may be asked again by its key
	signed   time.Time
}

func (s *Stub) remind(w http.ResponseWriter, r *http.Request) {
	received := time.Now().UTC()
	n, err := s.read(w, r)
	if err != nil {
		s.mu.Lock()
		s.counts[Malformed]++
		s.mu.Unlock()
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	rule := s.choose(n)
	s.wait(rule.Before, rule.Wait)
	ref := ""
	if !rule.Refuse {
		if ref, err = s.accept(n, received); err != nil {
			http.Error(w, "the log can't be written", http.StatusInternalServerError)
			return
		}
	}
	s.wait(rule.After, rule.Then)
	if rule.Lose {
		panic(http.ErrAbortHandler)
	}
	answer(w, rule, ref)
}

func answer(w http.ResponseWriter, rule Rule, ref string) {
	w.Header().Set("Content-Type", "application/json")
	if rule.RetryAfter != "" {
		w.Header().Set("Retry-After", rule.RetryAfter)
	}
	status := rule.Status
	if status == 0 {
		status = http.StatusAccepted
	}
	w.WriteHeader(status)
	if ref != "" {
		_ = json.NewEncoder(w).Encode(map[string]string{"id": ref}) // who asked may be gone
	}
}

// wait waits as a rule says, whether or not the caller does.
func (s *Stub) wait(g *Gate, d Duration) {
	if g != nil {
		g.reached <- struct{}{}
		<-g.open
	}
	if d <= 0 {
		return
	}
	s.mu.Lock()
	released := s.release
	s.mu.Unlock()
	timer := time.NewTimer(time.Duration(d))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-released:
	}
}

// read reads a request and holds it to the contract.
func (s *Stub) read(w http.ResponseWriter, r *http.Request) (notice, error) {
	var n notice
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	if err != nil {
		return n, errors.New("the body can't be read")
	}
	if err := s.verifier.Verify(body, r.Header); err != nil {
		return n, fmt.Errorf("signature: %w", err)
	}
	if err := json.Unmarshal(body, &n); err != nil {
		return n, errors.New("the body is not JSON")
	}
	n.key = r.Header.Get(standardwebhooks.HeaderWebhookID)
	seconds, err := strconv.ParseInt(r.Header.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	n.signed = time.Unix(seconds, 0).UTC()
	of := reference.Reminder{
		Window: reference.Window{Hold: reference.HoldID(n.HoldID), ExpiresAt: n.ExpiresAt}, Channel: reference.Channel(n.Channel),
	}
	again := r.Header.Get("Idempotency-Key")
	n.honoured = again != "" && s.config.KeyHorizon > 0
	switch {
	case err != nil:
		return n, errors.New("webhook-timestamp is no time")
	case n.Version != 1 || n.LearnerID == "":
		return n, fmt.Errorf("version %d of the request is not 1, or it has no learner", n.Version)
	case n.key != of.Key():
		return n, fmt.Errorf("webhook-id %s is not the key of %s", n.key, of)
	case again != "" && again != n.key:
		return n, errors.New("the idempotency key is not the reminder's")
	}
	return n, nil
}

// accept puts an acceptance on record and names it. One whose key is remembered is none.
func (s *Stub) accept(n notice, received time.Time) (ref string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now().UTC()
	if had, found := s.keys[n.key]; n.honoured && found && now.Before(had.until) {
		s.counts["asked again"]++
		return had.ref, nil
	}
	a := Acceptance{
		Key: n.key, Channel: n.Channel, HoldID: n.HoldID, ExpiresAt: n.ExpiresAt.UTC(), Ref: fmt.Sprintf("stub-%d", len(s.accepted)+1),
		SignedAt: n.signed, ReceivedAt: received, AcceptedAt: now,
	}
	if s.config.Log != nil {
		line, err := json.Marshal(a)
		if err == nil {
			_, err = s.config.Log.Write(append(line, '\n'))
		}
		if err != nil {
			s.faulty = fmt.Errorf("write the log: %w", err)
			return "", s.faulty
		}
	}
	s.accepted = append(s.accepted, a)
	if n.honoured {
		s.keys[n.key] = remembered{a.Ref, now.Add(s.config.KeyHorizon)}
	}
	return a.Ref, nil
}
