// Package postgres keeps holds, reminders and the queue in PostgreSQL, by lib/pq. It is tested with
// PostgreSQL 15. It answers as reference/memory does, event by event, and reference/porttest holds
// both to it.
//
// # Clock
//
// The database's clock decides. Every statement takes the time as a parameter: NULL means the
// database's own, which is read by (select coalesce($n, clock_timestamp())), an index condition, or,
// where a decision hangs on it, after the row's lock was had, for a clock read before a lock is as
// old as the wait. WithNow passes another clock instead. Nothing here uses now(), which is the
// time at which the transaction began.
//
// # Statements
//
// Everything runs at READ COMMITTED. The usual way of each call is one statement, a transaction of
// its own; what it can't decide is decided in a short transaction that locks the hold and then
// reads, by statements begun after the lock was had, what package reference decides on. A write
// repeats the condition that it was decided under, and one that matched nothing is asked again.
//
// The order of locks is hold before reminder, everywhere; several holds are locked by passing over
// those that are locked, and messages are stored in the order of their keys. So nobody waits in a
// circle.
//
// # Twice
//
// lib/pq maps a connection that ended cleanly before the reply to driver.ErrBadConn, and
// database/sql then runs the statement again, though the first run may have been committed. So each
// write is written to be run twice: it carries a token, by which its repetition finds what it left and
// answers as the first run would have. Where finding that costs something, another statement is run
// the second time: see once. Transactions are not run again; their errors reach the caller, who asks
// again.
//
// # Limits
//
// A call's patience is its context's: lib/pq cancels the statement on the server, and the error
// wraps the context's. The server ends by lock_timeout what waits for a row for too long, which is
// ErrLocked, and by statement_timeout what a dead client leaves behind: see Options. Statements are prepared once per connection, so a
// connection pooler must keep sessions, or support prepared statements.
package postgres
