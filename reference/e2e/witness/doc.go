// Package witness sees what becomes of holds and reminders, by triggers of its own beside the tables,
// and holds it against the promises. Tables keep what is; a Witness keeps what happened, and when by
// the database's clock, in the same transactions as it happened in.
//
// What tables and a provider's log show is judged by package audit; a Witness adds what they don't:
//
//   - P2: an outcome changes only from unknown to sent
//   - P3: no reminder is sent later than a send timeout after a person ended its window
//   - P4: no hold is expired early, and none leaves held twice, by the instant of the change
//   - P5: how late each hold was freed
//   - P6: no message is left
package witness
