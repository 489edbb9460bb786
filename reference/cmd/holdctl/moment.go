package main

import (
	"fmt"
	"strings"
	"time"
)

// moment is a time, or how long ago, by the database's clock.
type moment struct {
	at  time.Time
	ago time.Duration
	set bool
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *moment) UnmarshalText(text []byte) (err error) {
	m.set = true
	if m.at, err = time.Parse(time.RFC3339, string(text)); err == nil {
		return nil
	}
	if m.ago, err = time.ParseDuration(string(text)); err == nil && m.ago >= 0 {
		return nil
	}
	return fmt.Errorf("%q is neither a time such as 2026-03-02T12:00:00Z nor an age such as 36h", text)
}

// String is for settings.
func (m moment) String() string {
	switch {
	case !m.set:
		return ""
	case m.at.IsZero():
		return strings.TrimSuffix(m.ago.String(), "0s")
	}
	return second(m.at)
}

// before gives the time, or the zero time if none was given.
func (m moment) before(now time.Time) time.Time {
	switch {
	case !m.set:
		return time.Time{}
	case m.at.IsZero():
		return now.Add(-m.ago)
	}
	return m.at
}
