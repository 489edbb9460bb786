// Package sweeps is the wrong sweeps: they pass over what is due, or publish it otherwise.
package sweeps

import "github.com/seathold/seathold/faults/defects/defect"

// All are the defects of this package.
func All() []defect.Defect {
	return []defect.Defect{
		limitWithoutPaging, pageCursorThatSkipsTies, sinceLastRunSweep, sweepStopsAtFirstPublishError,
		marksPublishedBeforePublishing, messageKeyThatNeverChanges, delayedMessageInsteadOfASweep,
		renominationSlowerThanTheDueSpan, openRowsNotNominated, rangesOverAMap,
	}
}
