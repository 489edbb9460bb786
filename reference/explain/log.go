package explain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seathold/seathold/reference"
)

const lineBytesMax = 1 << 20

// ReadLog reads the JSON lines that holdsweep and holdworker log, of any number of processes in any
// order, and gives what they say about a hold. Lines that are none of theirs are passed over; skipped
// counts them.
func ReadLog(from io.Reader, id reference.HoldID) (events []Event, skipped int, err error) {
	lines := bufio.NewReaderSize(from, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if len(bytes.TrimSpace(line)) > 0 {
			switch e, of, known := readEvent(line); {
			case !known:
				skipped++
			case of == id:
				events = append(events, e)
			}
		}
		switch {
		case err == io.EOF:
			return events, skipped, nil
		case err != nil:
			return nil, skipped, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// readLine reads a line of any length, and gives nothing of one that is too long to be ours.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for long := false; ; {
		part, err := from.ReadSlice('\n')
		if long = long || len(line)+len(part) > lineBytesMax; !long {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case long:
			return []byte("too long"), err
		}
		return line, err
	}
}

func readEvent(line []byte) (Event, reference.HoldID, bool) {
	var fields map[string]any
	if json.Unmarshal(line, &fields) != nil {
		return Event{}, "", false
	}
	l := entry(fields)
	at, err := time.Parse(time.RFC3339Nano, l.text("time"))
	if err != nil || l.text("msg") == "" {
		return Event{}, "", false
	}
	return Event{at.UTC(), fromLog, l.words()}, reference.HoldID(l.raw("hold")), true
}

// entry is one line of a log.
type entry map[string]any

func (l entry) raw(key string) string {
	text, _ := l[key].(string)
	return text
}

// text is a value as it may be shown.
func (l entry) text(key string) string {
	switch v := l[key].(type) {
	case nil:
		return ""
	case string:
		return printable(v)
	default:
		return printable(fmt.Sprint(v))
	}
}

// with gives format with the value of key in it, or nothing where there is none.
func (l entry) with(format, key string) string {
	if v := l.text(key); v != "" {
		return fmt.Sprintf(format, v)
	}
	return ""
}

// said are keys that every sentence tells of, or leaves out on purpose.
var said = []string{"time", "level", "msg", "program", "slot", "hold", "window", "kind", "channel", "message", "delivery", "token", "error"}

// words says what a line says: who, what, with what answer.
func (l entry) words() string {
	who := l.text("program") + l.with(" slot %s", "slot")
	what, told := l.what()
	var more []string
	for _, key := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(said, key) && !slices.Contains(told, key) {
			more = append(more, key+" "+l.text(key))
		}
	}
	if token := l.text("token"); token != "" {
		more = append(more, "attempt "+token)
	}
	if len(more) > 0 {
		what += " (" + strings.Join(more, ", ") + ")"
	}
	if failed := l.text("error"); failed != "" {
		what += "; error: " + failed
	}
	return strings.TrimSpace(who + " " + what)
}

// what says what happened, and which keys it has told of beside those of said.
func (l entry) what() (string, []string) {
	channel, message := l.text("channel"), l.text("message")
	failed := l.text("error") != "" && l.text("answer") == ""
	switch point := l.text("msg"); point {
	case "sweep.publish":
		return fmt.Sprintf("publishes %s as message %s: %s", l.text("kind"), message, l.text("answer")), []string{"answer"}
	case "sweep.backstop":
		return "expires the hold by itself, as the backstop", nil
	case "worker.receive":
		return fmt.Sprintf("receives message %s (%s), delivery %s", message, l.text("kind"), l.text("delivery")), nil
	case "worker.claim":
		if failed {
			return "asks to claim " + channel + ", without an answer", nil
		}
		return "claims " + channel + ": " + l.text("answer") + l.with(", %s", "outcome"), []string{"answer", "outcome"}
	case "provider.send":
		return "sends " + channel + ": " + l.text("answer") + l.with(", as %s", "ref"), []string{"answer", "ref"}
	case "worker.settle":
		return "settles " + channel + l.with(" as %s", "outcome") + l.with(": %s", "answer"), []string{"answer", "outcome"}
	case "worker.release":
		return "gives " + channel + " back" + l.with(", in doubt: %s", "doubt"), []string{"doubt"}
	case "worker.expire":
		return "expires the hold" + l.with(": %s", "answer"), []string{"answer"}
	case "worker.ack":
		return "acknowledges message " + message, nil
	case "worker.nack":
		return "gives message " + message + " back" + l.with(", for %s ms", "again_ms"), []string{"again_ms"}
	case "worker.dead-letter":
		return "sets message " + message + " aside" + l.with(": %s", "answer"), []string{"answer"}
	case "worker.panic":
		return "panics over message " + message, nil
	default:
		return point + l.with(": %s", "answer"), []string{"answer"}
	}
}

// printable is text that came from elsewhere, as it may go to a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return '\ufffd'
		}
		return r
	}, text)
}
