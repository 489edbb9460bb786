package format_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/script/format"
)

// meaning compares what scenarios say, and not where in the file they say it.
var meaning = cmp.Options{
	cmpopts.IgnoreFields(script.Step{}, "Pos", "Text", "Stanza"),
	cmpopts.IgnoreFields(script.Golden{}, "From", "To"),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() }),
	cmp.Comparer(func(a, b faults.Fault) bool { return a.String() == b.String() }),
}

// TestRoundTrip: what is printed parses to the same, and prints the same again.
func TestRoundTrip(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := script.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := format.Text(want)
			got, err := script.Parse(file, text)
			if err != nil {
				t.Fatalf("printed:\n%s\n%v", text, err)
			}
			if diff := cmp.Diff(want, got, meaning); diff != "" {
				t.Errorf("printed:\n%s\n(-want +got):\n%s", text, diff)
			}
			if again := format.Text(got); string(again) != string(text) {
				t.Errorf("printed again (-first +again):\n%s", cmp.Diff(string(text), string(again)))
			}
		})
	}
}

// TestNormalForm: one scenario that says everything, as it is printed.
func TestNormalForm(t *testing.T) {
	s, err := script.ParseFile("../testdata/everything.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/everything.golden")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(format.Text(s))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
