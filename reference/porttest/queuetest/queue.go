// Package queuetest is the conformance suite of a broker: reference.Publisher, Consumer and
// DeadLetters. Package porttest is the way in.
package queuetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

// WhileStored as a KeyMemory: a key is remembered until its message is acknowledged or set aside.
const WhileStored time.Duration = -1

// Queue is a broker and what the suite needs besides.
type Queue struct {
	Publisher reference.Publisher
	Consumer  reference.Consumer
	// DeadLetters is nil where an operator's tools can't be had.
	DeadLetters reference.DeadLetters
	// Advance moves the broker's clock on, which stands still otherwise.
	Advance func(time.Duration)
	Traits  Traits
}

// Traits are in what brokers differ.
type Traits struct {
	// KeyMemory is how long a key is remembered from its publishing on, whatever becomes of the
	// message; WhileStored, or zero where it isn't at all.
	KeyMemory time.Duration
	// Ordered says that messages are handed over in the order in which they became visible, and
	// those of one instant as they were published.
	Ordered bool
	// LateAck says that an ack with the receipt of an earlier hand-over succeeds, and removes the
	// message.
	LateAck bool
	// Nack says that Nack's wait is followed; where not, it is left to the visibility.
	Nack bool
	// DeadLetter says that DeadLetter sets the message aside at once; where not, it is left to the
	// visibility and the limit of receives.
	DeadLetter bool
	// Visibility is at least 2s. MaxReceives is how often a message is handed over before it is set
	// aside, at least 2.
	Visibility  time.Duration
	MaxReceives int
}

// Run runs the suite. Open gives an empty queue.
func Run(t *testing.T, open func(t *testing.T) Queue) {
	traits := open(t).Traits
	for _, c := range []struct {
		name    string
		applies bool
		test    func(*testing.T, Queue)
	}{
		{"payloads-come-back-byte-for-byte", true, testPayloads},
		{"results-are-per-entry", true, testPublishResults},
		{"delayed-until-its-time", true, testDelay},
		{"at-most-max-are-received", true, testReceiveMax},
		{"handed-over-in-order", traits.Ordered, testOrder},
		{"same-key-collapses", traits.KeyMemory != 0, testKeys},
		{"key-is-forgotten-with-its-message", traits.KeyMemory == WhileStored, testKeysWhileStored},
		{"key-is-remembered-for-its-time", traits.KeyMemory > 0, testKeyMemory},
		{"every-entry-is-a-message-without-keys", traits.KeyMemory == 0, testNoKeys},
		{"hidden-until-its-visibility-ends", true, testVisibility},
		{"acknowledged-is-gone", true, testAck},
		{"late-receipt-is-good-until-received-again", true, testLateReceipt},
		{"old-receipt-is-refused", !traits.LateAck, testOldReceipt},
		{"old-receipt-still-acknowledges", traits.LateAck, testLateAck},
		{"nacked-comes-back-after-its-wait", traits.Nack, testNack},
		{"nacked-comes-back-after-its-visibility", !traits.Nack, testNackIsHint},
		{"set-aside-after-max-receives", true, testMaxReceives},
		{"dead-lettered-is-set-aside", traits.DeadLetter, testDeadLetter},
		{"dead-lettered-is-left-to-its-visibility", !traits.DeadLetter, testDeadLetterIsHint},
		{"dead-letters-are-listed-in-pages", traits.DeadLetter, testDeadLetterPages},
		{"redriven-starts-anew", traits.DeadLetter, testRedrive},
		{"cancelled-context", true, testQueueCancelled},
	} {
		if c.applies {
			t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
		}
	}
}

// tick is the shortest time there is.
const tick = time.Microsecond

var background = context.Background()

// publish publishes payloads without keys, and gives the messages' ids.
func (q Queue) publish(t *testing.T, payloads ...string) []string {
	t.Helper()
	var entries []reference.Entry
	for _, p := range payloads {
		entries = append(entries, reference.Entry{Payload: []byte(p)})
	}
	var ids []string
	for _, p := range q.results(t, entries...) {
		expect.Error(t, "publish", nil, p.Err)
		if p.MessageID == "" || p.Duplicate || slices.Contains(ids, p.MessageID) {
			t.Fatalf("published as %+v after %v, want a message of its own", p, ids)
		}
		ids = append(ids, p.MessageID)
	}
	return ids
}

func (q Queue) results(t *testing.T, entries ...reference.Entry) []reference.Published {
	t.Helper()
	results, err := q.Publisher.Publish(background, entries)
	expect.Error(t, "publish", nil, err)
	if len(results) != len(entries) {
		t.Fatalf("%d results, want one for each of %d entries", len(results), len(entries))
	}
	return results
}

// receive takes everything that is visible.
func (q Queue) receive(t *testing.T) []reference.Delivery {
	t.Helper()
	var all []reference.Delivery
	for range 100 {
		some, err := q.Consumer.Receive(background, 10, 0)
		expect.Error(t, "receive", nil, err)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
	}
	t.Fatal("messages without end")
	return nil
}

// one takes the one message that is visible.
func (q Queue) one(t *testing.T) reference.Delivery {
	t.Helper()
	got := q.receive(t)
	if len(got) != 1 {
		t.Fatalf("received %d messages, want 1: %+v", len(got), got)
	}
	return got[0]
}

// none wants nothing to be visible, and says when that is.
func (q Queue) none(t *testing.T, when string) {
	t.Helper()
	if got := q.receive(t); len(got) > 0 {
		t.Fatalf("%s: received %+v, want nothing", when, got)
	}
}

// comesBack wants nothing to be visible before d has passed, and one message then.
func (q Queue) comesBack(t *testing.T, d time.Duration) reference.Delivery {
	t.Helper()
	if d > 0 {
		q.Advance(d - tick)
		q.none(t, "a microsecond before "+d.String())
		q.Advance(tick)
	}
	return q.one(t)
}

// dead wants these dead letters, whatever their times.
func (q Queue) dead(t *testing.T, after string, limit int, want ...reference.DeadLetter) {
	t.Helper()
	if q.DeadLetters == nil {
		return
	}
	got, err := q.DeadLetters.List(background, after, limit)
	expect.Error(t, "list dead letters", nil, err)
	expect.Same(t, "dead letters", want, got, cmpopts.IgnoreFields(reference.DeadLetter{}, "At"))
	for i := range got {
		if i > 0 && got[i].At.Before(got[i-1].At) {
			t.Errorf("dead letter %s was set aside before %s, and is listed after it", got[i].MessageID, got[i-1].MessageID)
		}
	}
}

func testPayloads(t *testing.T, q Queue) {
	payloads := []string{
		`{ "b":1, "a":"ü\u00fc🎓", "a":2 }`, "no JSON\r\n", "\x00\x01\xfe\xff'\\", string(bytes.Repeat([]byte("x"), 10_000)),
	}
	ids := q.publish(t, payloads...)
	got := q.receive(t)
	slices.SortFunc(got, func(a, b reference.Delivery) int {
		return slices.Index(ids, a.MessageID) - slices.Index(ids, b.MessageID)
	})
	for i, d := range got {
		if d.MessageID != ids[i] || d.Receives != 1 || d.Receipt == "" || string(d.Payload) != payloads[i] {
			t.Errorf("received %+v, want message %s with payload %q, for the first time", d, ids[i], payloads[i])
		}
	}
	if len(got) != len(payloads) {
		t.Errorf("received %d messages, want %d", len(got), len(payloads))
	}
}

func testPublishResults(t *testing.T, q Queue) {
	results := q.results(t,
		reference.Entry{Payload: []byte("first")},
		reference.Entry{Payload: make([]byte, reference.PayloadBytesMax)},
		reference.Entry{Payload: bytes.Repeat([]byte("x"), reference.PayloadBytesMax-1)},
		reference.Entry{Payload: []byte("x"), Delay: reference.DelayMax + tick},
		reference.Entry{Payload: []byte("x"), Delay: -tick},
		reference.Entry{Payload: []byte("last"), Delay: reference.DelayMax},
	)
	for i, want := range []error{nil, reference.ErrInvalid, nil, reference.ErrInvalid, reference.ErrInvalid, nil} {
		expect.Error(t, fmt.Sprintf("entry %d", i), want, results[i].Err)
		if (results[i].MessageID == "") != (want != nil) {
			t.Errorf("entry %d is message %q, and its error %v", i, results[i].MessageID, results[i].Err)
		}
	}
	if got := q.receive(t); len(got) != 2 {
		t.Errorf("received %d messages, want 2", len(got))
	}
	if got, err := q.Publisher.Publish(background, nil); err != nil || len(got) != 0 {
		t.Errorf("publishing nothing gave %v and %v, want nothing", got, err)
	}
}

func testDelay(t *testing.T, q Queue) {
	q.results(t, reference.Entry{Payload: []byte("x"), Delay: 10 * time.Second})
	if d := q.comesBack(t, 10*time.Second); d.Receives != 1 {
		t.Errorf("received %d times, want once", d.Receives)
	}
}

func testReceiveMax(t *testing.T, q Queue) {
	q.publish(t, "a", "b", "c")
	for range 3 {
		got, err := q.Consumer.Receive(background, 1, 0)
		expect.Error(t, "receive", nil, err)
		if len(got) != 1 {
			t.Fatalf("received %d messages, want 1", len(got))
		}
	}
	q.none(t, "after three of three")
}

func testOrder(t *testing.T, q Queue) {
	var entries []reference.Entry
	for i, delay := range []int{0, 3, 1, 0, 3, 2, 0, 0, 0, 0, 0, 0} {
		entries = append(entries, reference.Entry{Payload: []byte{byte('a' + i)}, Delay: time.Duration(delay) * time.Second})
	}
	q.results(t, entries...)
	q.Advance(time.Minute)
	var got []byte
	for _, d := range q.receive(t) {
		got = append(got, d.Payload...)
	}
	expect.Same(t, "order", "adghijklcfbe", string(got))
}

func testQueueCancelled(t *testing.T, q Queue) {
	q.publish(t, "x")
	d := q.one(t)
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err := q.Publisher.Publish(ctx, []reference.Entry{{Payload: []byte("y")}})
	expect.Error(t, "publish", context.Canceled, err)
	_, err = q.Consumer.Receive(ctx, 1, time.Minute)
	expect.Error(t, "receive", context.Canceled, err)
	expect.Error(t, "ack", context.Canceled, q.Consumer.Ack(ctx, d))
	expect.Error(t, "nack", context.Canceled, q.Consumer.Nack(ctx, d, 0))
	expect.Error(t, "dead-letter", context.Canceled, q.Consumer.DeadLetter(ctx, d, "x"))
	if again := q.comesBack(t, q.Traits.Visibility); again.MessageID != d.MessageID {
		t.Errorf("received message %s, want %s", again.MessageID, d.MessageID)
	}
}
