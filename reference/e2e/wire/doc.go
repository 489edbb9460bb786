// Package wire stands between a program and PostgreSQL: a proxy by which a test, or a soak, holds one
// moment open, or takes the database away and brings it back.
//
// It knows of the protocol how messages are framed and which statement is executed, and so can keep
// back a statement before the server sees it, or its reply after the server has committed. A held
// statement can be let through after its sender was killed, as packets under way are.
//
// Connections are made without TLS.
package wire
