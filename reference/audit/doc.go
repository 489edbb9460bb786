// Package audit holds the promises of package reference against what the tables keep and, where
// there is one, against a provider's log of what it accepted.
//
//   - P1 once: no reminder was accepted twice. Only the provider's log can tell.
//   - P2 accounted: a hold that expired has a final outcome on each of its channels; nothing is open
//     long past its lease; what was recorded agrees with the provider's log.
//   - P3 in time: claims were granted from lead before the window's end on, and before the cut-off;
//     what the provider accepted, it accepted in that time, or up to a send timeout later.
//   - P4 never early: nothing was expired before its time; what expired, or was expired, stays what
//     it became; windows only move to later times.
//   - P5 always freed: nothing is still held, or was expired, later than the bound.
//
// Tables don't keep all that happened. When a hold was expired is known only where expiring wrote
// an outcome; when it was confirmed, cancelled or extended is not known at all. What can't be
// known is not reported, so that every finding is one.
//
// Times are judged by the policy given, which has to be the one that was in force: Rules.Since
// leaves out what is older. So it does with what a provider accepted for holds that were pruned since.
package audit
