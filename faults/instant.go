package faults

import (
	"fmt"
	"strings"
	"time"
)

// Instant is a time as a scenario writes it: on the clock of the world's day, as an offset from
// the world's start, or in full. The zero Instant is none.
type Instant struct {
	text   string
	form   byte // 'c' clock, '+' offset, 'f' full, 0 none
	since  time.Duration
	moment time.Time
}

// ParseInstant reads HH:MM[:SS[.mmm]], +duration, or RFC 3339.
func ParseInstant(text string) (Instant, error) {
	if strings.HasPrefix(text, "+") {
		d, err := ParseDuration(text[1:])
		if err != nil || text[1] == '+' || text[1] == '-' {
			return Instant{}, fmt.Errorf("%q is no offset from the start, such as +90s or +3h", text)
		}
		return Instant{text: text, form: '+', since: d}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		if t.Nanosecond()%1000 != 0 {
			return Instant{}, fmt.Errorf("%q is not in whole microseconds", text)
		}
		return Instant{text: text, form: 'f', moment: t.UTC()}, nil
	}
	for _, layout := range []string{"15:04", "15:04:05", "15:04:05.000"} {
		if t, err := time.Parse(layout, text); err == nil && len(text) == len(layout) {
			return Instant{text: text, form: 'c', since: t.Sub(t.Truncate(24 * time.Hour))}, nil
		}
	}
	return Instant{}, fmt.Errorf("%q is no time: write HH:MM[:SS[.mmm]], +3h from the start, or RFC 3339", text)
}

// Set says whether there is an instant.
func (i Instant) Set() bool { return i.form != 0 }

// String gives the instant as it was written.
func (i Instant) String() string { return i.text }

// In gives the time in a world that starts then.
func (i Instant) In(start time.Time) time.Time {
	switch i.form {
	case 'c':
		return start.UTC().Truncate(24 * time.Hour).Add(i.since)
	case '+':
		return start.Add(i.since)
	}
	return i.moment
}
