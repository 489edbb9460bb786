package faults

// Stall stops a process for a while, as a pause of the machine does; its clocks run on.
const Stall Kind = "stall"

var stallKind = kind{
	name:       Stall,
	doc:        "a process stops where it is and goes on after by; its clocks run on",
	who:        []string{roleWorker, roleSweep, anyNode},
	whoDefault: theCaller,
	phases:     []Phase{Before, In, After},
	points:     madeByProcess,
	oneOf:      [][]string{{aCall, "at"}},
	needs:      []string{"by"},
	takes:      []string{"on", "channel", "nth", "from", "until"},
	check:      checkProcess,
	effect:     func(f Fault, _ Moment) Effect { return Effect{Stall: f.By} },
	manner:     AtCalls,
}
