package restqueue

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seathold/seathold/reference"
)

// object is a JSON object in the making. It is put together by hand so that a payload gets into it
// as it is: encoding/json would compact it.
type object []byte

func (o object) with(name string, value []byte) object {
	if len(o) == 0 {
		o = append(o, '{')
	} else {
		o = append(o, ',')
	}
	o = append(o, text(name)...)
	o = append(o, ':')
	return append(o, value...)
}

func (o object) end() []byte { return append(o, '}') }

// text is a string as JSON.
func text(s string) []byte {
	out, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("encode %q: %v", s, err))
	}
	return out
}

// fields are a JSON object that was received.
type fields map[string]json.RawMessage

func parse(raw []byte) (fields, error) {
	var f fields
	// What json says of an answer quotes it.
	if json.Unmarshal(raw, &f) != nil {
		return nil, fmt.Errorf("%w: no JSON object", ErrBadAnswer)
	}
	return f, nil
}

// object gives a field that is an object; nil if it isn't there.
func (f fields) object(name string) (fields, error) {
	if len(f[name]) == 0 {
		return nil, nil
	}
	inner, err := parse(f[name])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return inner, nil
}

// boolean gives a field that is true or false; or what is meant if it isn't there.
func (f fields) boolean(name string, missing bool) (bool, error) {
	value := missing
	if len(f[name]) > 0 && json.Unmarshal(f[name], &value) != nil {
		return false, fmt.Errorf("%s: %w: neither true nor false", name, ErrBadAnswer)
	}
	return value, nil
}

// id gives the message's id.
func (f fields) id(name string) (string, error) {
	var id string
	if json.Unmarshal(f[name], &id) != nil || id == "" {
		return "", fmt.Errorf("%s: %w: no text", name, ErrBadAnswer)
	}
	return id, nil
}

const base64Mark = "base64:"

// encodePayload gives a payload as JSON, and how many bytes of the service's limit it takes.
func encodePayload(payload []byte, asText bool) (value []byte, size int) {
	readable := utf8.Valid(payload)
	bare := bytes.HasPrefix(payload, []byte("{")) && bytes.HasSuffix(payload, []byte("}")) // no blanks around it to be lost
	if readable && !asText && bare && json.Valid(payload) {
		return payload, len(payload)
	}
	content := string(payload)
	if !readable || strings.HasPrefix(content, base64Mark) {
		content = base64Mark + base64.StdEncoding.EncodeToString(payload)
	}
	return text(content), len(content)
}

// decodePayload gives back what encodePayload was given.
func decodePayload(value json.RawMessage) []byte {
	var content string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &content) != nil {
		return value
	}
	if inner, marked := strings.CutPrefix(content, base64Mark); marked {
		if payload, err := base64.StdEncoding.DecodeString(inner); err == nil {
			return payload
		}
	}
	return []byte(content)
}

// seconds rounds up: a message may come later than it was to, and never earlier.
func seconds(d time.Duration) []byte {
	return fmt.Appendf(nil, "%d", (d+time.Second-1)/time.Second)
}

func checkSize(size int) error {
	if size >= reference.PayloadBytesMax {
		return fmt.Errorf("payload of %d bytes as it is sent, and it must have fewer than %d: %w", size, reference.PayloadBytesMax, reference.ErrInvalid)
	}
	return nil
}
