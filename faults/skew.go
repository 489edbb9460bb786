package faults

// Skew sets a process's clock wrong.
const Skew Kind = "skew"

var skewKind = kind{
	name:   Skew,
	doc:    "a process's clock is wrong by by, which may be negative; from the start on, or for a period",
	who:    []string{roleWorker, roleSweep, anyNode},
	needs:  []string{"by"},
	takes:  []string{"from", "until"},
	manner: Throughout,
	check: func(f Fault) (key, problem string) {
		if f.Who == "" {
			return "", "skew needs to know whose clock: worker, w1 or sweep"
		}
		return "", ""
	},
}
