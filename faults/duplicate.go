package faults

// Duplicate delivers a message once more.
const Duplicate Kind = "duplicate"

var duplicateKind = kind{
	name: Duplicate,
	doc: "a message is delivered once more: after=publish as a second copy, after=receive the one just handed over; " +
		"visible at once, or by later",
	phases: []Phase{After},
	points: func(c call) bool { return c.point == SweepPublish || c.point == WorkerReceive },
	needs:  []string{aCall},
	takes:  []string{"on", "nth", "from", "until", "by"},
	effect: func(f Fault, _ Moment) Effect { return Effect{Duplicate: true, Later: f.By} },
	check:  checkDelay,
	manner: AtCalls,
}
