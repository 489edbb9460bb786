package faults

// ReExecute is a driver that runs one statement twice and reports the second time (INC-09).
const ReExecute Kind = "re-execute"

var reExecuteKind = kind{
	name:   ReExecute,
	doc:    "the driver runs the statement twice, and the caller sees the second answer",
	who:    []string{roleWorker, roleSweep, roleLearner, roleOperator, anyNode},
	phases: []Phase{In},
	points: func(c call) bool { return c.writes && c.point != WorkerReceive },
	needs:  []string{aCall},
	takes:  []string{"on", "channel", "nth", "from", "until"},
	effect: func(Fault, Moment) Effect { return Effect{Twice: true} },
	manner: AtCalls,
}
