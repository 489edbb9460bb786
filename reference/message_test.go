package reference_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestReminderKey(t *testing.T) {
	if got, want := email.Key(), sha("h1:1772453400:email"); got != want {
		t.Errorf("key is %s, want %s", got, want)
	}
	if got, want := email.String(), "h1@2026-03-02T12:10:00Z/email"; got != want {
		t.Errorf("reminder is %s, want %s", got, want)
	}
}

func TestMessageKey(t *testing.T) {
	const ren, backstop = 30 * time.Second, 10 * time.Minute
	for _, c := range []struct {
		name string
		kind reference.Kind
		age  time.Duration
		want string
	}{
		{"not-due-yet", reference.Remind, -time.Hour, ""},
		{"just-due", reference.Remind, 0, ""},
		{"just-due-to-expire", reference.Expire, 0, ":expire"},
		{"before-renominate", reference.Remind, ren - 1, ""},
		{"renominate", reference.Remind, ren, ":1"},
		{"renominate-expire", reference.Expire, ren, ":expire:1"},
		{"before-three", reference.Remind, 3*ren - 1, ":1"},
		{"three", reference.Remind, 3 * ren, ":2"},
		{"before-seven", reference.Remind, 7*ren - 1, ":2"},
		{"seven", reference.Remind, 7 * ren, ":3"},
		{"fifteen", reference.Remind, 15 * ren, ":4"},
		{"before-backstop", reference.Expire, backstop - 1, ":expire:4"},
		{"backstop-is-20-renominates", reference.Expire, backstop, ":expire:5"},
		{"before-second-backstop", reference.Expire, 2*backstop - 1, ":expire:6"},
		{"second-backstop", reference.Expire, 2 * backstop, ":expire:7"},
		{"a-day", reference.Expire, 24 * time.Hour, ":expire:155"},
		{"a-day-and-a-backstop", reference.Expire, 24*time.Hour + backstop, ":expire:156"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := reference.MessageKey(c.kind, window, c.age, ren, backstop), sha("h1:1772453400"+c.want); got != want {
				t.Errorf("key is %s, want that of %q", got, c.want)
			}
		})
	}
}

func TestEncodeDecode(t *testing.T) {
	m := reference.Message{Kind: reference.Expire, Window: reference.Window{Hold: "ö\"🎓", ExpiresAt: ends}, Learner: "l1", Section: "s1", Zone: "Europe/Berlin"}
	payload, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"kind":"expire","hold_id":"ö\"🎓","learner_id":"l1","section_id":"s1","expires_at":1772453400,"timezone":"Europe/Berlin"}`
	if string(payload) != want {
		t.Errorf("payload is %s, want %s", payload, want)
	}
	got, err := reference.DecodeMessage(payload)
	if d := cmp.Diff(m, got); d != "" || err != nil {
		t.Errorf("error %v, message (-want +got):\n%s", err, d)
	}
}

func TestDecodeMessage(t *testing.T) {
	const good = `{"v":1,"kind":"remind","hold_id":"h1","learner_id":"l1","section_id":"s1","expires_at":1772453400,"timezone":"UTC"}`
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, c := range []struct{ name, payload, why string }{
		{"good", good, ""},
		{"good-with-space-around", " \n" + good + "\n\t", ""},
		{"field-of-a-later-version", with(`"v":1`, `"v":1,"campaign":{"a":[1]}`), ""},
		{"no-learner", with(`"learner_id":"l1",`, ""), ""},
		{"nothing", "", "unexpected end of JSON input"},
		{"half", good[:40], "unexpected end of JSON input"},
		{"binary", "\x00\xff", "invalid character"},
		{"null", "null", "version 0"},
		{"list", "[" + good + "]", "cannot unmarshal array"},
		{"text", `"remind"`, "cannot unmarshal string"},
		{"two-objects", good + good, "after top-level value"},
		{"brace-too-many", good + "}", "after top-level value"},
		{"no-version", with(`"v":1,`, ""), "version 0, and 1 is understood"},
		{"later-version", with(`"v":1`, `"v":2`), "version 2, and 1 is understood"},
		{"version-as-text", with(`"v":1`, `"v":"1"`), "cannot unmarshal string"},
		{"unknown-kind", with("remind", "nudge"), `unknown kind "nudge"`},
		{"no-kind", with(`"kind":"remind",`, ""), `unknown kind ""`},
		{"no-hold", with(`"h1"`, `""`), "hold_id is empty"},
		{"long-hold", with(`h1`, strings.Repeat("h", 201)), "201 bytes, and 200 is the most"},
		{"hold-with-control-characters", with(`h1`, `h\n1`), "control characters"},
		{"time-as-text", with(`1772453400`, `"2026-03-02T12:10:00Z"`), "cannot unmarshal string"},
		{"time-in-milliseconds", with(`1772453400`, `1772453400000`), "not between the years 2000 and 9000"},
		{"time-with-fraction", with(`1772453400`, `1772453400.5`), "cannot unmarshal number"},
		{"time-beyond-numbers", with(`1772453400`, `99999999999999999999`), "cannot unmarshal number"},
		{"time-at-the-last-second-there-is", with(`1772453400`, `9223372036854775807`), "not between the years"},
		{"no-time", with(`"expires_at":1772453400,`, ""), "not between the years"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := reference.DecodeMessage([]byte(c.payload))
			switch {
			case c.why == "" && (err != nil || m.Window != window):
				t.Errorf("message %+v, error %v, want one about %s", m, err, window)
			case c.why != "" && (!errors.Is(err, reference.ErrBadMessage) || !strings.Contains(err.Error(), c.why)):
				t.Errorf("error is %v, want one that wraps %q and says %q", err, reference.ErrBadMessage, c.why)
			case c.why != "" && m != (reference.Message{}):
				t.Errorf("message is %+v beside an error", m)
			}
		})
	}
}

func FuzzDecodeMessage(f *testing.F) {
	f.Add([]byte(`{"v":1,"kind":"remind","hold_id":"h1","learner_id":"l1","section_id":"s1","expires_at":1772453400,"timezone":"UTC"}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		m, err := reference.DecodeMessage(payload)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatalf("encode %+v: %v", m, err)
		}
		if back, err := reference.DecodeMessage(again); err != nil || back != m {
			t.Fatalf("%+v came back as %+v, error %v", m, back, err)
		}
	})
}

// TestNextKeyAge shows that the key stays the same up to the next age, and changes at it.
func TestNextKeyAge(t *testing.T) {
	const renominate, backstop = 30 * time.Second, 10 * time.Minute
	w := reference.Window{Hold: "h1", ExpiresAt: time.Date(2026, 3, 2, 12, 10, 0, 0, time.UTC)}
	key := func(age time.Duration) string {
		return reference.MessageKey(reference.Remind, w, age, renominate, backstop)
	}
	for age := -time.Minute; age < 25*time.Hour; age += 7 * time.Second {
		next := reference.NextKeyAge(age, renominate, backstop)
		if next <= age || key(next-1) != key(age) || key(next) == key(age) {
			t.Fatalf("at age %s the key is said to change at %s, and doesn't just then", age, next)
		}
	}
}

// TestNextKeyAgeAtAChange: from an age at which the key has just changed it goes on.
func TestNextKeyAgeAtAChange(t *testing.T) {
	const renominate, backstop = 30 * time.Second, 10 * time.Minute
	for age := time.Duration(0); age < 3*time.Hour; {
		next := reference.NextKeyAge(age, renominate, backstop)
		if next <= age {
			t.Fatalf("at age %s the key is said to change at %s", age, next)
		}
		age = next
	}
}
