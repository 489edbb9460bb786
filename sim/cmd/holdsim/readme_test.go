package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

// sample gives the lines of README's first block after some words.
func sample(t *testing.T, after string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), after)
	_, rest, open := strings.Cut(rest, "\n```\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !open || !closed {
		t.Fatalf("README has no block after %q", after)
	}
	return strings.Split(block, "\n")
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	t.Chdir(root)
	var stdout, stderr bytes.Buffer
	if code := run("bin/holdsim", args, &stdout, &stderr); code > exitFailed {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr.String())
	}
	return stdout.String()
}

var took = regexp.MustCompile(`(?m)(<?[0-9]+ m?s$)|(, [0-9.]+ s:)`)

// unhurried is a text without what another machine does in another time.
func unhurried(text string) string { return took.ReplaceAllString(text, "") }

// TestReadme: the samples are what the command prints, but for how long it takes.
func TestReadme(t *testing.T) {
	for _, c := range []struct {
		after string
		args  []string
	}{
		{"When all is well", []string{"run", "-passes", "1", "scenarios"}},
		{"is found by `bin/holdsim explore", []string{"explore", "-each", "slow", "-defect", "blind-retry-on-timeout", "two"}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			lines := sample(t, c.after)
			// The second pass is made by a process of the command, which a test is not.
			out := strings.ReplaceAll(squeezed(unhurried(output(t, c.args...))), " 1 pass ", " 2 passes ")
			for _, line := range lines {
				if want := squeezed(unhurried(line)); want != "…" && !strings.Contains(out, want) {
					t.Errorf("README says %q, and %v doesn't", want, c.args)
				}
			}
		})
	}
}

// squeezed is a text with one space where there are many.
func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }
