package httpbroker_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference/porttest"
	"github.com/seathold/seathold/reference/restqueue"
	"github.com/seathold/seathold/sim/broker"
	"github.com/seathold/seathold/sim/httpbroker"
)

var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// serve serves a broker with that much dedup, in the time of the clock given.
func serve(t testing.TB, clk clock.Clock, dedup time.Duration, lines ...string) *httptest.Server {
	t.Helper()
	c := httpbroker.Config{
		Profile: broker.Profile{Dedup: dedup, Retention: 30 * 24 * time.Hour, Visibility: 30 * time.Second, MaxReceives: 3},
		Token:   "t", Start: start, Clock: clk, Waiter: advancing{clk},
	}
	for _, line := range lines {
		f, err := faults.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		c.Faults = append(c.Faults, f)
	}
	s := httptest.NewServer(httpbroker.New(c))
	t.Cleanup(s.Close)
	return s
}

// connect makes an adapter.
func connect(t testing.TB, url string, edit func(*restqueue.Config)) *restqueue.Queue {
	t.Helper()
	c := restqueue.Config{URL: url, Queue: "seat-holds", Token: "t"}
	if edit != nil {
		edit(&c)
	}
	q, err := restqueue.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// TestRestQueue: the adapter passes the suite of queues, over HTTP.
func TestRestQueue(t *testing.T) {
	for _, c := range []struct {
		name  string
		dedup time.Duration
		edit  func(*restqueue.Config)
	}{
		{"standard", 24 * time.Hour, nil},
		{"fifo", 5 * time.Minute, nil},
		{"without-keys", 0, nil},
		{"payloads-as-text", 24 * time.Hour, func(c *restqueue.Config) { c.PayloadAsText = true }},
		{"other-names", 24 * time.Hour, func(c *restqueue.Config) {
			c.Fields = restqueue.Fields{Max: "max_messages", Visibility: "visibility_timeout"}
			c.Visibility = 30 * time.Second
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			porttest.TestQueue(t, func(t *testing.T) porttest.Queue {
				clk := clock.NewMock()
				clk.Set(start)
				q := connect(t, serve(t, clk, c.dedup).URL, c.edit)
				return porttest.Queue{
					Publisher: q, Consumer: q, Advance: func(d time.Duration) { clk.Add(d) },
					Traits: porttest.Traits{
						KeyMemory: c.dedup, Ordered: true, LateAck: true, Visibility: 30 * time.Second, MaxReceives: 3,
					},
				}
			})
		})
	}
}

// TestCoreWithoutHTTP: the simulator itself needs no net/http.
func TestCoreWithoutHTTP(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "github.com/seathold/seathold/sim")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(out)) {
		if strings.TrimSpace(dep) == "net/http" {
			t.Error("package sim depends on net/http: what needs it belongs into a package of its own")
		}
	}
}
