package script_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seathold/seathold/sim/script"
)

// TestDocNamesEverything: what a mistake says that there is, the package comment explains.
func TestDocNamesEverything(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`[a-z][a-z-]*`).FindAllString(string(src), -1)
	for _, line := range []string{
		"nonsense", "world nonsense=1", "policy nonsense=1", "node w1 nonsense=1", "cron nonsense=1", "queue nonsense=1",
		"provider sms nonsense=1", "provider nonsense", "show nonsense", "at 12:01 nonsense", "run nonsense=1",
		"at 12:01 create h2 nonsense=1", "at 12:01 extend h1 nonsense=1", "at 12:01 redrive nonsense=1", "expect h1 nonsense=1",
		"expect sweep#1 nonsense=1", "expect fires nonsense=1", "show holds nonsense=1", "queue profile=nonsense",
		"policy order=nonsense", "holds\n  nonsense\n  1", "reminders\n  nonsense\n  1", "expect accepted h1/nonsense=1",
	} {
		_, err := script.Parse("x.txt", []byte(header+"world start=2026-03-02T12:00:00Z\nholds\n  id expires\n  h1 12:10\n"+line+"\nrun for=5m\n"))
		if err == nil {
			t.Errorf("%q is no mistake", line)
			continue
		}
		known := regexp.MustCompile(`(?:there are|it takes) ([a-z, -]+)`).FindStringSubmatch(err.Error())
		if known == nil {
			t.Errorf("%q: nothing is listed in %v", line, err)
			continue
		}
		for _, word := range strings.Split(known[1], ", ") {
			if !slices.Contains(words, word) {
				t.Errorf("%q: the package comment doesn't name %q", line, word)
			}
		}
	}
}

// TestDocExample: the example of the package comment is a scenario.
func TestDocExample(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "//\n//\t# ")
	example, _, _ := strings.Cut("//\t# "+rest, "\n// A directive")
	example = strings.ReplaceAll(strings.ReplaceAll(example, "//\t", ""), "//", "")
	if s, err := script.Parse("doc.go", []byte(example)); err != nil || len(s.Holds) != 6 || len(s.Steps) != 5 {
		t.Errorf("%v: %s", err, example)
	}
}
