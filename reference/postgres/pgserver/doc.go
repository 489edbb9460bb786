// Package pgserver gives a program a Postgres server to throw away: tests, and the simulator
// when it runs on Postgres. Tests reach it through package pgtest.
//
// SEATHOLD_POSTGRES says where the server comes from:
//
//	docker                   a container, or an error
//	local                    the server binaries of this machine, in a cluster of its own, or an error
//	postgres://user@host/db  a running server (13 or later), which keeps its own settings; only
//	                         databases are made in it, and dropped
//	(unset)                  docker where a daemon answers and the image is there or can be
//	                         pulled, else local, else an error that says why neither is
//
// SEATHOLD_POSTGRES_IMAGE names the image of the container (default [DefaultImage]).
//
// A server that we start writes nothing durably (fsync off), takes 200 connections, sorts text
// in the C locale and lives in a time zone that no code can mistake for UTC. Nothing of it
// outlives the process that started it, not even when that process is killed:
//
//   - a cluster is the child of a shell that reads a pipe from us (supervise.sh); when the pipe
//     ends, so does the server, and its directory is removed
//   - a container holds a shell that reads a connection from us (guard.sh); when the connection
//     ends, so does the server, and Docker removes the container. Where that fails, the daemon
//     stops it after a day, or the next start removes it
//   - databases in a shared server are named for their run; the next start drops those of runs
//     that are no longer connected
package pgserver
