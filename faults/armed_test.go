package faults_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
)

var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// seen is a moment at minute:second of the run.
func seen(minute, second int, node string, phase faults.Phase, point faults.Point, hold reference.HoldID, channel reference.Channel) faults.Moment {
	role, _, numbered := strings.Cut(node, "#")
	switch {
	case node == "w1" || node == "w2":
		role = "worker"
	case !numbered && node != "learner":
		role = "operator"
	}
	return faults.Moment{
		At: start.Add(time.Duration(minute)*time.Minute + time.Duration(second)*time.Second), Node: node, Role: role,
		Phase: phase, Point: point, Hold: hold, Channel: channel,
	}
}

// began is m in a sweep that began then.
func began(minute int, m faults.Moment) faults.Moment {
	m.Began = start.Add(time.Duration(minute) * time.Minute)
	return m
}

// run is a short run: moments in their order.
var run = []faults.Moment{
	/* 0 */ began(6, seen(6, 0, "sweep#6", faults.Before, faults.SweepDue, "", "")),
	/* 1 */ began(6, seen(6, 1, "sweep#6", faults.Before, faults.SweepPublish, "h1", "")),
	/* 2 */ began(6, seen(6, 1, "sweep#6", faults.In, faults.SweepPublish, "h1", "")),
	/* 3 */ seen(6, 2, "w1", faults.After, faults.WorkerReceive, "h1", ""),
	/* 4 */ seen(6, 2, "w1", faults.Before, faults.WorkerClaim, "h1", reference.Email),
	/* 5 */ seen(6, 3, "w1", faults.Before, faults.ProviderSend, "h1", reference.Email),
	/* 6 */ seen(6, 4, "w1", faults.In, faults.ProviderSend, "h1", reference.Email),
	/* 7 */ began(7, seen(7, 0, "sweep#7", faults.Before, faults.SweepPublish, "h2", "")),
	/* 8 */ began(6, seen(7, 1, "sweep#6", faults.Before, faults.SweepPublish, "h3", "")),
	/* 9 */ began(8, seen(8, 0, "sweep#8", faults.Before, faults.SweepPublish, "h2", "")),
	/* 10 */ seen(8, 1, "w2", faults.Before, faults.WorkerClaim, "h2", reference.Email),
	/* 11 */ seen(8, 1, "w2", faults.Before, faults.WorkerClaim, "h2", reference.SMS),
	/* 12 */ seen(8, 2, "w2", faults.Before, faults.ProviderSend, "h2", reference.SMS),
	/* 13 */ seen(8, 3, "w1", faults.Before, faults.WorkerClaim, "h3", reference.SMS),
	/* 14 */ seen(8, 4, "learner", faults.Before, faults.HoldConfirm, "h3", ""),
	/* 15 */ seen(8, 5, "support", faults.Before, faults.HoldCancel, "h3", ""),
	/* 16 */ began(8, seen(9, 0, "sweep#8", faults.Before, faults.SweepPublish, "h3", "")),
}

var strikes = []struct {
	line string
	want string // the moments struck
}{
	{"crash worker before=claim", "4"},
	{"crash w2 before=claim", "10"},
	{"crash worker before=claim on=h2 channel=sms", "11"},
	{"crash worker before=claim nth=2", "10"},
	{"crash worker before=claim nth=2..3", "10 11"},
	{"crash worker before=claim nth=all", "4 10 11 13"},
	{"crash worker before=claim from=12:08", "10 11 13"},
	{"crash worker before=claim from=12:08 nth=1", "10"},
	{"crash worker before=claim until=12:08:01", "4"},
	{"crash worker before=claim from=12:08:01 until=12:08:03", "10 11"},
	{"crash worker after=claim", ""},
	{"crash w1 at=12:08", ""},
	{"crash sweep#7 before=publish", "7"},
	{"error learner before=confirm", "14"},
	{"error operator before=cancel", "15"},
	{"error before=confirm", "14"},
	{"ambiguous in=send", "6"},
	{"duplicate after=receive", "3"},
	{"lose in=publish", "2"},
	{"slow sweep by=1s", "0 1 7 8 9 16"},
	{"slow sweep per-item=1s", "1 7 8 9 16"},
	{"slow sweep at=12:06:30 per-item=1s", "7"},
	{"slow sweep at=12:08 per-item=1s", "9 16"},
	{"slow sweep at=12:07:30 per-item=1s nth=2", "16"},
	{"slow sweep#6 by=1s", "0 1 8"},
	{"slow store by=1s", "0 4 10 11 13 14 15"},
	{"slow store on=h2 by=1s", "10 11"},
	{"slow queue by=1s", "1 7 8 9 16"},
	{"slow provider by=1s", "5 12"},
	{"slow provider channel=sms by=1s", "12"},
	{"slow in=send by=1s", "6"},
	{"slow w1 by=1s from=12:08", "13"},
	{"reject provider", "5"},
	{"reject provider nth=all", "5 12"},
	{"throttle provider channel=sms", "12"},
	{"throttle provider from=12:00 until=12:30", "5 12"},
	{"outage store from=12:08 until=12:08:04", "10 11 13"},
	{"outage store nodes=w2 from=12:00 until=12:30", "10 11"},
	{"outage queue nodes=(sweep) from=12:07 until=12:30", "7 8 9 16"},
	{"outage provider channel=email from=+6m3s until=+6m4s", "5"},
	{"lock on=h1 from=12:00 until=12:30", ""},
	{"pause cron from=12:00 until=12:30", ""},
}

func TestStrike(t *testing.T) {
	for _, c := range strikes {
		f, err := faults.ParseLine(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		a := f.Armed(start)
		var got []string
		for i, m := range run {
			if _, struck := a.Strike(m); struck {
				got = append(got, fmt.Sprint(i))
			}
		}
		if text := strings.Join(got, " "); text != c.want || a.Fired() != len(got) {
			t.Errorf("%s: struck %s, and not %s; it says that it struck %d", c.line, text, c.want, a.Fired())
		}
	}
}

var nearest = []struct{ line, want string }{
	{"crash worker after=claim", "none"},
	{"crash w3 before=claim", "4 who"},
	{"crash worker before=claim on=h9", "4 on"},
	{"crash worker before=claim on=h1 channel=sms", "4 channel"},
	{"crash worker before=claim on=h1 from=12:08", "4 from"},
	{"crash worker before=claim on=h3 until=12:08", "13 until"},
	{"crash worker before=claim on=h3 nth=2", "13 nth"},
	{"slow sweep at=12:30 by=1s", "0 at"},
}

// TestNearest: a fault that never fired says what came nearest.
func TestNearest(t *testing.T) {
	for _, c := range nearest {
		f, err := faults.ParseLine(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		a := f.Armed(start)
		for _, m := range run {
			a.Strike(m)
		}
		got := "none"
		if m, unmet, ok := a.Nearest(); ok {
			for i := range run {
				if run[i] == m {
					got = fmt.Sprintf("%d %s", i, unmet)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
}

// moment is a call of the point that the line names, or of a send.
func moment(f faults.Fault) faults.Moment {
	m := faults.Moment{At: start, Role: "worker", Node: "w1", Phase: faults.Before, Point: faults.ProviderSend, Hold: "h1", Channel: reference.SMS}
	if f.Point != "" {
		m.Phase, m.Point = f.Phase, f.Point
	}
	if f.Point == faults.SweepPublish || f.PerItem > 0 {
		m.Role, m.Node, m.Point = "sweep", "sweep#1", faults.SweepPublish
	}
	return m
}

var effects = []struct {
	line string
	want faults.Effect
	is   error // what Err wraps
}{
	{line: "crash worker after=send restart=never", want: faults.Effect{Crash: true, Restart: -1}},
	{line: "stall worker before=send by=40s", want: faults.Effect{Stall: 40 * time.Second}},
	{line: "slow provider by=8s", want: faults.Effect{Delay: 8 * time.Second}},
	{line: "slow sweep per-item=20s", want: faults.Effect{Delay: 20 * time.Second}},
	{line: "error before=claim", is: faults.ErrInjected},
	{line: "ambiguous in=settle", is: faults.ErrReplyLost},
	{line: "re-execute in=claim", want: faults.Effect{Twice: true}},
	{line: "duplicate after=publish by=2s", want: faults.Effect{Duplicate: true, Later: 2 * time.Second}},
	{line: "delay in=publish by=2s", want: faults.Effect{Postpone: true, Later: 2 * time.Second}},
	{line: "lose in=publish", want: faults.Effect{Lose: true}},
	{line: "poison in=publish", want: faults.Effect{Poison: true}},
	{line: "reject provider", is: reference.ErrRejected},
	{line: "outage provider from=12:00 until=12:01", is: faults.ErrInjected},
}

func TestEffects(t *testing.T) {
	for _, c := range effects {
		f, err := faults.ParseLine(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		got, struck := f.Armed(start).Strike(moment(f))
		seenErr := got.Err
		got.Err = nil
		if !struck || !reflect.DeepEqual(got, c.want) || !errors.Is(seenErr, c.is) || (seenErr == nil) != (c.is == nil) {
			t.Errorf("%s: got %+v with %v (struck: %t), want %+v with %v", c.line, got, seenErr, struck, c.want, c.is)
		}
	}
}

var answers = []struct {
	line string
	want string // rejected, not-accepted after …, or unknown
}{
	{"reject provider status=422", "rejected"},
	{"throttle provider", "not-accepted after 0s"},
	{"throttle provider retry-after=none", "not-accepted after 0s"},
	{"throttle provider status=425 retry-after=10m", "not-accepted after 10m0s"},
	{"error before=send", "unknown"},
	{"error before=send status=503", "unknown"},
	{"ambiguous in=send", "unknown"},
	{"outage provider from=12:00 until=12:01", "not-accepted after 0s"},
}

// TestAnswers: what a worker makes of what a provider does.
func TestAnswers(t *testing.T) {
	for _, c := range answers {
		f, err := faults.ParseLine(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		effect, _ := f.Armed(start).Strike(moment(f))
		if got := kindOfAnswer(effect.Err); got != c.want {
			t.Errorf("%s: got %s (%v), want %s", c.line, got, effect.Err, c.want)
		}
	}
	for status := 300; status < 600; status++ {
		want := "unknown"
		if status/100 == 4 && status != 408 {
			want = "rejected"
		}
		if status == 425 || status == 429 {
			want = "not-accepted after 1s"
		}
		if got := kindOfAnswer(faults.Answer(status, time.Second)); got != want {
			t.Errorf("status %d: got %s, want %s", status, got, want)
		}
	}
}

func kindOfAnswer(err error) string {
	var refused *reference.NotAcceptedError
	switch {
	case errors.As(err, &refused):
		return "not-accepted after " + refused.After.String()
	case errors.Is(err, reference.ErrRejected):
		return "rejected"
	case errors.Is(err, faults.ErrInjected) || errors.Is(err, faults.ErrReplyLost):
		return "unknown"
	}
	return fmt.Sprint(err)
}

var spans = []struct {
	line     string
	manner   faults.Manner
	from, to string // to is empty for no end
}{
	{"crash worker after=claim", faults.AtCalls, "12:00", ""},
	{"crash w1 at=12:08", faults.AtInstant, "12:08", "12:08"},
	{"crash w1 at=12:08 restart=30s", faults.AtInstant, "12:08", "12:08:30"},
	{"crash w1 at=12:08 restart=never", faults.AtInstant, "12:08", "12:08"},
	{"stall w1 at=+8m by=1m", faults.AtInstant, "12:08", "12:09"},
	{"stall w1 after=claim by=1m", faults.AtCalls, "12:00", ""},
	{"slow store from=12:05 until=12:06 by=1s", faults.AtCalls, "12:05", "12:06"},
	{"slow sweep at=12:05 by=1s", faults.AtCalls, "12:05", ""},
	{"outage store from=12:05 until=2026-03-02T12:06:00Z", faults.AtCalls, "12:05", "12:06"},
	{"lock on=h1 from=12:05 until=12:06", faults.Throughout, "12:05", "12:06"},
	{"skew w1 by=-1m", faults.Throughout, "12:00", ""},
	{"skew w1 by=1m until=12:06", faults.Throughout, "12:00", "12:06"},
	{"pause cron from=12:05 until=12:06", faults.Throughout, "12:05", "12:06"},
	{"double cron at=12:05", faults.AtInstant, "12:05", "12:05"},
	{"retry cron at=12:05 by=1m", faults.AtInstant, "12:05", "12:06"},
	{"redrive at=12:05", faults.AtInstant, "12:05", "12:05"},
}

func TestSpan(t *testing.T) {
	for _, c := range spans {
		f, err := faults.ParseLine(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		from, until := f.Span(start)
		if f.Manner() != c.manner || !from.Equal(at(c.from)) || !until.Equal(at(c.to)) {
			t.Errorf("%s: got %s from %s until %s, want %s from %s until %s", c.line, f.Manner(), from, until, c.manner, c.from, c.to)
		}
	}
}

// at is a time of the day, or none.
func at(text string) time.Time {
	i, err := faults.ParseInstant(text)
	if err != nil {
		return time.Time{}
	}
	return i.In(start)
}

var durations = []struct {
	text string
	want time.Duration
	back string // empty if it is the text
}{
	{"90s", 90 * time.Second, "1m30s"},
	{"1h30m", 90 * time.Minute, ""},
	{"30d", 720 * time.Hour, "720h"},
	{"-2d", -48 * time.Hour, "-48h"},
	{"100ms", 100 * time.Millisecond, ""},
	{"0s", 0, ""},
	{"10m", 10 * time.Minute, ""},
	{"24h", 24 * time.Hour, ""},
	{"1h0m5s", time.Hour + 5*time.Second, ""},
}

func TestDurations(t *testing.T) {
	for _, c := range durations {
		back := c.back
		if back == "" {
			back = c.text
		}
		if d, err := faults.ParseDuration(c.text); err != nil || d != c.want || faults.FormatDuration(d) != back {
			t.Errorf("%s: got %s, which prints as %s, %v", c.text, d, faults.FormatDuration(d), err)
		}
	}
	for _, text := range []string{"", "1", "d", "1.5d", "1ns", "3651d", "99999999999999999999d", "1h 2m"} {
		if d, err := faults.ParseDuration(text); err == nil {
			t.Errorf("%q gives %s", text, d)
		}
	}
}
