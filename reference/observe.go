package reference

import "time"

// Observer hears what a sweep or a worker did, for logs and metrics. It must not block and decides
// nothing.
type Observer interface{ Observe(Observation) }

// Observation is one step, named as the simulator names its points. Fields that do not apply are
// empty. It holds no contact data.
type Observation struct {
	Point     string
	Window    Window
	Channel   Channel
	MessageID string
	Token     Token
	// Answer is the store's or the provider's, in one word.
	Answer string
	Took   time.Duration
	Err    error
}

func observe(o Observer, what Observation) {
	if o != nil {
		o.Observe(what)
	}
}
