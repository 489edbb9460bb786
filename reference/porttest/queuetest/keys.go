package queuetest

import (
	"testing"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

func keyed(key string) reference.Entry {
	return reference.Entry{Key: key, Payload: []byte("under " + key)}
}

// collapses wants an entry under key to become part of message id, or a message of its own where
// id is empty, and gives its id.
func (q Queue) collapses(t *testing.T, when, key, id string) string {
	t.Helper()
	p := q.results(t, keyed(key))[0]
	expect.Error(t, when, nil, p.Err)
	switch {
	case id != "" && (p.MessageID != id || !p.Duplicate):
		t.Fatalf("%s: published as %+v, want a duplicate of message %s", when, p, id)
	case id == "" && (p.MessageID == "" || p.Duplicate):
		t.Fatalf("%s: published as %+v, want a message of its own", when, p)
	}
	return p.MessageID
}

func testKeys(t *testing.T, q Queue) {
	got := q.results(t, keyed("k1"), keyed("k2"), keyed("k1"), reference.Entry{Payload: []byte("a")}, reference.Entry{Payload: []byte("a")})
	for i, duplicate := range []bool{false, false, true, false, false} {
		expect.Error(t, "publish", nil, got[i].Err)
		if got[i].Duplicate != duplicate {
			t.Errorf("entry %d: duplicate is %t, want %t", i, got[i].Duplicate, duplicate)
		}
	}
	if got[2].MessageID != got[0].MessageID {
		t.Errorf("the same key became messages %s and %s", got[0].MessageID, got[2].MessageID)
	}
	q.collapses(t, "another batch", "k2", got[1].MessageID)
	if n := len(q.receive(t)); n != 4 {
		t.Errorf("received %d messages, want 4", n)
	}
	q.collapses(t, "after it was received", "k1", got[0].MessageID)
}

func testKeysWhileStored(t *testing.T, q Queue) {
	first := q.collapses(t, "at first", "k1", "")
	d := q.one(t)
	q.collapses(t, "before the ack", "k1", first)
	expect.Error(t, "ack", nil, q.Consumer.Ack(background, d))
	second := q.collapses(t, "after the ack", "k1", "")
	if second == first {
		t.Errorf("two messages have the id %s", first)
	}
	q.setAside(t, second, 1)
	third := q.collapses(t, "after it was set aside", "k1", "")
	if q.DeadLetters == nil {
		return
	}
	n, err := q.DeadLetters.Redrive(background, []string{second})
	expect.Error(t, "redrive", nil, err)
	expect.Same(t, "redriven", 1, n)
	q.collapses(t, "after a redrive", "k1", third)
	if n := len(q.receive(t)); n != 2 {
		t.Errorf("received %d messages, want the redriven one and the third", n)
	}
}

func testKeyMemory(t *testing.T, q Queue) {
	first := q.collapses(t, "at first", "k1", "")
	expect.Error(t, "ack", nil, q.Consumer.Ack(background, q.one(t)))
	q.Advance(q.Traits.KeyMemory - tick)
	q.collapses(t, "a microsecond before it is forgotten", "k1", first)
	q.none(t, "after a duplicate")
	q.Advance(tick)
	q.collapses(t, "when it is forgotten", "k1", "")
	q.one(t)
}

func testNoKeys(t *testing.T, q Queue) {
	q.collapses(t, "at first", "k1", "")
	q.collapses(t, "again", "k1", "")
	if n := len(q.receive(t)); n != 2 {
		t.Errorf("received %d messages, want 2", n)
	}
}
