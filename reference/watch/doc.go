// Package watch is how the programs of the pipeline are watched: logs, metrics and health. It hears
// what a Sweeper and a Worker do, decides nothing, and changes no answer.
//
// # Logs
//
// One JSON object a line, on stderr. Its msg is the name of the simulator's point (worker.claim,
// provider.send, worker.settle, …), so that a scenario's trace and a production log read alike, or
// begins with "program." or "watch." where it is none of the pipeline's. Keys, where they apply:
//
//	time, level, msg, program, slot
//	hold, window    the hold, and expires_at of its window (RFC 3339, UTC)
//	channel         email or sms
//	kind            of the message: remind or expire
//	message         the broker's id of the message
//	delivery        how often it has been delivered, this one included
//	token           of the attempt, or the sweep's id
//	answer          the store's or the provider's, in one word
//	outcome, doubt  what was recorded, and what an earlier attempt left
//	ref             the provider's name for what it accepted
//	error           why something went wrong
//	took_ms         since the claim was asked for, or since the sweep began
//	again_ms        how long the message is to stay away
//
// No line has contact data: the pipeline never sees any. Secrets of the settings are cut out of
// every line, whoever wrote it.
//
// # Metrics
//
// All begin with seathold_. What an alert may be raised on exists from the start, at zero: a counter
// that appears with its first event hides that event from rate and increase. alerts.yml has the
// rules; a test holds them to what the programs export.
//
// # Health
//
// /healthz is 200 while the process lives. /readyz is 200 while the database answers, its schema is
// new enough and the program isn't on its way out; else 503.
package watch
