//go:build race

package programtest

// buildFlags build the programs as the test was built.
var buildFlags = []string{"-race"}
