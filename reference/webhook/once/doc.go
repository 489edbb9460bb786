// Package once makes HTTP calls that are written at most once, and says for certain when one was
// not written at all. The adapters that talk to a provider or to a hosted queue are built on it.
//
// net/http can't promise either by itself. Its Transport writes a POST a second time when it
// carries an Idempotency-Key and a reused connection ends without an answer, and its errors don't
// tell a request that never left from one whose answer was lost. So a Client puts a gate in front
// of every connection: the first byte of a request passes it only once, only on one connection,
// and only after Call.Start was asked. A call that comes to its end with its gate unpassed shuts
// it, and nothing can be written any more: that is what NotStartedError stands for. After any
// other error the other side may have had the request.
//
// Three more layers keep from writing twice: a request has no GetBody, so that the Transport has
// nothing to write again; the Transport is used without an http.Client, so that no redirect is
// followed; and there is no HTTP/2, whose connections retry streams by themselves.
//
// A Client also gives what follows from an answer: RetryAfter reads the header of that name, and a
// Pause keeps all callers from a party that asked for it or isn't there.
package once
