package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seathold/seathold/reference/settings/programtest"
)

// service is a hosted queue, as small as it can be: it remembers keys, hides messages for a second,
// and can want payment.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	keys     map[string]string
	messages map[string]json.RawMessage
	hidden   map[string]time.Time
	unpaid   bool
}

func newService(t *testing.T) *service {
	s := &service{keys: map[string]string{}, messages: map[string]json.RawMessage{}, hidden: map[string]time.Time{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Queue, MessageID string
		ID               string `json:"message_id"`
		Payload          json.RawMessage
		Most             int `json:"max_messages"`
	}
	err := json.NewDecoder(r.Body).Decode(&call)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil || call.Queue != "holds" || r.Header.Get("Authorization") != "Bearer hosted-token":
		http.Error(w, "no", http.StatusBadRequest)
	case s.unpaid:
		http.Error(w, "pay", http.StatusPaymentRequired)
	case r.URL.Path == "/v1/queue/publish":
		key := r.Header.Get("Idempotency-Key")
		if s.keys[key] == "" {
			s.keys[key] = fmt.Sprintf("m%d", len(s.keys)+1)
			s.messages[s.keys[key]] = call.Payload
		}
		fmt.Fprintf(w, `{"ok":true,"data":{"message_id":%q}}`, s.keys[key])
	case r.URL.Path == "/v1/queue/ack":
		delete(s.messages, call.ID)
		fmt.Fprint(w, `{"ok":true}`)
	default:
		for id, payload := range s.messages {
			if time.Since(s.hidden[id]) > time.Second && call.Most == 1 {
				s.hidden[id] = time.Now()
				fmt.Fprintf(w, `{"ok":true,"data":{"messages":[{"message_id":%q,"payload":%s}]}}`, id, payload)
				return
			}
		}
		fmt.Fprint(w, `{"ok":true,"data":{"messages":[]}}`)
	}
}

func (s *service) pay(paid bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unpaid = !paid
}

func (s *service) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.messages)
}

// TestHostedQueue runs the whole path over a hosted queue, by settings alone, and then doesn't pay.
func TestHostedQueue(t *testing.T) {
	d, provider, hosted := programtest.Migrated(t), newProvider(t, nil), newService(t)
	queue := []string{
		"SEATHOLD_QUEUE=rest", "SEATHOLD_QUEUE_URL=" + hosted.URL, "SEATHOLD_QUEUE_NAME=holds", "SEATHOLD_QUEUE_TOKEN=hosted-token",
		"SEATHOLD_QUEUE_FIELDS=max=max_messages", "SEATHOLD_QUEUE_PROBE=100ms",
	}
	w, over := d.Hold(t, "h1", time.Minute), d.Hold(t, "over", -time.Second)
	sweep(t, d, queue...)
	p := working(t, environment(d, provider, append(queue, "SEATHOLD_QUEUE_POLL=20ms")...))
	outcomes(t, d, w, "email=sent sms=sent")
	outcomes(t, d, over, "email=dropped(missed) sms=dropped(missed)")
	programtest.Eventually(t, func() error {
		if n := hosted.left(); n > 0 {
			return fmt.Errorf("%d messages are left", n)
		}
		return nil
	})
	hosted.pay(false)
	p.Await(1, programtest.Line{"msg": "queue.stopped", "level": "ERROR"})
	stopped := func(want string) {
		t.Helper()
		programtest.Eventually(t, func() error {
			if _, page := programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics"); !strings.Contains(page, "seathold_queue_stopped "+want+"\n") {
				return errors.New("seathold_queue_stopped is not " + want)
			}
			return nil
		})
	}
	stopped("1")
	hosted.pay(true)
	stopped("0")
	if log := p.Stderr(); strings.Contains(log, "hosted-token") {
		t.Errorf("the log shows the token:\n%s", log)
	}
}
