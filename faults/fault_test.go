package faults_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/seathold/seathold/faults"
)

// normalForms are lines, and their normal form where it is another.
var normalForms = []struct{ line, normal string }{
	{"crash worker after=claim on=h2 channel=sms", ""},
	{"crash   after=claim", "crash worker after=claim"},
	{"crash after=publish nth=3", "crash sweep after=publish nth=3"},
	{"crash w1 at=12:08 restart=never", ""},
	{"crash sweep#7 in=publish nth=2..4", ""},
	{"maybe stall w1 by=40s before=send", "maybe stall w1 before=send by=40s"},
	{"slow sweep per-item=20s at=12:07", "slow sweep at=12:07 per-item=20s"},
	{"slow provider on=h3 channel=email by=40000ms", "slow provider on=h3 channel=email by=40s"},
	{"slow in=send by=15s", ""},
	{"error before=send nth=all status=503", ""},
	{"error before=settle from=+10m1s until=+80m", ""},
	{"ambiguous in=ack", ""},
	{"re-execute in=claim on=h1", ""},
	{"duplicate after=receive by=2s", ""},
	{"delay in=publish by=6d", "delay in=publish by=144h"},
	{"lose in=publish nth=all from=12:00", "lose in=publish nth=all from=12:00"},
	{"poison in=publish on=h6", ""},
	{"reject channel=sms status=422", "reject provider channel=sms status=422"},
	{"throttle provider retry-after=none", ""},
	{"throttle provider retry-after=1h30m0s", "throttle provider retry-after=1h30m"},
	{"outage store nodes=(w1,w2) from=12:00 until=12:10:30.500", "outage store from=12:00 until=12:10:30.500 nodes=(w1, w2)"},
	{"outage provider channel=sms from=2026-03-02T12:00:00Z until=+3h", ""},
	{"lock on=h1 from=12:00 until=12:01", ""},
	{"skew w1 by=10m", "skew w1 by=+10m"},
	{"skew sweep by=-10m from=12:00", "skew sweep from=12:00 by=-10m"},
	{"pause cron from=12:00 until=13:00", ""},
	{"double cron at=12:05", ""},
	{"retry at=12:05 by=5m", "retry cron at=12:05 by=5m"},
	{"redrive at=15:00 on=h1", "redrive on=h1 at=15:00"},
}

// TestNormalForm: a line prints in one form, which means the same.
func TestNormalForm(t *testing.T) {
	for _, c := range normalForms {
		f, err := faults.ParseLine(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		want := c.normal
		if want == "" {
			want = c.line
		}
		if got := f.String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", c.line, got, want)
		}
		checkRoundTrip(t, f)
	}
}

// checkRoundTrip: what f prints gives f back.
func checkRoundTrip(t *testing.T, f faults.Fault) {
	t.Helper()
	again, err := faults.ParseLine(f.String())
	if err != nil || !reflect.DeepEqual(again, f) {
		t.Errorf("%s: read again: %s, %v", f, again, err)
	}
}

// FuzzFault: no line panics, and what parses prints as a line that means the same.
func FuzzFault(f *testing.F) {
	for _, c := range normalForms {
		f.Add(c.line)
	}
	for _, c := range mistakes {
		f.Add(c.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		fault, err := faults.ParseLine(line)
		if err != nil {
			var at *faults.ParseError
			if !errors.As(err, &at) || at.Word < 0 || at.Msg == "" {
				t.Errorf("%q: %v is no ParseError with a place", line, err)
			}
			return
		}
		checkRoundTrip(t, fault)
		if again, _ := faults.ParseLine(fault.String()); again.String() != fault.String() {
			t.Errorf("%q prints as %q and then as %q", line, fault, again)
		}
	})
}
