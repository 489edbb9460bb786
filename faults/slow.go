package faults

// Slow makes calls take longer.
const Slow Kind = "slow"

var slowKind = kind{
	name: Slow,
	doc: "calls take longer: each by by, or each item of a batch by per-item; before their effect, or with in= " +
		"before their reply; with at= only those of the first sweep that begins then or later",
	who:    []string{roleWorker, roleSweep, roleLearner, roleOperator, anyNode, portStore, portQueue, portProvider},
	phases: []Phase{Before, In},
	oneOf:  [][]string{{"by", "per-item"}},
	takes:  []string{aCall, "on", "channel", "nth", "at", "from", "until"},
	check:  checkSlow,
	effect: func(f Fault, _ Moment) Effect { return Effect{Delay: f.By + f.PerItem} },
	manner: AtCalls,
}

func checkSlow(f Fault) (key, problem string) {
	switch {
	case f.Who == "" && f.Point == "":
		return "", "slow needs to know whom, or before=POINT: worker, w1, sweep, store, queue, provider"
	case f.At.Set() && f.Who != roleSweep:
		return "at", "at= picks one sweep: it goes with slow sweep; use from= and until= here"
	case f.At.Set() && (f.From.Set() || f.Until.Set()):
		return "at", "at= and from=, until= exclude each other"
	case f.PerItem != 0 && f.Point == "" && roleOf(f.Who) != roleSweep && f.Who != portQueue:
		return "per-item", "per-item= is for a batch: it goes with slow sweep and slow queue"
	case f.PerItem != 0 && f.Point != "" && f.Point != SweepPublish:
		return "per-item", "per-item= is for a batch: only publish makes one"
	}
	return "", ""
}
