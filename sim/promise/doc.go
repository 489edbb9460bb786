// Package promise judges a run by its trace: pure functions that take what happened and say which
// promises of package reference were broken, where, and how. It shares no decision with the code
// it judges: a model of its own (world.go, apply.go) replays the trace and keeps what the tables
// must hold, and one file for each promise (p1_once.go … p8_twice.go) compares. P9 is not a matter
// of one trace: see trace.Hash and trace.FirstDifference.
//
// Events are judged one by one, each by the model as it was just before. What must happen in the
// end is judged at run.end, and not at all in a trace without one; whatever needs a sweep, by the
// time that sweeps ran, which is backstop + 2 sweep periods after run.heal. After run.end there is
// only the replay, for P8. A call with NoEffect changes nothing.
//
// # Trouble
//
// Trouble is a fault from fault.begin to fault.end, or to the end of a call that it struck; a node
// from its crash to its restart (an instant, if there is none); and a stall. It concerns the hold
// and channel that fault.begin names, or everybody; and everybody where it slowed a call to the
// queue, for that holds up a slot or a sweep. Crashes and stalls concern everybody, whatever made
// them. While there is none the world is healthy.
//
// # Excuses
//
// Missed, throttled and stalled need one: that between the latest of the window's beginning, the
// due time and the start of the run, and the earlier of the cut-off and the window's end, there was
// no healthy stretch of length
//
//	B = sweep period + visibility + channels × send timeout
//
// in which what was waiting could be served. A reminder waits from the time it is due until its
// outcome, its cut-off or its window's end, and takes its provider's latency, or the send timeout if
// that is less. What waits when the stretch starts, and what joins it within the longer of sweep
// period and visibility, by when this reminder's own message is there, must fit into the rest of B
// times the slots. It is the world's demand that counts and not what the pipeline did: being busy is
// no excuse. From an answer "not accepted" until the time to which the provider asked to wait
// (Until), a reminder has trouble of its own. What was so before the run needs no excuse.
//
// Unknown needs one, too: that one of the calls of one of the reminder's claims was struck, or
// answered so that the caller couldn't know; or that its node crashed, stalled or restarted before
// the lease ended.
//
// # Trouble of others
//
// P7 asks for the excuse again, without the trouble that names other holds or channels. Each piece
// of it may take a slot for channels × send timeout, and counts as that much work that was waiting;
// one that names a channel and no hold counts as a send timeout for each reminder that waits.
package promise
