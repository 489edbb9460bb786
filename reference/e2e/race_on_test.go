//go:build e2e && race

package e2e_test

// parallel is how many tests run at once: under the race detector the programs do ten times the work.
const parallel = "6"
