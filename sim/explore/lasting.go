package explore

import (
	"fmt"
	"strings"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
)

// lasts are the kinds that are also tried as trouble of every call of one kind for a while.
var lasts = map[faults.Kind]string{faults.Error: "", faults.Ambiguous: "", faults.Slow: "by=12s"}

// lasting gives the lines that strike every call of a point for a while, from each instant at which
// one is made: of all, and where a call is about a channel, of email only.
func (b *Base) lasting(k faults.Kind, say func(string) bool) {
	rest, tried := lasts[k]
	if !tried {
		return
	}
	for _, c := range cells(k) {
		if k == faults.Slow && c == (cell{faults.Before, faults.ProviderSend}) {
			continue // what is slow for so long may arrive when its key is forgotten
		}
		for _, only := range []reference.Channel{"", reference.Email} {
			words := rest
			if only != "" {
				words = "channel=" + string(only) + " " + rest
			}
			for _, t := range b.instants(func(m *faults.Moment) bool {
				return m.Phase == c.phase && m.Point == c.point && m.Hold != "" && (only == "" || m.Channel == only)
			}) {
				for _, d := range spans[1:] {
					line := fmt.Sprintf("%s %s=%s nth=all %s %s", k, c.phase, c.point.Short(), b.span(t, d), words)
					if !say(strings.TrimSpace(line)) {
						return
					}
				}
			}
		}
	}
}
