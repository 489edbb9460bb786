package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script"
)

// steps prints what happens, stanza by stanza; golden text ends one.
func (w *writer) steps(created []script.Step) {
	stanza := 0
	for _, s := range w.s.Steps[len(created):] {
		if s.Stanza != stanza {
			w.blank()
		}
		stanza = s.Stanza
		switch {
		case s.Fault != nil:
			w.line("fault", s.Fault.String())
		case s.Do != nil:
			w.do(*s.Do)
		case s.Run != nil:
			w.line("run", "until="+w.clock(s.Run.Until))
		case s.Show != nil:
			w.line("show", s.Show.What, only("only", s.Show.Only))
		case s.Expect != nil:
			w.line("expect", w.expect(*s.Expect))
		case s.Golden != nil:
			w.lines = append(append(w.lines, "----"), s.Golden.Lines...)
			w.blank()
		}
	}
	if n := len(w.lines); w.lines[n-1] == "" {
		w.lines = w.lines[:n-1]
	}
}

func only(key string, h reference.HoldID) string {
	if h == "" {
		return ""
	}
	return key + "=" + string(h)
}

func (w *writer) do(d script.Do) {
	words := []string{"at", w.clock(d.At), d.Verb}
	switch d.Verb {
	case "extend":
		words = append(words, string(d.Hold), "to="+w.clock(d.To))
	case "create":
		h := d.New
		words = append(words, string(h.ID), "expires="+w.clock(h.ExpiresAt), "zone="+zone(h.Zone),
			"channels=("+strings.ReplaceAll(channels(h.Channels), ",", ", ")+")",
			"learner="+string(h.Learner), "section="+string(h.Section))
	case "publish":
		words = append(words, string(d.Kind), string(d.Hold))
		if !d.To.IsZero() {
			words = append(words, "window="+w.clock(d.To))
		}
	case "redrive":
		words = append(words, only("on", d.Hold))
	default:
		words = append(words, string(d.Hold), d.Who)
	}
	w.line(words...)
}

func (w *writer) expect(e script.Expect) string {
	switch e.Subject {
	case "hold":
		return w.holdExpected(e)
	case "accepted":
		return fmt.Sprintf("accepted %s/%s=%d", w.of(e.Holds[0], e.Window), e.Channel, e.N)
	case "transitions":
		return fmt.Sprintf("transitions %s=%d", w.of(e.Holds[0], e.Window), e.N)
	case "refused":
		return fmt.Sprintf("refused %s %s", e.Verb, e.Holds[0])
	case "sweep":
		return fmt.Sprintf("sweep#%d %s=%d", e.Sweep, e.Field, e.N)
	case "queue-empty":
		return "queue empty"
	case "dead-letters":
		return fmt.Sprintf("dead-letters %d", e.N)
	case "fires":
		return fmt.Sprintf("fires from=%s until=%s count=%d", w.clock(e.From), w.clock(e.Until), e.N)
	case "broken":
		return "broken " + e.Promise
	}
	panic(fmt.Sprintf("print expectation: unknown subject %q", e.Subject))
}

func (w *writer) of(h reference.HoldID, window time.Time) string {
	if window.IsZero() {
		return string(h)
	}
	return string(h) + "@" + w.clock(window)
}

// holdExpected prints one line for a selection: a hold, or as many as the line had.
func (w *writer) holdExpected(e script.Expect) string {
	words := []string{w.selection(e)}
	for _, say := range []struct{ key, value string }{{"email", e.Email}, {"sms", e.SMS}, {"state", e.State}} {
		if say.value != "" {
			words = append(words, say.key+"="+say.value)
		}
	}
	return strings.Join(words, " ")
}

// selection folds holds into ranges where their names follow each other, as in p1..p500,h7.
func (w *writer) selection(e script.Expect) string {
	if len(e.Holds) == 0 {
		return "all"
	}
	var parts []string
	for i := 0; i < len(e.Holds); {
		end := i + 1
		for end < len(e.Holds) && follows(string(e.Holds[end-1]), string(e.Holds[end])) {
			end++
		}
		part := w.of(e.Holds[i], e.Window)
		if end > i+1 {
			part = string(e.Holds[i]) + ".." + string(e.Holds[end-1])
		}
		parts = append(parts, part)
		i = end
	}
	return strings.Join(parts, ",")
}

// follows says that b is the name after a, in a range that both are in.
func follows(a, b string) bool {
	prefix := strings.TrimRight(a, "0123456789")
	digits := a[len(prefix):]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return false
	}
	width := 0
	if digits[0] == '0' {
		width = len(digits)
	}
	return b == fmt.Sprintf("%s%0*d", prefix, width, n+1)
}
