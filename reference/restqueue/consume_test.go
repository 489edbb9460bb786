package restqueue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/restqueue"
)

var (
	nothing = says(200, `{"ok":true,"data":{"messages":[]}}`)
	message = says(200, `{"ok":true,"data":{"messages":[{"message_id":"m-1","payload":{"v": 1}}]}}`)
)

func TestConsumeAnswers(t *testing.T) {
	list := func(messages string) http.HandlerFunc {
		return says(200, `{"ok":true,"data":{"messages":`+messages+`}}`)
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string // id receives payload, a message each
		is     error
	}{
		{"one", message, `m-1 0 {"v": 1};`, nil},
		{"none", nothing, "", nil},
		{"no-list", says(200, `{"ok":true,"data":{}}`), "", nil},
		{"null-for-a-list", list(`null`), "", nil},
		{"no-content", says(204, ""), "", nil},
		{"received-before", list(`[{"message_id":"m-1","payload":{},"receives":3}]`), "m-1 3 {};", nil},
		{"odd-receives", list(`[{"message_id":"m-1","payload":{},"receives":"three"}]`), "m-1 0 {};", nil},
		{"payload-as-text", list(`[{"message_id":"m-1","payload":"{\"v\": 1}"}]`), `m-1 0 {"v": 1};`, nil},
		{"payload-as-bytes", list(`[{"message_id":"m-1","payload":"base64:AAH/"}]`), "m-1 0 \x00\x01\xff;", nil},
		{"payload-that-begins-like-bytes", list(`[{"message_id":"m-1","payload":"base64:?"}]`), "m-1 0 base64:?;", nil},
		{"no-payload", list(`[{"message_id":"m-1"}]`), "m-1 0 ;", nil},
		{"more-than-asked-for", list(`[{"message_id":"m-1"},{"message_id":"m-2"},{"message_id":"m-3"}]`), "m-1 0 ;m-2 0 ;", nil},
		{"one-of-two-without-id", list(`[{"payload":"tell-no-one"},{"message_id":"m-2"}]`), "m-2 0 ;", nil},
		{"only-one-without-id", list(`[{"payload":"tell-no-one"}]`), "", restqueue.ErrBadAnswer},
		{"no-message", list(`["tell-no-one"]`), "", restqueue.ErrBadAnswer},
		{"list-that-is-none", list(`"tell-no-one"`), "", restqueue.ErrBadAnswer},
		{"ok-false", says(200, `{"ok":false}`), "", restqueue.ErrRefused},
		{"huge", list(`[{"message_id":"m-1","payload":"` + strings.Repeat("x", 4<<20) + `"}]`), "", restqueue.ErrBadAnswer},
		{"as-large-as-can-be", list(`[{"message_id":"m-1","payload":"` + strings.Repeat(`\u0000`, 256<<10-1) + `"}]`), "m-1 0 " + strings.Repeat("\x00", 256<<10-1) + ";", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := open(t, newService(t, c.answer), nil)
			deliveries, err := q.Receive(background, 2, 0)
			got := ""
			for _, d := range deliveries {
				got += fmt.Sprintf("%s %d %s;", d.MessageID, d.Receives, d.Payload)
			}
			if got != c.want || !errors.Is(err, c.is) {
				t.Errorf("%.100q, %v; want %.100q, %v", got, err, c.want, c.is)
			}
			if err != nil && strings.Contains(err.Error(), "tell-no-one") {
				t.Errorf("the error gives something away: %v", err)
			}
		})
	}
}

func TestReceiveWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	const poll = 2 * time.Second
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		wait    time.Duration
		then    func()
		waits   []time.Duration
		calls   int
		got     int
		err     error
	}{
		{"not-when-a-message-is-there", []http.HandlerFunc{message}, 5 * time.Second, nil, nil, 1, 1, nil},
		{"not-when-not-asked-to", []http.HandlerFunc{nothing}, 0, nil, nil, 1, 0, nil},
		{"to-the-end-in-polls", []http.HandlerFunc{nothing}, 5 * time.Second, nil, []time.Duration{poll, poll, time.Second}, 3, 0, nil},
		{"until-there-is-one", []http.HandlerFunc{nothing, message}, 5 * time.Second, nil, []time.Duration{poll}, 2, 1, nil},
		{"until-its-context-ends", []http.HandlerFunc{nothing}, 5 * time.Second, cancel, []time.Duration{poll}, 1, 0, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.answers...)
			q, h := open(t, s, nil)
			h.then = c.then
			got, err := q.Receive(ctx, 1, c.wait)
			if len(got) != c.got || !errors.Is(err, c.err) || len(s.had()) != c.calls {
				t.Errorf("%d messages, %v, %d calls; want %d, %v, %d", len(got), err, len(s.had()), c.got, c.err, c.calls)
			}
			if d := cmp.Diff(c.waits, h.waits); d != "" {
				t.Errorf("waits (-want +got):\n%s", d)
			}
		})
	}
}

// TestReceiveToItsEnd: what a call hands over as its context ends is not thrown away.
func TestReceiveToItsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		message(w, r)
	})
	q, _ := open(t, s, nil)
	if got, err := q.Receive(ctx, 1, time.Minute); len(got) != 1 || err != nil {
		t.Errorf("%v, %v; want the message", got, err)
	}
	if got, err := q.Receive(ctx, 1, time.Minute); len(got) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v; want nothing, for the context is over", got, err)
	}
}

// TestReceiveThrottled: it is said once, and then waited for.
func TestReceiveThrottled(t *testing.T) {
	s := newService(t, says(429, "", "Retry-After", "30"), message)
	q, h := open(t, s, nil)
	_, err := q.Receive(background, 1, 20*time.Second)
	var throttled *restqueue.ThrottledError
	if !errors.As(err, &throttled) || throttled.After != 30*time.Second {
		t.Errorf("the error is %v, want throttled for 30s", err)
	}
	got, err := q.Receive(background, 1, 20*time.Second)
	if len(got) > 0 || err != nil || len(s.had()) != 1 {
		t.Errorf("%v, %v and %d calls, want nothing, after the wait", got, err, len(s.had()))
	}
	if got, err = q.Receive(background, 1, 20*time.Second); len(got) != 1 || err != nil {
		t.Errorf("%v, %v, want the message", got, err)
	}
	if d := cmp.Diff([]time.Duration{20 * time.Second, 10 * time.Second}, h.waits); d != "" {
		t.Errorf("waits (-want +got):\n%s", d)
	}
}

func TestAck(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		is      error
		calls   int
	}{
		{"taken", []http.HandlerFunc{says(200, `{"ok":true}`)}, nil, 1},
		{"no-content", []http.HandlerFunc{says(204, ``)}, nil, 1},
		{"gone", []http.HandlerFunc{says(404, ``)}, reference.ErrNotOurs, 1},
		{"refused", []http.HandlerFunc{says(200, `{"ok":false}`)}, restqueue.ErrRefused, 1},
		{"throttled-for-a-moment", []http.HandlerFunc{says(429, ``, "Retry-After", "1"), says(200, `{}`)}, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.answers...)
			q, _ := open(t, s, nil)
			if err := q.Ack(background, reference.Delivery{MessageID: "m-1"}); !errors.Is(err, c.is) {
				t.Errorf("the error is %v, want %v", err, c.is)
			}
			calls := s.had()
			want := call{path: "/v1/queue/ack", token: "Bearer tell-no-one", fields: map[string]any{"queue": "seat-holds", "message_id": "m-1"}}
			if d := cmp.Diff(want, calls[0], cmp.AllowUnexported(call{})); d != "" || len(calls) != c.calls {
				t.Errorf("%d calls, want %d (-want +got):\n%s", len(calls), c.calls, d)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*restqueue.Config)
		want string
	}{
		{"least", func(*restqueue.Config) {}, ""},
		{"no-url", func(c *restqueue.Config) { c.URL = "" }, "http"},
		{"bad-url", func(c *restqueue.Config) { c.URL = "http://[tell-no-one" }, "can't be read"},
		{"user-in-url", func(c *restqueue.Config) { c.URL = "http://tell-no-one:x@y" }, "user"},
		{"no-queue", func(c *restqueue.Config) { c.Queue = "" }, "no name"},
		{"no-token", func(c *restqueue.Config) { c.Token = "" }, "token"},
		{"token-with-a-line", func(c *restqueue.Config) { c.Token = "tell-no-one\n" }, "token"},
		{"negative-poll", func(c *restqueue.Config) { c.Poll = -1 }, "poll"},
		{"negative-probe", func(c *restqueue.Config) { c.Probe = -1 }, "probe"},
		{"visibility-named-and-not-given", func(c *restqueue.Config) { c.Fields.Visibility = "v" }, "visibility"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := restqueue.Config{URL: "https://queue.example", Queue: "q", Token: token}
			c.edit(&config)
			_, err := restqueue.New(config)
			if c.want == "" && err == nil {
				return
			}
			if !errors.Is(err, reference.ErrInvalid) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "tell-no-one") {
				t.Errorf("the error is %v, want one that says %q and no secret", err, c.want)
			}
		})
	}
}
