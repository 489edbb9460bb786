package queuetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/porttest/internal/expect"
)

func testVisibility(t *testing.T, q Queue) {
	q.publish(t, "x")
	first := q.one(t)
	second := q.comesBack(t, q.Traits.Visibility)
	if second.Receipt == first.Receipt {
		t.Errorf("both hand-overs have the receipt %s", first.Receipt)
	}
	want := first
	want.Receipt, want.Receives = second.Receipt, 2
	expect.Same(t, "second delivery", want, second)
}

func testAck(t *testing.T, q Queue) {
	q.publish(t, "x")
	expect.Error(t, "ack", nil, q.Consumer.Ack(background, q.one(t)))
	q.Advance(q.Traits.Visibility)
	q.none(t, "after the ack")
	q.dead(t, "", 10)
}

func testLateReceipt(t *testing.T, q Queue) {
	q.publish(t, "x")
	d := q.one(t)
	q.Advance(q.Traits.Visibility + time.Second)
	expect.Error(t, "ack", nil, q.Consumer.Ack(background, d))
	q.none(t, "after the ack")
}

func testOldReceipt(t *testing.T, q Queue) {
	q.publish(t, "x")
	old := q.one(t)
	q.Advance(q.Traits.Visibility)
	d := q.one(t)
	expect.Error(t, "ack", reference.ErrNotOurs, q.Consumer.Ack(background, old))
	if q.Traits.Nack {
		expect.Error(t, "nack", reference.ErrNotOurs, q.Consumer.Nack(background, old, 0))
	}
	if q.Traits.DeadLetter {
		expect.Error(t, "dead-letter", reference.ErrNotOurs, q.Consumer.DeadLetter(background, old, "x"))
	}
	q.none(t, "after the refusals")
	q.dead(t, "", 10)
	expect.Error(t, "ack", nil, q.Consumer.Ack(background, d))
	expect.Error(t, "ack again", reference.ErrNotOurs, q.Consumer.Ack(background, d))
	q.Advance(q.Traits.Visibility)
	q.none(t, "after the ack")
}

func testLateAck(t *testing.T, q Queue) {
	q.publish(t, "x")
	old := q.one(t)
	q.Advance(q.Traits.Visibility)
	q.one(t)
	expect.Error(t, "ack", nil, q.Consumer.Ack(background, old))
	q.Advance(q.Traits.Visibility)
	q.none(t, "after the late ack")
}

func testNack(t *testing.T, q Queue) {
	q.publish(t, "x")
	d := q.one(t)
	for i, after := range []time.Duration{time.Millisecond, q.Traits.Visibility + time.Second} {
		if i+1 == q.Traits.MaxReceives {
			break
		}
		expect.Error(t, "nack", nil, q.Consumer.Nack(background, d, after))
		d = q.comesBack(t, after)
	}
}

func testNackIsHint(t *testing.T, q Queue) {
	q.publish(t, "x")
	expect.Error(t, "nack", nil, q.Consumer.Nack(background, q.one(t), time.Second))
	q.comesBack(t, q.Traits.Visibility)
}

func testMaxReceives(t *testing.T, q Queue) {
	id := q.publish(t, "x")[0]
	q.setAside(t, id, 1)
	q.dead(t, "", 10, reference.DeadLetter{
		MessageID: id, Payload: []byte("x"), Receives: q.Traits.MaxReceives, Reason: q.exhausted(),
	})
}

// setAside receives the message id, from its n-th time on, until it is set aside.
func (q Queue) setAside(t *testing.T, id string, n int) {
	t.Helper()
	for ; n <= q.Traits.MaxReceives; n++ {
		d := q.one(t)
		if d.MessageID != id || d.Receives != n {
			t.Fatalf("received %+v, want message %s for time %d", d, id, n)
		}
		q.Advance(q.Traits.Visibility)
	}
	q.none(t, "after the last receive")
	q.Advance(time.Hour)
	q.none(t, "an hour later")
}

// exhausted is the reason of a dead letter that was handed over as often as may be.
func (q Queue) exhausted() string { return fmt.Sprintf("received %d times", q.Traits.MaxReceives) }

func testDeadLetter(t *testing.T, q Queue) {
	q.publish(t, "x")
	d := q.one(t)
	expect.Error(t, "dead-letter", nil, q.Consumer.DeadLetter(background, d, "not a message: 'x'"))
	q.Advance(q.Traits.Visibility)
	q.none(t, "after it was set aside")
	q.dead(t, "", 10, reference.DeadLetter{MessageID: d.MessageID, Payload: []byte("x"), Receives: 1, Reason: "not a message: 'x'"})
}

func testDeadLetterIsHint(t *testing.T, q Queue) {
	q.publish(t, "x")
	expect.Error(t, "dead-letter", nil, q.Consumer.DeadLetter(background, q.one(t), "x"))
	q.comesBack(t, q.Traits.Visibility)
}

func testDeadLetterPages(t *testing.T, q Queue) {
	q.publish(t, "a", "b", "c")
	var want []reference.DeadLetter
	deliveries := q.receive(t)
	for i := range deliveries {
		d := deliveries[len(deliveries)-1-i]
		expect.Error(t, "dead-letter", nil, q.Consumer.DeadLetter(background, d, "as is"))
		want = append(want, reference.DeadLetter{MessageID: d.MessageID, Payload: d.Payload, Receives: 1, Reason: "as is"})
		q.Advance(time.Millisecond)
	}
	q.dead(t, "", 10, want...)
	q.dead(t, "", 2, want[:2]...)
	q.dead(t, want[1].MessageID, 2, want[2:]...)
	q.dead(t, want[2].MessageID, 2)
}

func testRedrive(t *testing.T, q Queue) {
	if q.DeadLetters == nil {
		return
	}
	id := q.publish(t, "x")[0]
	old := q.one(t)
	expect.Error(t, "dead-letter", nil, q.Consumer.DeadLetter(background, old, "x"))
	for i, want := range []int{1, 0} {
		n, err := q.DeadLetters.Redrive(background, []string{id, "999999"})
		expect.Error(t, "redrive", nil, err)
		if n != want {
			t.Errorf("redrive %d: %d were there, want %d", i+1, n, want)
		}
	}
	q.dead(t, "", 10)
	if !q.Traits.LateAck {
		expect.Error(t, "ack", reference.ErrNotOurs, q.Consumer.Ack(background, old))
	}
	d := q.one(t)
	if d.MessageID != id || d.Receives != 1 || d.Receipt == old.Receipt || string(d.Payload) != "x" {
		t.Errorf("received %+v after %+v, want the same message with a fresh receipt, for the first time", d, old)
	}
	q.Advance(q.Traits.Visibility)
	q.setAside(t, id, 2)
	q.dead(t, "", 10, reference.DeadLetter{
		MessageID: id, Payload: []byte("x"), Receives: q.Traits.MaxReceives, Reason: q.exhausted(),
	})
}
