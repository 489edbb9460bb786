package once

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads the header of that name (RFC 9110, 10.2.3): seconds, or a date, which is read
// against the answer's own Date, for the clock that it was made by is not ours. It gives at most
// most, and at least zero. Ok is false if there is none that can be read.
func RetryAfter(h http.Header, now time.Time, most time.Duration) (after time.Duration, ok bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > int64(most/time.Second) {
			return most, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if theirs, err := http.ParseTime(h.Get("Date")); err == nil {
		now = theirs
	}
	return min(max(at.Sub(now), 0), most), true
}
