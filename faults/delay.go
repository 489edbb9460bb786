package faults

import "github.com/seathold/seathold/reference"

// Delay keeps a published message back.
const Delay Kind = "delay"

var delayKind = kind{
	name:   Delay,
	doc:    "the broker takes a message and first delivers it by later",
	phases: []Phase{In},
	points: isPublish,
	needs:  []string{aCall, "by"},
	takes:  []string{"on", "nth", "from", "until"},
	effect: func(f Fault, _ Moment) Effect { return Effect{Postpone: true, Later: f.By} },
	check:  checkDelay,
	manner: AtCalls,
}

func isPublish(c call) bool { return c.point == SweepPublish }

// checkDelay refuses what no broker would take.
func checkDelay(f Fault) (key, problem string) {
	if f.By > reference.DelayMax {
		return "by", "a message can be delayed by at most " + FormatDuration(reference.DelayMax)
	}
	return "", ""
}
