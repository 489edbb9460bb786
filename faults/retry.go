package faults

// Retry starts another sweep a while after a tick, as a caller does that believes it failed.
const Retry Kind = "retry"

var retryKind = kind{
	name:       Retry,
	doc:        "by after the tick at that time, or the first after it, cron calls again although nothing failed",
	who:        []string{whoCron},
	whoDefault: whoCron,
	needs:      []string{"at", "by"},
	manner:     AtInstant,
}
