// Package settings is what the programs of the pipeline may be told: their command lines, the
// environment, and files for secrets.
//
// A setting has one name. As a flag it is --send-timeout, in the environment SEATHOLD_SEND_TIMEOUT.
// The flag wins over the environment, and that over the default; an empty variable counts as not
// set. Every program takes the same settings from the same environment, and leaves alone what is
// for others, so that one file can serve them all.
//
// A secret is never given on a command line, which everybody on the machine can read: it is the
// value of its variable (SEATHOLD_DATABASE_URL), or in a file that SEATHOLD_DATABASE_URL_FILE or the
// flag --database-url-file names. Both at once are refused. No text that this package makes shows
// a secret.
//
// What can't be, or can't be together, is refused before anything is begun, as a Problem: one line
// that says what and where, and a hint. A variable that is none of ours but looks like a mistyped
// one of ours is refused, too.
//
// SETTINGS.md is generated from these structs: go test ./reference/settings -update
package settings
