//go:build e2e && !race

package e2e_test

// parallel is how many tests run at once: they wait most of the time, for windows and leases to end.
const parallel = "20"
