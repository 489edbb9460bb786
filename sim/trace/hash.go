package trace

import (
	"math/bits"
	"time"
)

// Hash folds e into prev, the hash of all the events before it; the first event's prev is 0. Every
// field counts, and a time counts as its instant, whatever its location. The value is the same on
// any machine.
func Hash(prev uint64, e Event) uint64 {
	h := mix(prev, uint64(e.Seq))
	h = mixTime(h, e.At)
	h = mixText(h, e.Who)
	h = mix(h, uint64(e.Slot))
	h = mixText(h, string(e.What))
	h = mixText(h, string(e.Hold))
	h = mixTime(h, e.Window)
	h = mixText(h, string(e.Channel))
	h = mixText(h, string(e.Kind))
	h = mixText(h, e.Message)
	h = mixText(h, string(e.Token))
	h = mixText(h, e.Answer)
	h = mixText(h, string(e.Outcome.Verdict))
	h = mixText(h, string(e.Outcome.Reason))
	h = mixText(h, string(e.Doubt))
	h = mixTime(h, e.Until)
	h = mix(h, uint64(e.N))
	h = mixTime(h, e.Start)
	h = mixText(h, e.Err)
	if e.NoEffect {
		h = mix(h, 1)
	}
	return mixText(h, e.Fault)
}

// The odd constants are the fractional bits of the square roots of 2 and 3, and mean nothing else.
const (
	mixLeft  = 0x6a09e667f3bcc909
	mixRight = 0xbb67ae8584caa73b
)

func mix(h, v uint64) uint64 {
	high, low := bits.Mul64(h^mixLeft, v^mixRight)
	// The shift keeps h in play even where v^mixRight is 0.
	return high ^ low ^ bits.RotateLeft64(h, 23)
}

func mixTime(h uint64, t time.Time) uint64 {
	return mix(mix(h, uint64(t.Unix())), uint64(t.Nanosecond()))
}

// mixText folds the length first, so that no text runs into the next one.
func mixText(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for len(s) >= 8 {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	if s == "" {
		return h
	}
	var rest uint64
	for i := 0; i < len(s); i++ {
		rest |= uint64(s[i]) << (8 * i)
	}
	return mix(h, rest)
}

// Same says whether two events are one and the same, comparing times as instants.
func Same(a, b Event) bool {
	if !a.At.Equal(b.At) || !a.Window.Equal(b.Window) || !a.Until.Equal(b.Until) || !a.Start.Equal(b.Start) {
		return false
	}
	a.At, a.Window, a.Until, a.Start = b.At, b.Window, b.Until, b.Start
	return a == b
}

// FirstDifference gives the index of the first event that two traces don't share. Where one trace
// is the beginning of the other, that is the length of the shorter.
func FirstDifference(a, b []Event) (i int, differ bool) {
	for i < len(a) && i < len(b) {
		if !Same(a[i], b[i]) {
			return i, true
		}
		i++
	}
	return i, len(a) != len(b)
}
