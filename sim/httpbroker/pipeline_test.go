package httpbroker_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
	"github.com/seathold/seathold/reference/process"
	"github.com/seathold/seathold/reference/restqueue"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

// accepting is a provider that accepts everything.
type accepting struct {
	mu       sync.Mutex
	accepted []string
}

func (p *accepting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted = append(p.accepted, r.Header.Get("Webhook-Id"))
	fmt.Fprintf(w, `{"id":"p-%d"}`, len(p.accepted))
}

// TestPipeline: the pipeline over both adapters, with a message lost, one delivered twice and an ack
// that fails. One email and one SMS, and the queue is empty in the end.
func TestPipeline(t *testing.T) {
	clk := clock.NewMock()
	clk.Set(start)
	hold := reference.Hold{
		ID: "h1", Learner: "l1", Section: "s1", ExpiresAt: start.Add(2 * time.Minute), Zone: "Europe/Berlin",
		State: reference.Held, Channels: reference.Channels,
	}
	store := memory.NewStore(clk.Now)
	if err := store.Load([]reference.Hold{hold}, nil); err != nil {
		t.Fatal(err)
	}
	provider := &accepting{}
	endpoint := httptest.NewServer(provider)
	defer endpoint.Close()
	sender, err := webhook.New(webhook.Config{
		URL: endpoint.URL, Secrets: []once.Secret{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, RefField: "id", Clock: clk,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	url := serve(t, clk, time.Hour, "lose in=publish", "duplicate after=publish", "error worker before=ack").URL
	queue := connect(t, url, func(c *restqueue.Config) { c.Clock, c.Waiter = clk, advancing{clk} })
	policy := reference.DefaultPolicy()
	sweeper := reference.Sweeper{Store: store, Queue: queue, Clock: clk, Tokens: process.RandomTokens{}, Policy: policy}
	worker := reference.Worker{
		Store: store, Queue: queue, Clock: clk, Waiter: advancing{clk}, Tokens: process.RandomTokens{}, Policy: policy,
		Routes: []reference.Route{{Channel: reference.Email, Sender: sender}, {Channel: reference.SMS, Sender: sender}},
	}
	handled := 0
	for range 6 { // three minutes
		if _, err := sweeper.Run(background); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			deliveries, err := queue.Receive(background, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range deliveries {
				worker.Handle(background, d)
				handled++
			}
		}
		clk.Add(30 * time.Second)
	}
	holds, rows := store.Snapshot()
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s %s %s", r.Channel, r.Outcome, r.ProviderRef))
	}
	if d := cmp.Diff([]string{"email sent p-1", "sms sent p-2"}, got); d != "" || holds[0].State != reference.Expired {
		t.Errorf("the hold is %s, and its reminders (-want +got):\n%s", holds[0].State, d)
	}
	want := []string{reference.Reminder{Window: hold.Window(), Channel: reference.Email}.Key(), reference.Reminder{Window: hold.Window(), Channel: reference.SMS}.Key()}
	if !slices.Equal(provider.accepted, want) {
		t.Errorf("accepted %s, want each once: %s", strings.Join(provider.accepted, ", "), want)
	}
	if handled < 4 {
		t.Errorf("%d deliveries, want the duplicate and the one whose ack failed among them", handled)
	}
}
