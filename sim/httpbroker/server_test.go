package httpbroker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/httpbroker"
)

var background = context.Background()

// advancing lets time pass at once.
type advancing struct{ clk clock.Clock }

func (w advancing) Wait(ctx context.Context, d time.Duration) error {
	if m, ok := w.clk.(*clock.Mock); ok {
		m.Add(d)
	}
	return ctx.Err()
}

func TestRefusals(t *testing.T) {
	url := serve(t, clock.New(), time.Hour).URL
	for _, c := range []struct {
		name, method, path, token, body string
		status                          int
		says                            string
	}{
		{"other-path", "POST", "/v1/queue/peek", "t", `{}`, 404, "/v1/queue/consume"},
		{"other-method", "GET", "/v1/queue/consume", "t", ``, 405, "POST"},
		{"no-token", "POST", "/v1/queue/consume", "", `{"queue":"q"}`, 401, "Bearer"},
		{"other-token", "POST", "/v1/queue/consume", "u", `{"queue":"q"}`, 401, "Bearer"},
		{"no-json", "POST", "/v1/queue/consume", "t", `queue=q`, 400, "invalid character"},
		{"cut-off", "POST", "/v1/queue/consume", "t", `{"queue":"q"`, 400, "EOF"},
		{"two-objects", "POST", "/v1/queue/consume", "t", `{"queue":"q"}{}`, 400, "after the object"},
		{"misspelt", "POST", "/v1/queue/consume", "t", `{"queue":"q","mux":1}`, 400, "mux"},
		{"no-queue", "POST", "/v1/queue/consume", "t", `{}`, 400, "queue is missing"},
		{"too-many", "POST", "/v1/queue/consume", "t", `{"queue":"q","max":101}`, 400, "1 to 100"},
		{"no-payload", "POST", "/v1/queue/publish", "t", `{"queue":"q"}`, 400, "payload is missing"},
		{"no-queue-to-publish", "POST", "/v1/queue/publish", "t", `{"payload":1}`, 400, "queue is missing"},
		{"half-a-second", "POST", "/v1/queue/publish", "t", `{"queue":"q","payload":1,"delay_seconds":0.5}`, 400, "delay_seconds"},
		{"eight-days", "POST", "/v1/queue/publish", "t", `{"queue":"q","payload":1,"delay_seconds":691200}`, 400, "delay_seconds"},
		{"ages", "POST", "/v1/queue/publish", "t", `{"queue":"q","payload":1,"delay_seconds":9223372036854775807}`, 400, "delay_seconds"},
		{"large-payload", "POST", "/v1/queue/publish", "t", `{"queue":"q","payload":"` + strings.Repeat("x", 256<<10) + `"}`, 400, "262144 bytes"},
		{"huge-body", "POST", "/v1/queue/publish", "t", `{"queue":"q","payload":"` + strings.Repeat("x", 3<<20) + `"}`, 413, "more than"},
		{"no-id", "POST", "/v1/queue/ack", "t", `{"queue":"q"}`, 400, "message_id is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := post(t, c.method, url+c.path, c.token, c.body)
			if status != c.status || !strings.Contains(body, `"ok":false`) || !strings.Contains(body, c.says) {
				t.Errorf("%d %s, want %d and %q", status, body, c.status, c.says)
			}
		})
	}
	for i := range 200 {
		if status, _ := post(t, "POST", url+"/v1/queue/consume", "t", fmt.Sprintf(`{"queue":"q%d"}`, i)); status == http.StatusInsufficientStorage {
			return
		}
	}
	t.Error("there is no limit on queues")
}

func post(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestFaults makes the same calls under each fault: publish h1 and h2; 30s later consume, ack the
// first message, and consume at once; and consume 30s after that.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"slow queue by=1s", "ok ok [h1 h2] ok [] [h2] in 1m6s"},
		{"slow worker in=ack by=1s", "ok ok [h1 h2] ok [] [h2] in 1m1s"},
		{"lose in=publish on=h2", "ok ok [h1] ok [] [] in 1m0s"},
		{"delay in=publish by=1m", "ok ok [h2] ok [] [h2] in 1m0s"},
		{"poison in=publish on=h2", "ok ok [h1 ?] ok [] [?] in 1m0s"},
		{"duplicate after=publish on=h2", "ok ok [h1 h2 h2] ok [] [h2 h2] in 1m0s"},
		{"duplicate after=publish on=h2 by=1m", "ok ok [h1 h2] ok [] [h2 h2] in 1m0s"},
		{"duplicate after=receive on=h2", "ok ok [h1 h2] ok [h2] [h2] in 1m0s"},
		{"error before=publish nth=2", "ok error [h1] ok [] [] in 1m0s"},
		{"error before=receive", "ok ok error ok [h2] [h2] in 1m0s"},
		{"error worker before=ack on=h1", "ok ok [h1 h2] error [] [h1 h2] in 1m0s"},
		{"error worker before=ack on=h2", "ok ok [h1 h2] ok [] [h2] in 1m0s"},
		{"ambiguous in=publish", "error ok [h1 h2] ok [] [h2] in 1m0s"},
		{"ambiguous in=receive on=h1", "ok ok error ok [] [h2] in 1m0s"},
		{"ambiguous in=ack", "ok ok [h1 h2] error [] [h2] in 1m0s"},
		{"outage queue from=+10s until=+1m", "ok ok error error error [h1 h2] in 1m0s"},
		{"outage queue from=+0s until=+1h nodes=sweep", "error error [] ok [] [] in 1m0s"},
	} {
		t.Run(c.line, func(t *testing.T) {
			clk := clock.NewMock()
			clk.Set(start.AddDate(0, 1, 0)) // faults count from the server's start
			url, began := serve(t, clk, time.Hour, c.line).URL, clk.Now()
			got := []string{said(publish(t, url, "h1")), said(publish(t, url, "h2"))}
			clk.Add(30 * time.Second)
			got = append(got, consume(t, url), said(connect(t, url, nil).Ack(background, reference.Delivery{MessageID: "1"})), consume(t, url))
			clk.Add(30 * time.Second)
			got = append(got, consume(t, url), "in", clk.Since(began).String())
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func said(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}

func publish(t *testing.T, url string, hold reference.HoldID) error {
	t.Helper()
	payload, err := reference.Message{Kind: reference.Remind, Window: reference.Window{Hold: hold, ExpiresAt: start}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	results, err := connect(t, url, nil).Publish(background, []reference.Entry{{Payload: payload}})
	if err != nil {
		t.Fatal(err)
	}
	return results[0].Err
}

// consume says on which holds the messages are that can be had, if they can be read.
func consume(t *testing.T, url string) string {
	t.Helper()
	got, err := connect(t, url, nil).Receive(background, 10, 0)
	if err != nil {
		return "error"
	}
	holds := []string{}
	for _, d := range got {
		name := "?"
		if m, err := reference.DecodeMessage(d.Payload); err == nil {
			name = string(m.Window.Hold)
		}
		holds = append(holds, name)
	}
	return fmt.Sprint(holds)
}

func TestReason(t *testing.T) {
	for _, c := range []struct{ line, says string }{
		{"lose in=publish", ""}, {"slow queue by=1s", ""}, {"slow worker by=1s", ""}, {"error worker before=ack", ""},
		{"outage queue from=+1s until=+2s", ""}, {"outage queue from=+1s until=+2s nodes=(worker, sweep)", ""},
		{"crash worker after=receive", "crash is not done by a queue"},
		{"slow store by=1s", "store"}, {"slow w1 by=1s", "w1"}, {"outage store from=+1s until=+2s", "store"},
		{"error worker before=claim", "claim is no call"}, {"ambiguous worker in=nack", "no nack"},
		{"outage queue from=+1s until=+2s nodes=(w1)", "nodes have no names"}, {"slow sweep at=+1s by=1s", "sweeps have no names"},
	} {
		t.Run(c.line, func(t *testing.T) {
			f, err := faults.ParseLine(c.line)
			if err != nil {
				t.Fatal(err)
			}
			if got := httpbroker.Reason(f); !strings.Contains(got, c.says) || (got == "") != (c.says == "") {
				t.Errorf("%q, want it to say %q", got, c.says)
			}
		})
	}
}

// TestGivenUp: a call that a fault delays ends when whoever asked is gone.
func TestGivenUp(t *testing.T) {
	s := httpbroker.New(httpbroker.Config{Faults: []faults.Fault{{Kind: faults.Slow, Who: "queue", By: time.Hour}}, Start: start})
	ctx, cancel := context.WithCancel(background)
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/queue/consume", strings.NewReader(`{"queue":"q"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer t")
	defer func() {
		if p, ok := recover().(error); !ok || !errors.Is(p, http.ErrAbortHandler) {
			t.Errorf("it came to %v, want the connection closed", p)
		}
	}()
	s.ServeHTTP(httptest.NewRecorder(), req)
}
