package faults

// Pause stops cron for a period. It then resumes forward, without back-fill.
const Pause Kind = "pause"

var pauseKind = kind{
	name:       Pause,
	doc:        "cron doesn't tick, and then goes on without back-fill",
	who:        []string{whoCron},
	whoDefault: whoCron,
	needs:      []string{"from", "until"},
	manner:     Throughout,
}
