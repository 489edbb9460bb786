package faults

import "fmt"

// Error makes a call fail without effect.
const Error Kind = "error"

var errorKind = kind{
	name:   Error,
	doc:    "the call has no effect and the caller sees an error; a provider's is a 5xx, after which the caller can't know",
	who:    []string{roleWorker, roleSweep, roleLearner, roleOperator, anyNode},
	phases: []Phase{Before},
	needs:  []string{aCall},
	takes:  []string{"on", "channel", "nth", "from", "until", "status"},
	check:  checkError,
	effect: func(f Fault, m Moment) Effect {
		if m.Point == ProviderSend {
			return Effect{Err: Answer(or(f.Status, 500), 0)}
		}
		return Effect{Err: fmt.Errorf("%s: %w", m.Point, ErrInjected)}
	},
	manner: AtCalls,
}

func checkError(f Fault) (key, problem string) {
	switch {
	case f.Status != 0 && f.Point != ProviderSend:
		return "status", "only a provider answers with a status: status= goes with before=send"
	case f.Status != 0 && (f.Status < 500 || f.Status > 599):
		return "status", "an error is 500 to 599; use reject for a refusal and throttle for 429"
	}
	return "", ""
}

// or gives a, or b if a is zero.
func or(a, b int) int {
	if a == 0 {
		return b
	}
	return a
}
