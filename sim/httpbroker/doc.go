// Package httpbroker serves the simulated hosted broker over HTTP, in real time and with faults: for
// the conformance tests of adapters, and for developing a worker in any language. The contract is
// that of package restqueue; see there for what it lacks.
//
// # Calls
//
// Each is a POST of a JSON object with Authorization: Bearer and any token. Fields in brackets may
// be left out, and unknown ones are refused, so that a misspelt one is found:
//
//	/v1/queue/publish  queue, payload, [delay_seconds]           {"ok":true,"data":{"message_id":"1","duplicate":false}}
//	/v1/queue/consume  queue, [max or max_messages: 1],          {"ok":true,"data":{"messages":[{"message_id":"1",
//	                   [visibility_timeout]                        "payload":…,"receives":1}]}}
//	/v1/queue/ack      queue, message_id                         {"ok":true,"data":{}}
//
// A publish with an Idempotency-Key that is remembered answers the message of the first, and
// duplicate. A payload is any JSON value, and comes back as it was sent, byte for byte. Refusals are
// {"ok":false,"error":"…"} with 400, 401, 404, 405, 413 or 507.
//
// A queue is there as soon as it is named. Everything is in memory, and gone at the end.
//
// # Faults
//
// Fault lines are those of scenarios. A publish is made by role sweep, consume and ack by role
// worker; times count from the server's start. Reason says why a line has nothing to do with the
// queue as seen from here. error answers 500 before the effect; outage closes the connection before
// it, and ambiguous after it, without an answer.
package httpbroker
