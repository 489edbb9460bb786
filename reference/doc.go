// Package reference is the reminder pipeline for expiring seat holds.
//
// A learner holds a class seat, gets one nudge (an email and an SMS) before the hold lapses, and
// loses the seat if they don't confirm. A Sweeper finds what is due and only enqueues; Workers
// send, record, expire and acknowledge last. Holds is what learners and admins do. All of them are
// straight-line code against the ports of ports.go: they start no goroutine, read no global clock
// or random source, and keep nothing that a crash could lose, but for a receipt that the store does
// not take: what a crash loses of that is recorded as unknown (owed.go).
//
// # Promises
//
// They hold over what the database keeps.
//
//   - P1 once: the provider accepts at most one send per reminder (claim.go, attempt.go).
//   - P2 accounted: every window that ran out has exactly one final outcome per channel, and its
//     reason was true when recorded; a window ended by a person has at most one; in the end nothing
//     stays claimed. Missed, throttled, stalled and unknown need an excuse, so doing nothing does
//     not pass (claim.go, sweep.go).
//   - P3 in time: every send has a grant, the instant at which Claim, holding the hold's lock, read
//     held, same window, due, before the cut-off. The send starts after it, before the cut-off,
//     within its lease, under a claim still its own or settled since by a receipt. What a person
//     does between grant and start is no violation (claim.go, attempt.go).
//   - P4 never early: no hold is expired before its expires_at by the database's clock; confirmed
//     and cancelled absorb; a hold leaves held once (claim.go, DecideExpiry; holds.go).
//   - P5 always freed: every hold still held at its expires_at is expired or cancelled within
//     sweep period + 30s if nothing was down, else within backstop + sweep period + 30s of the end
//     of the last fault, whatever became of its reminder, message or broker (sweep.go).
//   - P6 ack last: a message is acknowledged only when nothing more is to be done for it, and is in
//     the end acknowledged or dead-lettered, never lost by us (worker.go).
//   - P7 apart: one channel's or one hold's trouble doesn't repeat another's effects, nor delay it
//     by more than channels × send timeout per slot it occupies (sweep.go, worker.go).
//   - P8 twice is once: delivering every message of a finished run again, dead letters too, gets
//     nothing accepted and changes no row of holds or reminders (claim.go).
//   - P9 same in, same out: given the same answers of its ports, the same calls (all of it).
//
// # Order
//
// Under ClaimFirst a crash between claim and record drops the reminder, on the record, and never
// doubles it. Under SendFirst a lapsed or timed-out claim is sent again until the cut-off: a crash
// may double, and never drops. A provider that honours reminder keys gives both: see
// ClaimRequest.KeyHorizon.
package reference
