package script_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/sim/script"
)

func goldens(s *script.Scenario) map[int][]string {
	all := make(map[int][]string)
	for i, step := range s.Steps {
		if step.Golden != nil {
			all[i] = step.Golden.Lines
		}
	}
	return all
}

// TestRewriteNothing: the lines that are there give the file that is there, byte for byte.
func TestRewriteNothing(t *testing.T) {
	for _, file := range []string{"testdata/overlap.txt", "testdata/everything.txt"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range []map[int][]string{nil, goldens(s)} {
			got, err := s.Rewrite(src, changed)
			if err != nil || string(got) != string(src) {
				t.Errorf("%s: %v (-want +got):\n%s", file, err, cmp.Diff(string(src), string(got)))
			}
		}
	}
}

var rewrites = []struct {
	name, from string
	lines      []string
	to         string
}{
	{"more-lines", "run for=5m  # why\n----\nold\n\nexpect h1 state=held\n", []string{"new", " # newer"}, "run for=5m  # why\n----\nnew\n # newer\n\nexpect h1 state=held\n"},
	{"no-lines", "run for=5m\n----\nold\nolder\n\n\nexpect h1 state=held\n", nil, "run for=5m\n----\n\n\nexpect h1 state=held\n"},
	{"first-lines", "run for=5m\n----\n\nexpect h1 state=held\n", []string{"new"}, "run for=5m\n----\nnew\n\nexpect h1 state=held\n"},
	{"at-the-end", "run for=5m\n----\nold", []string{"new"}, "run for=5m\n----\nnew\n"},
	{"after-a-bare-mark", "run for=5m\n----", []string{"new"}, "run for=5m\n----\nnew\n"},
}

// TestRewrite: only golden lines change.
func TestRewrite(t *testing.T) {
	for _, c := range rewrites {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(head + c.from)
			s, err := script.Parse("x.txt", src)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Rewrite(src, map[int][]string{1: c.lines})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+c.to, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := script.Parse("x.txt", got); err != nil || !cmp.Equal(again.Steps[1].Golden.Lines, append([]string{}, c.lines...)) {
				t.Errorf("read back: %v", err)
			}
		})
	}
}

// TestRewriteRefuses what would be read back as something else.
func TestRewriteRefuses(t *testing.T) {
	src := []byte(head + "run for=5m\n----\nold\n")
	s, err := script.Parse("x.txt", src)
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][]string{{"a", "", "b"}, {"a\nb"}, {"a\x00"}, {strings.Repeat("x", 501)}, make([]string, 41)} {
		if _, err := s.Rewrite(src, map[int][]string{1: lines}); err == nil {
			t.Errorf("%q was written", lines)
		}
	}
}
