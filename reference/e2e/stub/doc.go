// Package stub is a provider to try the pipeline with: an HTTP server that keeps the contract of
// package webhook, accepts what it is sent, and writes down what it accepted. It can be told to
// misbehave as providers do: by Rules.
//
// What it accepted is a line of JSON each, an Acceptance, written before anybody is answered. That
// is the export by which an audit judges what the pipeline says about itself.
//
// A request that isn't signed as Standard Webhooks has it, or whose webhook-id is not the key of the
// reminder that its body tells of, is refused with 400 and counted as Malformed.
//
// # Control
//
// Beside POST of reminders, to any path, a Stub answers
//
//	GET  /healthz        200
//	GET  /stub/rules     the rules, as a JSON list
//	PUT  /stub/rules     replaces them, such as by [{"name":"busy","share":0.1,"refuse":true,"status":429,"retry_after":"2"}]
//	POST /stub/release   ends all waits that are on
//	GET  /stub/accepted  what was accepted, as JSON lines
//	GET  /stub/counts    how often which rule was followed
//
// It is open to anybody who can connect, and must listen on loopback or in a network of its own.
package stub
