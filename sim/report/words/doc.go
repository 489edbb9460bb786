// Package words tells a run in lines: one event as one line, and a stanza's events as its golden
// text, in which what is ordinary is told in few words and what comes again is told once.
package words
