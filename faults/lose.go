package faults

// Lose is a broker that takes a message, remembers its key, and never delivers it.
const Lose Kind = "lose"

var loseKind = kind{
	name:   Lose,
	doc:    "the broker takes a message and never delivers it",
	phases: []Phase{In},
	points: isPublish,
	needs:  []string{aCall},
	takes:  []string{"on", "nth", "from", "until"},
	effect: func(Fault, Moment) Effect { return Effect{Lose: true} },
	manner: AtCalls,
}
