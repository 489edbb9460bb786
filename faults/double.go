package faults

// Double starts two sweeps at one tick.
const Double Kind = "double"

var doubleKind = kind{
	name:       Double,
	doc:        "the tick at that time, or the first after it, starts two sweeps",
	who:        []string{whoCron},
	whoDefault: whoCron,
	needs:      []string{"at"},
	manner:     AtInstant,
}
