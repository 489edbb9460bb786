package stub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"

func serve(t *testing.T, c stub.Config) (*stub.Stub, string) {
	t.Helper()
	c.Secret = secret
	s, err := stub.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server, err := stub.Serve(s, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Down)
	return s, server.URL()
}

var hold = reference.Reminder{
	Window:  reference.Window{Hold: "h1", ExpiresAt: time.Date(2026, 3, 2, 12, 10, 0, 0, time.UTC)},
	Channel: reference.Email,
}

func send(t *testing.T, url string, keys time.Duration, key once.Secret) (reference.Receipt, error) {
	t.Helper()
	s, err := webhook.New(webhook.Config{URL: url, Secrets: []once.Secret{key}, KeyHorizon: keys, RefField: "id"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Send(context.Background(), reference.Notice{
		Reminder: hold, Attempt: "a1", Learner: "l1", Section: "s1", Zone: "UTC",
		StartBy: reference.StartWithin(time.Now(), time.Minute), Timeout: 5 * time.Second,
	})
}

func TestAcceptsAndLogs(t *testing.T) {
	var log bytes.Buffer
	s, url := serve(t, stub.Config{Log: &log})
	receipt, err := send(t, url, 0, secret)
	if err != nil || receipt.Ref != "stub-1" {
		t.Errorf("receipt %+v, %v; want stub-1", receipt, err)
	}
	var a stub.Acceptance
	if err := json.Unmarshal(log.Bytes(), &a); err != nil || a.Reminder() != hold || a.Key != hold.Key() || a.Ref != "stub-1" {
		t.Errorf("the log has %s (%v), want %s as stub-1", log.String(), err, hold)
	}
	if got := s.Accepted(); len(got) != 1 || got[0] != a {
		t.Errorf("accepted %+v, want %+v", got, a)
	}
}

func TestKeys(t *testing.T) {
	for name, c := range map[string]struct {
		theirs, ours time.Duration
		accepted     int
	}{
		"honoured":     {time.Minute, time.Minute, 1},
		"not-honoured": {0, time.Minute, 2},
		"not-sent":     {time.Minute, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s, url := serve(t, stub.Config{KeyHorizon: c.theirs})
			for range 2 {
				if _, err := send(t, url, c.ours, secret); err != nil {
					t.Fatal(err)
				}
			}
			if got := len(s.Accepted()); got != c.accepted {
				t.Errorf("accepted %d, want %d", got, c.accepted)
			}
		})
	}
}

func TestOtherSecretIsRefused(t *testing.T) {
	s, url := serve(t, stub.Config{})
	_, err := send(t, url, 0, "whsec_bm90IHRoZSBzZWNyZXQgdGhhdCBpdCBrbm93cw==")
	if !errors.Is(err, reference.ErrRejected) || len(s.Accepted()) != 0 || s.Counts()[stub.Malformed] != 1 {
		t.Errorf("%v, accepted %d; want it to be rejected and counted", err, len(s.Accepted()))
	}
}

func TestRulesByControl(t *testing.T) {
	s, url := serve(t, stub.Config{})
	put := func(rules string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url+"/stub/rules", strings.NewReader(rules))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	for _, bad := range []string{`{}`, `[{"share":2}]`, `[{"wait":"soon"}]`, `[{"status":99}]`, `[{"sleep":"1s"}]`} {
		if status, text := put(bad); status != http.StatusBadRequest || !strings.HasPrefix(text, "rules: ") {
			t.Errorf("%s: status %d, %q; want 400 and why", bad, status, text)
		}
	}
	if status, text := put(`[{"name":"busy","times":1,"refuse":true,"status":429,"retry_after":"7"},{"channel":"email","lose":true,"wait":"1ms"}]`); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	var refused *reference.NotAcceptedError
	if _, err := send(t, url, 0, secret); !errors.As(err, &refused) || refused.After != 7*time.Second || len(s.Accepted()) != 0 {
		t.Errorf("%v, accepted %d; want not accepted for 7s", err, len(s.Accepted()))
	}
	if _, err := send(t, url, 0, secret); err == nil || errors.As(err, &refused) || len(s.Accepted()) != 1 {
		t.Errorf("%v, accepted %d; want that nobody knows, and one accepted", err, len(s.Accepted()))
	}
	if got := s.Counts(); got["busy"] != 1 || got["rule-2"] != 1 {
		t.Errorf("counts are %v", got)
	}
}
