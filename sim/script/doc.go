// Package script is the scenario language: a file that tells one incident, parsed and checked
// whole before a step runs.
//
// A file is a comment at the top, then stanzas with blank lines between. A stanza is directives, a
// line each, and may end in a line ---- and the golden text that its run or show should give:
//
//	# A learner confirms between claim and send.
//	# Source: by design                       (an incident, a report, or by design)
//	# At stake: P1, P3.                       (the promises)
//
//	world  start=2026-03-02T12:00:00Z workers=(w1, w2)
//	holds
//	  id      expires       zone
//	  h1      12:10         Europe/Berlin
//	  p1..p5  12:20..12:30  UTC
//
//	fault slow provider on=h1 by=5s
//	at 12:08 confirm h1
//	run until=12:15
//	----
//	12:08:00  …
//
//	expect h1 email=sent state=confirmed
//
// A directive is a verb and words: WORD, KEY=VALUE, KEY=(V, V) or KEY="…"; # and what follows it is
// a comment. Indented lines are the table of the directive above: column names, then rows, in any
// order of columns; a cell that is empty is -. Those that set up the world come before what happens.
//
// # Setting up
//
//	world     start= seed=1 workers=(w1, w2) slots=1 restart=5s|never
//	policy    lead=3m cutoff=30s send-timeout=10s store-timeout=5s lock-timeout=1s lease=20s order=claim-first|send-first
//	          page=500 renominate=30s budget=50s backstop=10m long-poll=20s [unchecked]
//	node      NAME slots= skew= restart=
//	cron      every=1m | spec="*/5 * * * *" zone=UTC     timeout=60s retries=0 jitter=0s
//	queue     profile=standard|fifo|table visibility=60s max-receives=10 dedup=24h retention=30d latency=0s
//	provider  email|sms keys=none latency=200ms
//	fixture   NAME
//	holds     id expires, created zone=UTC state=held channels=email,sms learner section
//	reminders hold channel outcome, window doubt claimed lease not-before settled token message receipt
//
// Rows of holds may be ranges: p1..p500 with 11:00..11:59 spreads whole seconds evenly, and one
// time is everybody's. A hold created after the start is something that happens then. The window of
// a reminder is its hold's, it was claimed and settled at the start, and an open one is claimed. A
// zone that nobody knows is a mistake unless it is marked: !Mars/Base. A fixture brings holds and
// reminders at absolute times, and the start where world names none. The policy must pass its own
// Check, with cron's longest gap and jitter as the sweep's period, unless it is unchecked. A fifo
// queue remembers keys for 5m.
//
// # What happens
//
//	at TIME confirm H | cancel H | extend H to=TIME | create H expires= zone= channels= learner= section=
//	        publish remind|expire H [window=TIME] | redrive [on=H] | purge | sweep | pause cron | resume cron | deploy NODE
//	fault   [maybe] KIND …         package faults
//	run     until=TIME | for=DURATION
//	show    holds|reminders|queue|dead-letters|accepted [only=H]
//
// A message is published about a window that its hold need not be in, or of a hold that the table
// creates later.
//
// Times are HH:MM[:SS[.mmm]] on the world's day, +3h from the start, or RFC 3339. They never lie in
// the past of where they stand, and those of at and run never go back; nothing is said of a time
// after the last run. Run includes its last instant. What happens at one instant happens in the order
// that the seed decides.
//
// # What is expected, where it stands
//
//	expect H email= sms= state=    outcomes are none (no row), open, sent, dropped(…), unknown(…)
//	expect accepted H/CHANNEL=N    what the provider took
//	expect transitions H=N         how often the hold changed its state
//	expect refused confirm|cancel|extend|create H
//	expect sweep#N found= published= pages= backstop=
//	expect queue empty | dead-letters N | fires from= until= count= | broken P1
//
// H may be H@TIME, the window that ends then, or, speaking of each, P1..P500, a list with commas, or
// all. What is broken has to be named in the header, which says why.
//
// # Limits
//
// 1 MiB, 120 lines of 500 bytes, 40 lines of golden text, 200,000 holds, 400 days. A mistake is an
// Error with its place. A golden block is rewritten by Rewrite and nothing else ever is; package
// format prints a whole scenario.
package script
