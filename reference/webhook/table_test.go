package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/webhook"
)

// TestClasses is the table of the package comment, over HTTP.
func TestClasses(t *testing.T) {
	const plain, keyed = 0, 24 * time.Hour
	documented := webhook.Table{503: webhook.NotAccepted, 401: webhook.NotAccepted, 404: webhook.Unknown, 202: webhook.Unknown, 308: webhook.Rejected}
	for _, c := range []struct {
		from, to int
		keys     time.Duration
		table    webhook.Table
		want     webhook.Class
	}{
		{200, 299, plain, nil, webhook.Accepted},
		{300, 399, plain, nil, webhook.Unknown},
		{400, 407, plain, nil, webhook.Rejected},
		{408, 408, plain, nil, webhook.Unknown},
		{409, 424, plain, nil, webhook.Rejected},
		{409, 409, keyed, nil, webhook.Unknown},
		{410, 424, keyed, nil, webhook.Rejected},
		{425, 425, plain, nil, webhook.NotAccepted},
		{426, 428, plain, nil, webhook.Rejected},
		{429, 429, plain, nil, webhook.NotAccepted},
		{430, 499, plain, nil, webhook.Rejected},
		{500, 599, plain, nil, webhook.Unknown},
		{500, 599, keyed, nil, webhook.Unknown},
		{600, 600, plain, nil, webhook.Unknown},
		{999, 999, plain, nil, webhook.Unknown},
		{503, 503, keyed, documented, webhook.NotAccepted},
		{502, 502, keyed, documented, webhook.Unknown},
		{401, 401, keyed, documented, webhook.NotAccepted},
		{404, 404, keyed, documented, webhook.Unknown},
		{202, 202, keyed, documented, webhook.Unknown},
		{308, 308, keyed, documented, webhook.Rejected},
	} {
		t.Run(fmt.Sprintf("%d-to-%d-%s-keys-%s", c.from, c.to, c.want, c.keys), func(t *testing.T) {
			var calls int
			status := c.from
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls++
				w.Header().Set("Location", "/other")
				w.WriteHeader(status)
			}))
			defer server.Close()
			var seen webhook.Exchange
			edit := func(cfg *webhook.Config) {
				cfg.KeyHorizon, cfg.Statuses = c.keys, c.table
				cfg.Observer = func(e webhook.Exchange) { seen = e }
			}
			for ; status <= c.to; status++ {
				_, err := open(t, server.URL, edit).Send(background, notice())
				if got := classOf(err); got != c.want || seen.Class != c.want || seen.Status != status {
					t.Errorf("%d means %s (%v), and is observed as %+v; want %s", status, got, err, seen, c.want)
				}
			}
			if want := c.to - c.from + 1; calls != want {
				t.Errorf("%d requests, want %d: was a redirect followed?", calls, want)
			}
		})
	}
}

// classOf is what a worker makes of an error.
func classOf(err error) webhook.Class {
	var refused *reference.NotAcceptedError
	switch {
	case err == nil:
		return webhook.Accepted
	case errors.Is(err, reference.ErrStartPassed):
		return webhook.TooLate
	case errors.Is(err, reference.ErrRejected):
		return webhook.Rejected
	case errors.As(err, &refused):
		return webhook.NotAccepted
	}
	return webhook.Unknown
}

func TestRetryAfter(t *testing.T) {
	theirs := time.Now().Add(-10 * time.Minute).UTC() // their clock is wrong
	for _, c := range []struct {
		name, text string
		status     int
		want       time.Duration
	}{
		{"seconds", "7", 429, 7 * time.Second},
		{"date-against-their-own", theirs.Add(7 * time.Second).Format(http.TimeFormat), 429, 7 * time.Second},
		{"absurd", "31536000", 429, 24 * time.Hour},
		{"none", "", 429, 0},
		{"no-time", "soon", 429, 0},
		{"too-early", "7", 425, 7 * time.Second},
		{"documented-as-not-accepted", "7", 503, 7 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", theirs.Format(http.TimeFormat))
				w.Header().Set("Retry-After", c.text)
				w.WriteHeader(c.status)
			}))
			defer server.Close()
			s := open(t, server.URL, func(cfg *webhook.Config) {
				cfg.KeyHorizon, cfg.Statuses = 24*time.Hour, webhook.Table{503: webhook.NotAccepted}
			})
			_, err := s.Send(background, notice())
			var refused *reference.NotAcceptedError
			if !errors.As(err, &refused) || refused.After != c.want {
				t.Errorf("the error is %v, want not accepted for %s", err, c.want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"in-order", " 503=not-accepted , 404=unknown,", "404=unknown,503=not-accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, err := webhook.ParseTable(c.text)
			if err != nil || table.String() != c.want {
				t.Errorf("%s, %v; want %s", table, err, c.want)
			}
		})
	}
	for _, text := range []string{"503", "503=", "x=rejected", "503=rejected,503=unknown", "503=maybe", "199=unknown", "600=unknown", "404=accepted", "204=rejected", "200=not-accepted", "404=too-late"} {
		t.Run("refused/"+text, func(t *testing.T) {
			table, err := webhook.ParseTable(text)
			if err == nil {
				_, err = webhook.New(webhook.Config{URL: "http://x", Secrets: oneSecret, Statuses: table, KeyHorizon: time.Hour})
			}
			if !errors.Is(err, reference.ErrInvalid) {
				t.Errorf("the error is %v, want %v", err, reference.ErrInvalid)
			}
		})
	}
}
