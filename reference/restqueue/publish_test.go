package restqueue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/restqueue"
)

func entries(n int) []reference.Entry {
	var all []reference.Entry
	for i := range n {
		all = append(all, reference.Entry{Key: fmt.Sprint("k", i), Payload: []byte(`{"v":1}`)})
	}
	return all
}

// one publishes one entry.
func one(t *testing.T, q *restqueue.Queue) reference.Published {
	t.Helper()
	results, err := q.Publish(background, entries(1))
	if err != nil || len(results) != 1 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	return results[0]
}

func TestPublishRequest(t *testing.T) {
	s := newService(t, published)
	for _, c := range []struct {
		name  string
		edit  func(*restqueue.Config)
		entry reference.Entry
		want  call
	}{
		{"default", nil, reference.Entry{Key: "k", Payload: []byte(`{"v":1}`), Delay: 1500 * time.Millisecond}, call{
			"/v1/queue/publish", "Bearer tell-no-one", "k",
			map[string]any{"queue": "seat-holds", "payload": map[string]any{"v": 1.0}, "delay_seconds": 2.0},
		}},
		{"as-text", func(c *restqueue.Config) { c.PayloadAsText = true }, reference.Entry{Payload: []byte(`{"v":1}`)}, call{
			"/v1/queue/publish", "Bearer tell-no-one", "",
			map[string]any{"queue": "seat-holds", "payload": `{"v":1}`, "delay_seconds": 0.0},
		}},
		{"other-names-and-place", func(c *restqueue.Config) {
			c.URL, c.Paths.Publish = c.URL+"/eu/", "/messages"
			c.Fields = restqueue.Fields{Queue: "topic", Payload: "body", Delay: "delay"}
		}, reference.Entry{Payload: []byte("no JSON")}, call{
			"/eu/messages", "Bearer tell-no-one", "",
			map[string]any{"topic": "seat-holds", "body": "no JSON", "delay": 0.0},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, _ := open(t, s, c.edit)
			results, err := q.Publish(background, []reference.Entry{c.entry})
			if err != nil || results[0] != (reference.Published{MessageID: "m-1"}) {
				t.Fatalf("%+v, %v", results, err)
			}
			calls := s.had()
			if d := cmp.Diff(c.want, calls[len(calls)-1], cmp.AllowUnexported(call{})); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestPublishAnswers(t *testing.T) {
	var status *restqueue.StatusError
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   reference.Published
		is     error // or the error is a StatusError with as
		as     int
	}{
		{"published", published, reference.Published{MessageID: "m-1"}, nil, 0},
		{"created", says(201, `{"data":{"message_id":"m-1"}}`), reference.Published{MessageID: "m-1"}, nil, 0},
		{"duplicate", says(200, `{"ok":true,"data":{"message_id":"m-1","duplicate":true}}`), reference.Published{MessageID: "m-1", Duplicate: true}, nil, 0},
		{"content-type-of-a-page", says(200, `{"ok":true,"data":{"message_id":"m-1"}}`, "Content-Type", "text/html"), reference.Published{MessageID: "m-1"}, nil, 0},
		{"ok-false", says(200, `{"ok":false,"error":"tell-no-one"}`), reference.Published{}, restqueue.ErrRefused, 0},
		{"ok-that-is-none", says(200, `{"ok":"yes","data":{"message_id":"m-1"}}`), reference.Published{}, restqueue.ErrRefused, 0},
		{"no-id", says(200, `{"ok":true,"data":{}}`), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"no-data", says(200, `{"ok":true}`), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"data-that-is-none", says(200, `{"ok":true,"data":["tell-no-one"]}`), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"number-for-an-id", says(200, `{"ok":true,"data":{"message_id":7}}`), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"no-content", says(204, ""), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"page", says(200, "<html>tell-no-one</html>"), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"malformed", says(200, `{"ok":true,"data":{"message_id":"tell-no-one`), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"huge", says(200, `{"ok":true,"data":{"message_id":"`+strings.Repeat("x", 1<<20)+`"}}`), reference.Published{}, restqueue.ErrBadAnswer, 0},
		{"redirect", says(307, "", "Location", "/other"), reference.Published{}, nil, 307},
		{"bad-token", says(401, `{"ok":false}`), reference.Published{}, nil, 401},
		{"broken", says(500, "tell-no-one"), reference.Published{}, nil, 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.answer)
			q, _ := open(t, s, nil)
			got := one(t, q)
			switch {
			case c.as != 0 && (!errors.As(got.Err, &status) || status.Status != c.as):
				t.Errorf("the error is %v, want status %d", got.Err, c.as)
			case c.is != nil && !errors.Is(got.Err, c.is):
				t.Errorf("the error is %v, want %v", got.Err, c.is)
			case c.is == nil && c.as == 0 && got != c.want:
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if got.Err != nil && strings.Contains(got.Err.Error(), "tell-no-one") {
				t.Errorf("the error gives something away: %v", got.Err)
			}
			if n := len(s.had()); n != 1 {
				t.Errorf("%d calls, want 1", n)
			}
		})
	}
}

// TestPublishChecks: what the service would refuse isn't sent. Bytes that are no text grow by a third.
func TestPublishChecks(t *testing.T) {
	s := newService(t, published)
	q, _ := open(t, s, nil)
	results, err := q.Publish(background, []reference.Entry{
		{Payload: bytes.Repeat([]byte{0xff}, 200<<10)}, {Payload: make([]byte, 256<<10)}, {Delay: -1}, {Delay: 8 * 24 * time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if !errors.Is(r.Err, reference.ErrInvalid) {
			t.Errorf("entry %d: %v, want %v", i, r.Err, reference.ErrInvalid)
		}
	}
	if n := len(s.had()); n > 0 {
		t.Errorf("%d calls, want none", n)
	}
}

// TestPublishOnce: net/http would write a publish with a key a second time.
func TestPublishOnce(t *testing.T) {
	s := newService(t, published, closes, published)
	q, _ := open(t, s, nil)
	if p := one(t, q); p.Err != nil {
		t.Fatal(p.Err)
	}
	if p := one(t, q); p.Err == nil {
		t.Error("published, though nobody said so")
	}
	if n := len(s.had()); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// TestPublishBatch: what stops a batch, and what doesn't.
func TestPublishBatch(t *testing.T) {
	refused, broken, wait := says(422, `{"ok":false}`), says(503, ""), says(429, "", "Retry-After", "2")
	for _, c := range []struct {
		name    string
		answers []http.HandlerFunc
		want    string // by entry: +, -, s(topped), t(hrottled), n(ot tried)
		calls   int
		waits   []time.Duration
	}{
		{"all", []http.HandlerFunc{published}, "+++++", 5, nil},
		{"one-refused", []http.HandlerFunc{published, refused, published}, "+-+++", 5, nil},
		{"all-refused", []http.HandlerFunc{refused}, "-----", 5, nil},
		{"one-closed", []http.HandlerFunc{closes, published}, "-++++", 5, nil},
		{"two-broken-in-a-row", []http.HandlerFunc{broken, broken, published}, "--+++", 5, nil},
		{"three-broken-in-a-row", []http.HandlerFunc{published, broken, closes, says(200, "<html>"), published}, "+---n", 4, nil},
		{"payment-required", []http.HandlerFunc{published, says(402, ""), published}, "+ssss", 2, nil},
		{"short-throttle", []http.HandlerFunc{published, wait, published}, "+++++", 6, []time.Duration{2 * time.Second}},
		{"throttled-again-and-again", []http.HandlerFunc{wait}, "ttttt", 5, slices.Repeat([]time.Duration{2 * time.Second}, 4)},
		{"long-throttle", []http.HandlerFunc{published, says(429, "", "Retry-After", "30"), published}, "+tttt", 2, nil},
		{"absurd-throttle", []http.HandlerFunc{says(429, "", "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"), published}, "ttttt", 1, nil},
		{"throttle-without-a-time", []http.HandlerFunc{says(429, ""), published}, "+++++", 6, []time.Duration{5 * time.Second}},
		{"dated-throttle", []http.HandlerFunc{says(429, "", "Date", "Mon, 02 Mar 2026 11:00:00 GMT", "Retry-After", "Mon, 02 Mar 2026 11:00:02 GMT"), published}, "+++++", 6, []time.Duration{2 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.answers...)
			q, h := open(t, s, nil)
			results, err := q.Publish(background, entries(5))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, r := range results {
				got += mark(r.Err)
			}
			if got != c.want || len(s.had()) != c.calls {
				t.Errorf("%s by %d calls, want %s by %d", got, len(s.had()), c.want, c.calls)
			}
			if d := cmp.Diff(c.waits, h.waits); d != "" {
				t.Errorf("waits (-want +got):\n%s", d)
			}
		})
	}
}

func mark(err error) string {
	var stopped *restqueue.StoppedError
	var throttled *restqueue.ThrottledError
	switch {
	case err == nil:
		return "+"
	case errors.As(err, &stopped):
		return "s"
	case errors.As(err, &throttled):
		return "t"
	case errors.Is(err, restqueue.ErrNotTried):
		return "n"
	}
	return "-"
}

func TestPublishUntilItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	s := newService(t, published, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	q, _ := open(t, s, nil)
	results, err := q.Publish(ctx, entries(4))
	if err != nil || results[0].Err != nil {
		t.Fatalf("%v, %v", results, err)
	}
	for i, r := range results[1:] {
		if !errors.Is(r.Err, context.Canceled) {
			t.Errorf("entry %d: %v", i+1, r.Err)
		}
	}
	if n := len(s.had()); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

func TestPaymentRequired(t *testing.T) {
	for _, c := range []struct {
		name  string
		probe time.Duration
		want  string // of one publish each minute, of which the service takes all from the fourth call on
		calls int
	}{
		{"until-restart", 0, "ssssssss", 1},
		{"probed", 2 * time.Minute, "ssss-s++", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			alarms := 0
			pay := says(402, "")
			s := newService(t, pay, pay, says(500, ""), published)
			q, h := open(t, s, func(cfg *restqueue.Config) {
				cfg.Probe, cfg.Alarm = c.probe, func(*restqueue.StoppedError) { alarms++ }
			})
			got := ""
			for range len(c.want) {
				m := mark(one(t, q).Err)
				if _, stopped := q.Stopped(); stopped != (m != "+") {
					t.Errorf("after %s: stopped is %t", m, stopped)
				}
				got += m
				h.clk.Add(time.Minute)
			}
			_, err := q.Receive(background, 1, 0)
			var stopped *restqueue.StoppedError
			if errors.As(err, &stopped) != (c.probe == 0) {
				t.Errorf("receive: %v", err)
			}
			if got != c.want || alarms != 1 || len(s.had()) != c.calls {
				t.Errorf("%s, %d alarms, %d calls; want %s, 1, %d", got, alarms, len(s.had()), c.want, c.calls)
			}
		})
	}
}

// TestPaymentRequiredWhileAnotherCallIsUnderWay: its success says nothing about what came after it.
func TestPaymentRequiredWhileAnotherCallIsUnderWay(t *testing.T) {
	var q *restqueue.Queue
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		if m := mark(one(t, q).Err); m != "s" {
			t.Errorf("the second call: %s, want s", m)
		}
		published(w, r)
	}, says(402, ""))
	q, _ = open(t, s, nil)
	if m := mark(one(t, q).Err); m != "+" {
		t.Errorf("the first call: %s, want +", m)
	}
	if _, stopped := q.Stopped(); !stopped {
		t.Error("not stopped")
	}
}

func BenchmarkPublish(b *testing.B) {
	s := newService(b, published)
	q, _ := open(b, s, func(c *restqueue.Config) { c.Clock, c.Waiter = clock.New(), nil })
	b.ReportAllocs()
	for b.Loop() {
		s.calls = nil
		results, err := q.Publish(background, entries(1))
		if err != nil || results[0].Err != nil {
			b.Fatal(err, results)
		}
	}
}
