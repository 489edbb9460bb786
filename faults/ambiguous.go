package faults

import "fmt"

// Ambiguous loses a reply: the commit, publish, send or ack took effect, and the caller can't tell.
const Ambiguous Kind = "ambiguous"

var ambiguousKind = kind{
	name:   Ambiguous,
	doc:    "the call has its effect, and the caller sees an error instead of the reply",
	who:    []string{roleWorker, roleSweep, roleLearner, roleOperator, anyNode},
	phases: []Phase{In},
	needs:  []string{aCall},
	takes:  []string{"on", "channel", "nth", "from", "until"},
	effect: func(_ Fault, m Moment) Effect { return Effect{Err: fmt.Errorf("%s: %w", m.Point, ErrReplyLost)} },
	manner: AtCalls,
}
