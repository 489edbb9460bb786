package reference

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"time"
)

// Kind is what a message asks for.
type Kind string

// The kinds of message.
const (
	Remind Kind = "remind" // nudge the learner on every channel
	Expire Kind = "expire" // give the seat back
)

// MessageVersion is the version of the message format that this package writes and reads.
const MessageVersion = 1

// PayloadBytesMax is the size below which a payload must stay, by the hosted queue's contract.
const PayloadBytesMax = 256 << 10

// DelayMax is the longest a message may be delayed, by the hosted queue's contract.
const DelayMax = 7 * 24 * time.Hour

// Check refuses what no broker of ours may be handed, wrapping ErrInvalid.
func (e Entry) Check() error {
	switch {
	case len(e.Payload) >= PayloadBytesMax:
		return fmt.Errorf("payload of %d bytes, and it must have fewer than %d: %w", len(e.Payload), PayloadBytesMax, ErrInvalid)
	case e.Delay < 0 || e.Delay > DelayMax:
		return fmt.Errorf("delay of %s is not from 0 to %s: %w", e.Delay, DelayMax, ErrInvalid)
	}
	return nil
}

// Message asks a worker to do one thing about one window. It carries no decision: the worker
// decides by what the database says when it gets there.
type Message struct {
	Kind    Kind
	Window  Window
	Learner LearnerID
	Section SectionID
	Zone    string
}

type wireMessage struct {
	V         int       `json:"v"`
	Kind      Kind      `json:"kind"`
	HoldID    HoldID    `json:"hold_id"`
	LearnerID LearnerID `json:"learner_id"`
	SectionID SectionID `json:"section_id"`
	ExpiresAt int64     `json:"expires_at"`
	Timezone  string    `json:"timezone"`
}

// Encode writes m as JSON, version MessageVersion.
func (m Message) Encode() ([]byte, error) {
	return json.Marshal(wireMessage{MessageVersion, m.Kind, m.Window.Hold, m.Learner, m.Section, m.Window.ExpiresAt.Unix(), m.Zone})
}

// DecodeMessage reads what Encode wrote. It ignores fields that it doesn't know, for a later
// version may add some, and refuses another version, an unknown kind, a window that can't be and
// anything after the object; the error wraps ErrBadMessage.
func DecodeMessage(payload []byte) (Message, error) {
	var w wireMessage
	if err := json.Unmarshal(payload, &w); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrBadMessage, err)
	}
	m := Message{w.Kind, Window{w.HoldID, time.Unix(w.ExpiresAt, 0).UTC()}, w.LearnerID, w.SectionID, w.Timezone}
	switch {
	case w.V != MessageVersion:
		return Message{}, fmt.Errorf("%w: version %d, and %d is understood", ErrBadMessage, w.V, MessageVersion)
	case m.Kind != Remind && m.Kind != Expire:
		return Message{}, fmt.Errorf("%w: unknown kind %q", ErrBadMessage, m.Kind)
	}
	if err := checkID("hold_id", string(m.Window.Hold)); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrBadMessage, err)
	}
	if err := checkWindowEnd(m.Window.ExpiresAt); err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrBadMessage, err)
	}
	return m, nil
}

// MessageKey is the publisher's idempotency key: the same for overlapping sweeps, so that a broker
// may collapse them, and another one as the window ages, so that a broker which remembers keys for
// a day doesn't swallow every retry of a message that was lost or dead-lettered. Age is the time
// since the message became due; the key changes when age reaches 1, 3, 7, … times renominate, and
// beyond backstop at every further backstop.
func MessageKey(kind Kind, w Window, age, renominate, backstop time.Duration) string {
	name := string(w.Hold) + ":" + strconv.FormatInt(w.ExpiresAt.Unix(), 10)
	if kind == Expire {
		name += ":expire"
	}
	if n := nomination(age, renominate, backstop); n > 0 {
		name += ":" + strconv.Itoa(n)
	}
	return keyOf(name)
}

// nomination is floor(log2(1 + age ÷ renominate)), which is one less than the number of bits of
// the whole part, and one more for every backstop that has passed.
func nomination(age, renominate, backstop time.Duration) int {
	if age < 0 {
		return 0
	}
	return bits.Len64(1+uint64(age/renominate)) - 1 + int(age/backstop)
}

// NextKeyAge is the age at which MessageKey gives another key than at this age.
func NextKeyAge(age, renominate, backstop time.Duration) time.Duration {
	next := (max(age, 0)/backstop + 1) * backstop
	for step := renominate; step < next; step = 2*step + renominate {
		if step > age {
			next = step
		}
	}
	return next
}
