package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSettingsAreTheParsers: the list by which a key is known elsewhere is what each line takes.
func TestSettingsAreTheParsers(t *testing.T) {
	of := map[string]string{"node": "w1", "provider": "email"}
	for _, k := range settings {
		src := fmt.Sprintf("# T.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z workers=(w1)\n%s %s nonsense=1\n", k.Verb, of[k.Verb])
		if k.Verb == "world" {
			src = "# T.\n# Source: by design\n# At stake: P1\n\nworld nonsense=1\n"
		}
		_, err := Parse("t.txt", []byte(src))
		if err == nil {
			t.Fatalf("%s takes nonsense", k.Verb)
		}
		_, list, _ := strings.Cut(err.Error(), "it takes ")
		list, _, _ = strings.Cut(list, "\n")
		want, got := strings.Split(list, ", "), strings.Fields(k.Keys)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-takes +listed):\n%s", k.Verb, diff)
		}
	}
}
