// Package restqueue keeps the queue at a hosted service over HTTP. This comment is the contract that
// it expects; paths and names of fields are configuration.
//
// # Calls
//
// Each is a POST of a JSON object with Authorization: Bearer, and is answered by one:
//
//	/v1/queue/publish {"queue", "payload", "delay_seconds"}   {"ok":true,"data":{"message_id"}}
//	/v1/queue/consume {"queue", "max"}                        {"ok":true,"data":{"messages":[{"message_id","payload"}]}}
//	/v1/queue/ack     {"queue", "message_id"}                 {"ok":true}
//
// A publish carries the message's key as Idempotency-Key; there is one for each message. A service
// that says more is understood, and none has to: duplicate in the answer to a publish says that the
// key was known, and receives in a message how often it was handed over. Without it
// reference.Delivery.Receives is 0. Where Fields.Visibility is named, a consume says for how long
// messages are to be hidden, in seconds; it must be reference.Policy.Visibility.
//
// An answer with ok false is an error, also with status 200. After a 402 nothing is called any
// more: StoppedError. After a 429 nothing is called before Retry-After has passed: ThrottledError.
//
// # Payloads
//
// A payload that is a JSON object is embedded as it is, and every other is a string: the text
// itself, or base64: and the bytes in base64 if it is no UTF-8. Config.PayloadAsText makes a string of
// objects, too, for a service that wants one. What comes back is understood in every form. Payloads
// must have fewer than reference.PayloadBytesMax bytes in the form in which they are sent, and delays
// are rounded up to whole seconds.
//
// # What the contract lacks
//
// There is no nack and no dead letter: Nack and DeadLetter leave a message to its visibility, and to
// the service's own limit of receives. An ack names the message and not the hand-over, so that a late
// one removes a message that another worker holds by now; that is harmless to a pipeline whose
// memory is its database. There is no long poll: an empty Receive asks again every Config.Poll.
//
// # Trouble
//
// No call is written twice: package once. What fails is left to the next sweep, or to the message's
// visibility. Publish goes on after an entry that is refused, for it may be the only one, and stops
// where the next would fare no better: at a 402, at a 429 that is too long to sit out, and after three
// failures in a row by a 5xx or without an answer that can be understood.
package restqueue
