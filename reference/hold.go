package reference

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// HoldID names a hold: 1 to 200 bytes of UTF-8 without control characters. Ids are ordered by
// their bytes, on every store.
type HoldID string

// LearnerID names who holds the seat; it is opaque here and travels in messages.
type LearnerID string

// SectionID names the class section of the seat; it is opaque here and travels in messages.
type SectionID string

// Channel is one way of reaching a learner.
type Channel string

// The channels. A hold's reminders are one for each channel of the hold.
const (
	Email Channel = "email"
	SMS   Channel = "sms"
)

// Channels are all channels, in the order in which a worker takes them.
var Channels = []Channel{Email, SMS}

// State is what has become of a hold. A hold leaves Held once, and never comes back to it.
type State string

// The states of a hold.
const (
	Held      State = "held"
	Confirmed State = "confirmed"
	Cancelled State = "cancelled"
	Expired   State = "expired"
)

// Hold is one learner's claim on one seat until ExpiresAt.
type Hold struct {
	ID      HoldID
	Learner LearnerID
	Section SectionID
	// ExpiresAt is in UTC and whole seconds; it names the hold's present window.
	ExpiresAt time.Time
	// Zone is the learner's IANA time zone, used only to word times in a reminder.
	Zone  string
	State State
	// Channels are fixed when the hold is created; at least one, in the order of Channels.
	Channels []Channel
}

// Window is one period of a hold. Extending a hold begins a new one, always strictly later, so
// that a window's name never recurs.
type Window struct {
	Hold      HoldID
	ExpiresAt time.Time
}

// Window is the period that h is in.
func (h Hold) Window() Window { return Window{h.ID, h.ExpiresAt} }

// String gives the window as hold@time.
func (w Window) String() string {
	return string(w.Hold) + "@" + w.ExpiresAt.UTC().Format(time.RFC3339)
}

// Compare orders windows by time and then by hold, which is the order a sweep pages in.
func (w Window) Compare(v Window) int {
	if c := w.ExpiresAt.Compare(v.ExpiresAt); c != 0 {
		return c
	}
	return strings.Compare(string(w.Hold), string(v.Hold))
}

const idBytesMax = 200

// Check says what is wrong with a hold that somebody wants to create, wrapping ErrInvalid.
func (h Hold) Check() error {
	for _, id := range []struct{ what, text string }{
		{"hold id", string(h.ID)}, {"learner id", string(h.Learner)}, {"section id", string(h.Section)},
	} {
		if err := checkID(id.what, id.text); err != nil {
			return err
		}
	}
	// A zone may be empty or unknown, and then means UTC; it travels in messages like the ids.
	if h.Zone != "" {
		if err := checkID("zone", h.Zone); err != nil {
			return err
		}
	}
	if err := checkWindowEnd(h.ExpiresAt); err != nil {
		return err
	}
	if len(h.Channels) == 0 {
		return fmt.Errorf("hold %s has no channel: %w", h.ID, ErrInvalid)
	}
	next := 0
	for _, c := range h.Channels {
		for next < len(Channels) && Channels[next] != c {
			next++
		}
		if next == len(Channels) {
			return fmt.Errorf("hold %s: channels %v are not some of %v in that order: %w", h.ID, h.Channels, Channels, ErrInvalid)
		}
		next++
	}
	return nil
}

func checkID(what, id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%s is empty: %w", what, ErrInvalid)
	case len(id) > idBytesMax:
		return fmt.Errorf("%s has %d bytes, and %d is the most: %w", what, len(id), idBytesMax, ErrInvalid)
	case !utf8.ValidString(id):
		return fmt.Errorf("%s %q is not UTF-8: %w", what, id, ErrInvalid)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%s %q has control characters: %w", what, id, ErrInvalid)
	}
	return nil
}

// checkWindowEnd refuses what would not survive a message or a key, both of which carry Unix seconds.
func checkWindowEnd(t time.Time) error {
	switch {
	case t.Nanosecond() != 0:
		return fmt.Errorf("expires_at %s is not in whole seconds: %w", t.Format(time.RFC3339Nano), ErrInvalid)
	case t.Year() < 2000 || t.Year() > 9000:
		return fmt.Errorf("expires_at %s is not between the years 2000 and 9000: %w", t.Format(time.RFC3339), ErrInvalid)
	}
	return nil
}
