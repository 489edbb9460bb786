package audit

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
)

// Acceptance is one send that a provider says it accepted.
type Acceptance struct {
	// Key is the reminder key.
	Key string
	At  time.Time
	// Ref is the provider's name for it; it may be empty.
	Ref string
}

// Log is what a provider accepted, by reminder key.
type Log struct {
	accepted map[string][]Acceptance
	// Accepted is how many there were.
	Accepted int
	// UnknownAccepted and UnknownNotAccepted count reminders with the outcome unknown, by what the
	// log knows; DoubledByPolicy those accepted twice where send-first allows for it.
	UnknownAccepted, UnknownNotAccepted, DoubledByPolicy int
}

// NewLog makes a log.
func NewLog(all []Acceptance) *Log {
	l := &Log{accepted: map[string][]Acceptance{}, Accepted: len(all)}
	for _, a := range all {
		l.accepted[a.Key] = append(l.accepted[a.Key], a)
	}
	for _, of := range l.accepted {
		slices.SortFunc(of, func(a, b Acceptance) int { return a.At.Compare(b.At) })
	}
	return l
}

// Of gives what was accepted of a reminder, in order of time.
func (l *Log) Of(r reference.Reminder) []Acceptance { return l.accepted[r.Key()] }

// take gives what was accepted of a reminder, and forgets it.
func (l *Log) take(r reference.Reminder) []Acceptance {
	if l == nil {
		return nil
	}
	key := r.Key()
	accepted := l.accepted[key]
	delete(l.accepted, key)
	return accepted
}

// rest gives what was not taken, in order of time.
func (l *Log) rest() []Acceptance {
	if l == nil {
		return nil
	}
	var left []Acceptance
	for _, key := range slices.Sorted(maps.Keys(l.accepted)) {
		left = append(left, l.accepted[key]...)
	}
	slices.SortStableFunc(left, func(a, b Acceptance) int { return a.At.Compare(b.At) })
	return left
}

// Fields are the names of a log's fields or columns. Small and capital letters are the same, and
// so are - and _.
type Fields struct{ Key, At, Ref []string }

// DefaultFields are the names that are looked for, the first that is there.
func DefaultFields() Fields {
	return Fields{
		Key: []string{"reminder_key", "idempotency_key", "key"},
		At:  []string{"accepted_at", "accepted", "at", "time", "timestamp"},
		Ref: []string{"ref", "reference", "provider_ref", "message_id", "id"},
	}
}

const lineBytesMax = 1 << 20

// ReadLog reads JSON lines, or CSV with a header: for each send that was accepted its reminder key,
// when (RFC 3339, or Unix seconds), and perhaps the provider's reference. Empty lines are nothing.
// The error names the line.
func ReadLog(from io.Reader, f Fields) ([]Acceptance, error) {
	in := bufio.NewReaderSize(from, 64<<10)
	start, err := in.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch text := bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff"))); {
	case len(text) == 0 && len(start) < 64:
		return nil, nil
	case len(text) > 0 && text[0] == '{':
		return readLines(in, f)
	}
	return readCSV(in, f)
}

func readLines(in *bufio.Reader, f Fields) ([]Acceptance, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, lineBytesMax)
	var all []Acceptance
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var fields map[string]any
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&fields); err != nil {
			return nil, fmt.Errorf("line %d is no JSON object: %w", n, err)
		}
		values := map[string]string{}
		for name, value := range fields {
			switch v := value.(type) {
			case string:
				values[plain(name)] = v
			case json.Number:
				values[plain(name)] = v.String()
			}
		}
		a, err := f.acceptance(values)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return all, nil
}

func readCSV(in io.Reader, f Fields) ([]Acceptance, error) {
	records := csv.NewReader(in)
	header, err := records.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	for i, name := range header {
		header[i] = plain(strings.TrimPrefix(name, "\ufeff"))
	}
	if _, found := pick(f.Key, func(name string) (string, bool) { return name, slices.Contains(header, name) }); !found {
		return nil, fmt.Errorf("line 1: no column is called %s, and the columns are %s", strings.Join(f.Key, " or "), strings.Join(header, ", "))
	}
	var all []Acceptance
	for {
		record, err := records.Read()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err // it names the line
		}
		values := map[string]string{}
		for i, name := range header {
			values[name] = strings.TrimSpace(record[i])
		}
		a, err := f.acceptance(values)
		if err != nil {
			line, _ := records.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		all = append(all, a)
	}
}

func plain(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_")
}

func pick(names []string, of func(name string) (string, bool)) (string, bool) {
	for _, name := range names {
		if value, found := of(plain(name)); found {
			return value, true
		}
	}
	return "", false
}

func (f Fields) acceptance(values map[string]string) (a Acceptance, err error) {
	of := func(name string) (string, bool) { value := values[name]; return value, value != "" }
	var found bool
	if a.Key, found = pick(f.Key, of); !found {
		return a, fmt.Errorf("no reminder key, by the name of %s", strings.Join(f.Key, " or "))
	}
	when, found := pick(f.At, of)
	if !found {
		return a, fmt.Errorf("no time, by the name of %s", strings.Join(f.At, " or "))
	}
	if a.At, err = parseTime(when); err != nil {
		return a, err
	}
	a.Ref, _ = pick(f.Ref, of)
	return a, nil
}

func parseTime(text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.UTC(), nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds < 0 || seconds > 1e11 {
		return time.Time{}, fmt.Errorf("time %q is neither RFC 3339 nor Unix seconds", text)
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)).Round(time.Microsecond).UTC(), nil
}
