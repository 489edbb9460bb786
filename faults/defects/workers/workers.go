// Package workers is the wrong workers: what they ask of their ports, or make of an answer, is not
// what the reference does.
package workers

import "github.com/seathold/seathold/faults/defects/defect"

// All are the defects of this package.
func All() []defect.Defect {
	return []defect.Defect{
		ackOnReceive, loserAcksALiveClaim, blindRetryOnTimeout, clientSideRetryInsideTheSender, noCutOff, noDueCheck,
		batchRetriedWhole, leaseShorterThanTheProviderTimeout, commitErrorTakenForFailure, retryAfterIgnored,
		retryAfterUnbounded, onePoisonedMessageBlocksTheQueue, dropWithAFalseReason, sendFirstCalledClaimFirst,
		retakePastTheKeysHorizon, settleThatMatchedNothingReadAsDone, deadlineCountedFromTheReply,
		deadlineComparedOutsideTheSender, tokensDerivedFromTheMessage, httpClientThatRetriesByItself,
		owedOutcomeForgotten, owedOutcomeKeepsTheSlot, lockedRowWaitedFor,
	}
}
