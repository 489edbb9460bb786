package faults

// Poison garbles a message's payload.
const Poison Kind = "poison"

var poisonKind = kind{
	name:   Poison,
	doc:    "a message's payload is garbled, and no worker can read it",
	phases: []Phase{In},
	points: isPublish,
	needs:  []string{aCall},
	takes:  []string{"on", "nth", "from", "until"},
	effect: func(Fault, Moment) Effect { return Effect{Poison: true} },
	manner: AtCalls,
}
