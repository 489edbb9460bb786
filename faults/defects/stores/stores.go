// Package stores is the wrong databases: a worker asks as it should, and is answered otherwise.
package stores

import "github.com/seathold/seathold/faults/defects/defect"

// All are the defects of this package.
func All() []defect.Defect {
	return []defect.Defect{
		noClaim, claimAfterSend, keyWithoutChannel, keyWithoutWindow, windowsThatComeBack, claimNeverSettles,
		noReRead, redriveSkipsChecks, expireUnguarded, expireAtReminderTime, expireOnlyWithReminder,
		localTimeArithmetic, processClockDecides, zeroRowsTakenForALostClaim, dropEverything,
		missedWrittenOverALiveClaim, dedupOnlyInTheBroker, claimsPruned, holdBeforeTheRow, retakeWithoutDoubt,
		releaseThatDeletes, releaseWithoutTheToken, lateSentTiedToTheToken, ownRepeatReReadsTheHold,
		settleByKey, noSuchHoldBeforeTheRow,
	}
}
