package stub

import (
	"errors"
	"fmt"
	"time"
)

// Rule is what a Stub does with some requests. The zero Rule is how all others are answered: it
// accepts at once, and says so.
type Rule struct {
	// Name is what it is counted under.
	Name string `json:"name,omitempty"`
	// Channel and Hold say which requests the rule is for; empty is any.
	Channel string `json:"channel,omitempty"`
	Hold    string `json:"hold,omitempty"`
	// Times is how many requests it is for, and then no more; zero is without end. Share is for how
	// many of those it is for, from 0 to 1, by chance; zero is all.
	Times int     `json:"times,omitempty"`
	Share float64 `json:"share,omitempty"`

	// Wait is how long it waits before it accepts, and Then before it answers, whether or not the
	// caller is still there.
	Wait Duration `json:"wait,omitempty"`
	Then Duration `json:"then,omitempty"`
	// Refuse accepts nothing.
	Refuse bool `json:"refuse,omitempty"`
	// Status is the answer's; 202 if zero. RetryAfter is its Retry-After, as it is.
	Status     int    `json:"status,omitempty"`
	RetryAfter string `json:"retry_after,omitempty"`
	// Lose closes the connection instead of answering.
	Lose bool `json:"lose,omitempty"`

	// Before and After hold the request open at that moment: before it is accepted, and after.
	Before *Gate `json:"-"`
	After  *Gate `json:"-"`
}

const usual = "usual"

// Check says what of a rule can't be.
func (r Rule) Check() error {
	switch {
	case r.Share < 0 || r.Share > 1:
		return fmt.Errorf("rule %q: share %g is not from 0 to 1", r.Name, r.Share)
	case r.Times < 0 || r.Wait < 0 || r.Then < 0:
		return fmt.Errorf("rule %q: times %d, wait %s and then %s must not be negative", r.Name, r.Times, r.Wait, r.Then)
	case r.Status != 0 && (r.Status < 200 || r.Status > 599):
		return fmt.Errorf("rule %q: status %d is not from 200 to 599", r.Name, r.Status)
	}
	return nil
}

func (r Rule) matches(n notice) bool {
	return (r.Channel == "" || r.Channel == n.Channel) && (r.Hold == "" || r.Hold == n.HoldID)
}

// Gate holds requests open until it is opened.
type Gate struct {
	reached chan struct{}
	open    chan struct{}
}

// NewGate makes a gate that is shut.
func NewGate() *Gate { return &Gate{make(chan struct{}, 1000), make(chan struct{})} }

// Reached is sent a value for every request that comes to the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Open lets all through, now and later. It is called once.
func (g *Gate) Open() { close(g.open) }

// Duration is a time.Duration that JSON has as text, such as "300ms".
type Duration time.Duration

// String gives it as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("a duration is such as 300ms or 2s")
	}
	*d = Duration(parsed)
	return nil
}
