// Package orders runs one scenario in every order that its simultaneous steps could have, up to a
// number of preemptions. A step is what a process does from one wait to the next: one port call, and
// what leads up to it. Steps whose calls overlap are simultaneous where calls take no time, so a base
// for this search has providers without latency.
//
// # The search
//
// Each run is forced along a prefix of choices, and goes on from there without preemption: the
// process that ran last runs on as long as it can. Choosing another one while it could go on is a
// preemption; choosing one when it can't is free (context bounding: Musuvathi and Qadeer, 2007). What
// nobody does, such as ticks of cron and what people set out to do, counts as one process: others
// are put between two such things by a preemption.
// Every choice that was not taken is the prefix of another run, unless it costs one preemption more
// than there may be.
//
// # Orders that cannot differ
//
// Two steps that touch nothing in common have the same result in either order. What a step touches is
// known from its events: the queue, a hold, a row, a provider's memory of a reminder; looking for
// what is due conflicts with everything that writes, and writers of different holds don't conflict
// with each other. Each step is hashed with the hashes of those that it depends on; the state is the
// hash of where all processes are and of what was done to everything, whatever the order of what
// doesn't depend on each other. A run that comes to a state in which another was before, with no fewer
// preemptions left, ends there: its rest has been run. Processes are known by their role and their
// history and not by name, so that it makes no difference which of two idle workers is woken; but by
// their node, too, if a line of the scenario names one, or they are set up differently.
package orders
