package faults

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
	manner: AtCalls,
}

func isPublish(c call) bool { return c.point == SweepPublish }
