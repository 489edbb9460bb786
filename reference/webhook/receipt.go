package webhook

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seathold/seathold/reference/webhook/once"
)

// refBytesMax is how long a receipt's reference may be; what is longer is cut off.
const refBytesMax = 128

// ref is the provider's name for what it accepted, if it gave one where it was expected.
func (c *Config) ref(a once.Answer) string {
	if c.RefHeader != "" {
		if ref := clean(a.Header.Get(c.RefHeader)); ref != "" {
			return ref
		}
	}
	if c.RefField == "" || a.BodyErr != nil {
		return ""
	}
	at := json.RawMessage(a.Body)
	for _, name := range strings.Split(c.RefField, ".") {
		var fields map[string]json.RawMessage
		if json.Unmarshal(at, &fields) != nil {
			return ""
		}
		at = fields[name]
	}
	var text string
	if json.Unmarshal(at, &text) == nil {
		return clean(text)
	}
	var number json.Number
	if json.Unmarshal(at, &number) == nil {
		return clean(number.String())
	}
	return ""
}

// clean leaves of a text what may go into a table, a log line and a terminal.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, text)
	for len(text) > refBytesMax {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return strings.TrimSpace(text)
}
