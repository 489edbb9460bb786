package faults

// Crash ends a process at once: at a moment of a call it makes, or at an instant.
const Crash Kind = "crash"

var crashKind = kind{
	name:       Crash,
	doc:        "a process ends at once, and a worker node comes back after restart",
	who:        []string{roleWorker, roleSweep, anyNode},
	whoDefault: theCaller,
	phases:     []Phase{Before, In, After},
	points:     madeByProcess,
	oneOf:      [][]string{{aCall, "at"}},
	takes:      []string{"on", "channel", "nth", "from", "until", "restart"},
	check:      checkCrash,
	effect: func(f Fault, _ Moment) Effect {
		return Effect{Crash: true, Restart: f.Restart}
	},
	manner: AtCalls,
}

func madeByProcess(c call) bool { return c.role == roleWorker || c.role == roleSweep }

func checkCrash(f Fault) (key, problem string) {
	if f.Restart != 0 && roleOf(f.Who) == roleSweep {
		return "restart", "a sweep is not restarted; cron starts the next one"
	}
	return checkProcess(f)
}

// checkProcess refuses to leave open which process an instant strikes.
func checkProcess(f Fault) (key, problem string) {
	if !f.At.Set() {
		return "", ""
	}
	if f.Who == "" {
		return "at", "at= needs to know whom: " + string(f.Kind) + " worker, w1 or sweep"
	}
	for _, k := range []string{"on", "channel", "nth", "from", "until"} {
		if isSet(f, k) {
			return k, "at= is one instant and no call; leave out " + k + "="
		}
	}
	return "", ""
}
