// Package explore searches for what nobody wrote down. It makes up scenarios from a base, or from
// nothing but a seed, runs them in virtual time, and judges them by the promises alone.
//
// # What it tries
//
//   - Each: a base with one fault more, at every moment of every port call at which a fault of that
//     kind can strike (before, in and after), one at a time. The moments are those of the run of the
//     base, so the search is finite and needs no seed; an idle poll makes no call, and counts as one
//     point for each node. Faults that last are begun at every instant of a call of what they are
//     about. People and operators count as kinds, too: what they can do is done at every instant.
//   - Pairs: one fault after another, of crash, ambiguous, duplicate, lose and stall: the second one
//     at every moment that there is once the first has struck.
//   - Orders: package orders.
//   - Horizons: every time after which something forgets (horizons.go), one step before, at it, and
//     one step after, and pairs of them.
//   - Seeds: package swarm.
//
// # What comes of it
//
// A case that breaks a promise is a finding; findings that break the same promise in the same way
// are one, told by the first case, in an order that depends on nothing but what was asked for. It
// is shrunk (package shrink) to a scenario ready to save. Beside findings, a search gives what it
// covered: which kind of fault struck at which point of which call, and which marks of package marks
// were hit. A base that breaks a promise as it stands is the first case of all. What only an order
// breaks is told by a seed, or by delays, that lead to the same.
//
// The answer doesn't depend on how many cores there are, unless the search is cut short. Shards have
// every n-th case each, with what follows from it, and every n-th base of those gone through in all
// orders.
package explore
