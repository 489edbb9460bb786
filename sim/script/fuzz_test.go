package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/script/format"
)

// FuzzParse: no input panics; every mistake has a place; what parses is printed and parses again to
// what is printed the same.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	text, err := os.ReadFile("testdata/mistakes.golden")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split("\n"+string(text), "\n"+caseMark)[1:] {
		_, rest, _ := strings.Cut(block, "\n")
		lines, _, _ := strings.Cut(rest, wantMark)
		f.Add(head + lines)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := script.Parse("x.txt", []byte(src))
		if err != nil {
			checkPlaces(t, err)
			return
		}
		if same, err := s.Rewrite([]byte(src), goldens(s)); err != nil || strings.TrimRight(string(same), "\n") != strings.TrimRight(src, "\n") {
			t.Errorf("rewriting nothing changed the file to %q, %v", same, err)
		}
		if len(s.Holds) > 50 || strings.Count(src, "\n") > 50 {
			return // printed, it could be more lines than a scenario may have
		}
		printed := format.Text(s)
		again, err := script.Parse("x.txt", printed)
		switch {
		case err != nil && strings.Contains(err.Error(), "is the most"), err != nil && strings.Contains(err.Error(), "at most"):
		case err != nil:
			t.Errorf("printed:\n%s\n%v", printed, err)
		case string(format.Text(again)) != string(printed):
			t.Errorf("printed:\n%s\nand again:\n%s", printed, format.Text(again))
		}
	})
}

func checkPlaces(t *testing.T, err error) {
	var all script.Errors
	if !errors.As(err, &all) {
		t.Fatalf("an error without a place: %v", err)
	}
	for _, one := range all {
		if one.Pos.Line < 1 || one.Pos.Col < 1 || one.Pos.Col > len(one.Line)+1 {
			t.Errorf("%v: a place that is not there", one)
		}
	}
}
