package promise

import "slices"

// Class is one way of breaking a promise.
type Class struct{ Promise, Name, Hint string }

// Classes gives every way of breaking a promise that this package can report, by promise.
func Classes() []Class { return slices.Clone(classes) }

var classes []Class

// class declares one.
func class(promise, name, hint string) Class {
	classes = append(classes, Class{promise, name, hint})
	return classes[len(classes)-1]
}

var (
	acceptedTwice = class("P1", "accepted twice", "see which two claims led to the sends, and why the second was granted")

	noOutcome       = class("P2", "no outcome", "expiring a hold accounts for every channel that has no row")
	leftOpen        = class("P2", "left open", "a row without an outcome must be nominated until somebody settles it")
	replaced        = class("P2", "outcome replaced", "an outcome is final, except that a late sent replaces unknown")
	receiptLost     = class("P2", "receipt not recorded", "a receipt is recorded whatever token holds the row by now, and replaces unknown")
	falseReason     = class("P2", "false reason", "compare what was recorded with what the provider answered")
	missedNoExcuse  = class("P2", "missed without excuse", "follow this hold from the sweep that should have found it")
	throttledExcuse = class("P2", "throttled without excuse", "see how long the provider asked to wait, and when it was asked next")
	stalledExcuse   = class("P2", "stalled without excuse", "see what the worker did between its claim and the cut-off")
	unknownNoExcuse = class("P2", "unknown without excuse", "see what the worker did between its claim and the end of the lease")
	tableDisagrees  = class("P2", "table disagrees", "a row was written, or not written, otherwise than the answers said")

	noGrant      = class("P3", "sent without a grant", "a provider call needs a claim of its own reminder, granted before")
	closedWindow = class("P3", "granted for a closed window", "Claim must read the hold again, under its lock")
	aheadWindow  = class("P3", "granted ahead of its window", "the hold is in an earlier window: the message overtook its commit")
	grantedEarly = class("P3", "granted too early", "Claim compares the due time with the database's clock")
	grantedLate  = class("P3", "granted past the cut-off", "Claim compares the cut-off with the database's clock, read after the lock")
	startedLate  = class("P3", "started past the cut-off", "the deadline counts from before the asking, and is compared last thing before the call is written")
	leaseOver    = class("P3", "started past its lease", "the deadline is also the lease's")
	claimLost    = class("P3", "started under a lost claim", "somebody took the row, or ended it without a receipt, while the lease ran")

	expiredEarly     = class("P4", "expired early", "the guard compares expires_at with the database's clock")
	expiredOther     = class("P4", "expired in another window", "the guard names the window")
	leftTwice        = class("P4", "left held twice", "every change of state is guarded by state = held")
	overwroteConfirm = class("P4", "overwrote confirmed", "confirmed absorbs: every change of state is guarded by state = held")
	overwroteCancel  = class("P4", "overwrote cancelled", "cancelled absorbs: every change of state is guarded by state = held")
	confirmedLate    = class("P4", "confirmed after it ran out", "Confirm is refused from expires_at on by the database's clock")
	extendedLate     = class("P4", "extended after it ran out", "Extend is refused from expires_at on by the database's clock")
	notLater         = class("P4", "extended to no later time", "a window's name must never recur")
	extendedOther    = class("P4", "extended another window", "Extend names the window that it leaves")

	freedLate  = class("P5", "freed too late", "see when the sweep found the hold, and what became of the message")
	neverFreed = class("P5", "never freed", "see whether a sweep found the hold, and what became of the message")

	ackedSoon    = class("P6", "acknowledged too soon", "acknowledge last, when every channel is done")
	leftQueued   = class("P6", "left in the queue", "see why the message never came to an end")
	messageLost  = class("P6", "message lost", "nobody acknowledged it or set it aside, and it isn't in the queue")
	deadNoReason = class("P6", "dead-lettered without cause", "only what can't be decoded and what has no hold is set aside by a worker")

	sentAgain = class("P7", "sent again after sent", "each channel is claimed on its own, and what is final is done")
	delayed   = class("P7", "delayed by another's trouble", "see what the other trouble kept busy, or kept back")

	acceptedAgain = class("P8", "accepted again on replay", "rows must live as long as their messages can return")
	rowChanged    = class("P8", "row changed on replay", "see which message of the replay wrote it")
	holdChanged   = class("P8", "hold changed on replay", "see which message of the replay wrote it")
)
