package once_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference/webhook/once"
)

func TestPause(t *testing.T) {
	clk := clock.NewMock()
	p := once.NewPause(clk, time.Minute)
	wants := func(when string, want time.Duration) {
		t.Helper()
		if got := p.Left(); got != want {
			t.Errorf("%s: %s left, want %s", when, got, want)
		}
	}
	wants("at first", 0)
	p.Asked(30 * time.Second)
	p.Asked(10 * time.Second)
	wants("a shorter one doesn't shorten it", 30*time.Second)
	clk.Add(29 * time.Second)
	wants("near its end", time.Second)
	clk.Add(time.Second)
	wants("at its end", 0)
	p.Asked(0)
	wants("nobody said how long", 5*time.Second)
	clk.Add(time.Hour)
	p.Asked(24 * time.Hour)
	wants("an absurd one", time.Minute)
}

func TestPauseAfterRefusals(t *testing.T) {
	clk := clock.NewMock()
	p := once.NewPause(clk, time.Minute)
	low, high := 15*time.Second/4, 5*time.Second
	for i := range 6 {
		wait := p.Refused(fmt.Sprint(i))
		if again := p.Refused("another slot"); again != wait {
			t.Errorf("refusal %d: the slots wait %s and %s, want the same", i, wait, again)
		}
		if wait < low || wait > high {
			t.Errorf("refusal %d: wait %s, want %s to %s", i, wait, low, high)
		}
		low, high = min(2*low, 15*time.Second), min(2*high, 20*time.Second)
		clk.Add(wait)
	}
	p.Reached()
	if wait := p.Refused("x"); wait > 5*time.Second {
		t.Errorf("%s after it was reached in between, want at most 5s", wait)
	}
}

func TestRetryAfter(t *testing.T) {
	const most = time.Hour
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	theirs := now.Add(10 * time.Minute) // their clock is wrong
	for _, c := range []struct {
		name, text, date string
		want             time.Duration
		ok               bool
	}{
		{"seconds", "30", "", 30 * time.Second, true},
		{"blanks-around", " 30 ", "", 30 * time.Second, true},
		{"zero", "0", "", 0, true},
		{"more-than-is-believed", "86400", "", most, true},
		{"more-than-a-number-holds", "99999999999999999999999", "", most, true},
		{"date-by-their-clock", theirs.Add(30 * time.Second).Format(http.TimeFormat), theirs.Format(http.TimeFormat), 30 * time.Second, true},
		{"date-by-ours-without-theirs", now.Add(30 * time.Second).Format(http.TimeFormat), "", 30 * time.Second, true},
		{"date-by-ours-if-theirs-is-none", now.Add(30 * time.Second).Format(http.TimeFormat), "yesterday", 30 * time.Second, true},
		{"date-in-the-old-form", now.Add(30 * time.Second).Format(time.RFC850), "", 30 * time.Second, true},
		{"date-that-has-passed", now.Add(-time.Hour).Format(http.TimeFormat), "", 0, true},
		{"date-in-the-far-future", "Fri, 31 Dec 9999 23:59:59 GMT", "", most, true},
		{"negative", "-30", "", 0, false},
		{"fraction", "1.5", "", 0, false},
		{"words", "soon", "", 0, false},
		{"empty", "", "", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{"Retry-After": {c.text}, "Date": {c.date}}
			if got, ok := once.RetryAfter(h, now, most); got != c.want || ok != c.ok {
				t.Errorf("%s, %t; want %s, %t", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestSecret(t *testing.T) {
	type config struct {
		Token, None once.Secret
		All         []once.Secret
	}
	c := config{Token: "tell-no-one", All: []once.Secret{"tell-no-one"}}
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want string }{
		{fmt.Sprintf("%v %+v %s", c, c, c), "{***  [***]} {Token:*** None: All:[***]} {***  [***]}"},
		{fmt.Sprintf("%#v", c.Token), `"***"`},
		{string(asJSON), `{"Token":"***","None":"","All":["***"]}`},
		{string(c.Token), "tell-no-one"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
