// Package webhook sends reminders to a provider over HTTP. This comment is the contract with the
// provider, version 1.
//
// # Request
//
// One POST for each attempt at one reminder:
//
//	POST /nudges HTTP/1.1
//	Accept: application/json
//	Content-Length: 362
//	Content-Type: application/json
//	Host: provider.example
//	Idempotency-Key: 102385b4127d2013929ab1f0f45d38a3802fd0d70361180f916e807e2a252e3a
//	User-Agent: seathold-webhook/1
//	Webhook-Id: 102385b4127d2013929ab1f0f45d38a3802fd0d70361180f916e807e2a252e3a
//	Webhook-Signature: v1,l3Mpek6cWPWIoznqn2qGdRJfHMLZdioZiOaytPRXTks=
//	Webhook-Timestamp: 1772453240
//
//	{
//	  "version": 1,
//	  "channel": "email",
//	  "template": "seat-hold-expiring",
//	  "learner_id": "learner-42",
//	  "hold_id": "h-17",
//	  "section_id": "piano-3",
//	  "expires_at": "2026-03-02T12:10:00Z",
//	  "timezone": "Europe/Berlin",
//	  "local": {
//	    "timezone": "Europe/Berlin",
//	    "expires_at": "2026-03-02T13:10:00+01:00",
//	    "date": "2026-03-02",
//	    "time": "13:10",
//	    "words": "Mon 2 Mar 2026, 13:10 CET",
//	    "zone_unknown": false
//	  }
//	}
//
// The body is in one line on the wire, and shown here in several. It is signed by the secret
// whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw.
//
// The answer that it hopes for, by a provider configured with RefField "id":
//
//	HTTP/1.1 202 Accepted
//	Content-Type: application/json
//
//	{"id":"msg_8842"}
//
// The fields:
//
//   - version is 1. Within a version fields are added, and never changed or taken away.
//   - channel is email or sms: how the learner is to be reached. The provider knows the address;
//     no contact data passes here.
//   - template names the text to send: Config.Template.
//   - learner_id, hold_id and section_id are the host's, and opaque here.
//   - expires_at is when the hold runs out, in UTC and RFC 3339. timezone is the hold's, as the host
//     gave it, and may be empty or no zone at all.
//   - local words that time where the learner is. timezone there is the one that was used; where the
//     hold's is no IANA zone it is UTC, and zone_unknown is true: say the zone in the text then.
//     words is English, for a provider that has no words of its own; date and time are for others.
//
// The body is the same, byte for byte, for every attempt at one reminder, as long as this package
// and the zones' rules stay what they are.
//
// # Signature
//
// Requests are signed as Standard Webhooks, version 1: webhook-signature holds, for each of
// Config.Secrets, "v1," and the base64 of HMAC-SHA256 over webhook-id, webhook-timestamp and the
// body, joined by dots. Any library of https://www.standardwebhooks.com verifies it. webhook-id is
// the reminder key, hex(sha256("<hold_id>:<expires_at unix>:<channel>")), the same for every attempt.
//
// Idempotency-Key is the same key. It is sent only to a provider that is configured as honouring it,
// with the time for which it does (Config.KeyHorizon): by it the pipeline may ask again where nobody
// knows what became of an attempt. A provider must honour it by accepting once and giving the first
// answer again.
//
// # What an answer means
//
// The status alone decides, whatever the content type and the body:
//
//	200–299                       accepted, and the body may name it: the receipt's reference
//	400–499, but those below      rejected: refused for good, nothing was accepted
//	425, 429                      not accepted: asked again after Retry-After
//	408; 409 if keys are honoured unknown
//	300–399                       unknown; a redirect is never followed
//	500–599, 101 and all others   unknown
//
//	no connection, or no TLS      not accepted
//	nothing of it was written     not accepted
//	not written by the time to    too late: not asked at all
//	start by
//	no answer within the timeout, unknown
//	reset, closed, no HTTP
//
// Config.Statuses says what one provider documents otherwise. Nothing makes a 5xx certain of a
// provider that honours no keys, for it may break after it has accepted. A 409 to a key says that
// an attempt with it is under way. Config.RefRequired makes a success without a reference unknown,
// for an endpoint behind something that answers 200 to everything.
//
// Retry-After is seconds, or a date, which is read against the answer's own Date. It is believed up
// to Config.RetryAfterMax of the reminder. After a 429, and after connections that didn't come
// about, the provider is left alone by all slots of the process for a while: see once.Pause.
//
// # Once
//
// A request is written at most once, whatever happens: package once. The time to start by is
// compared when its first byte is about to be written; from there on the timeout runs.
//
// At most 64 KiB of an answer are read. Of all that a provider answers, nothing but the status
// gets into an error, and nothing but the reference into the database: at most 128 bytes of it,
// without control characters.
package webhook
