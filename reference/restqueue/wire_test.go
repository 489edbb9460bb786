package restqueue

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzPayload: whatever the bytes, they come back, and the value that is sent is JSON.
func FuzzPayload(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, ` { "b":1, "a":"<ü\u00fc🎓>", "a":2 } `, `{"a":`, `[1]`, `null`, `"text"`, "\x00\x01\xfe\xff'\\", "{\"a\":\"\xff\"}",
		"no JSON\r\n", "base64:AAAA", "base64:?", "base64:", "{\"a\":1}\x00", "\u2028",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, payload []byte, asText bool) {
		value, size := encodePayload(payload, asText)
		if !json.Valid(value) || asText && value[0] != '"' {
			t.Fatalf("%q is sent as %q", payload, value)
		}
		if size < len(payload) {
			t.Errorf("%q counts as %d bytes, and has %d", payload, size, len(payload))
		}
		// As an answer has it: somewhere inside an object.
		answer, err := parse(object{}.with("payload", value).end())
		if err != nil {
			t.Fatal(err)
		}
		if got := decodePayload(answer["payload"]); !bytes.Equal(got, payload) {
			t.Errorf("%q is sent as %q and comes back as %q", payload, value, got)
		}
	})
}
