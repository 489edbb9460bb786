package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// DurationMax is the longest duration that a scenario can say: ten years.
const DurationMax = 10 * 365 * 24 * time.Hour

// ParseDuration reads a Go duration such as 1m30s, or whole days such as 30d, in whole
// microseconds, of at most DurationMax either way.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if days, found := strings.CutSuffix(text, "d"); found {
		var n int
		if n, err = strconv.Atoi(days); n > 10*365 || n < -10*365 {
			n = 10*365 + 1
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration: write 90s, 1m30s, 12h or 30d", text)
	case d > DurationMax || d < -DurationMax:
		return 0, fmt.Errorf("%s is longer than ten years", text)
	case d%time.Microsecond != 0:
		return 0, fmt.Errorf("%s is not in whole microseconds", text)
	}
	return d, nil
}

// FormatDuration gives a duration as people write it: 20s, 1h30m, 200ms.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
