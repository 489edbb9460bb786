package tell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/tell"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/matrix"
)

func searched(t *testing.T, as tell.Subject) (*explore.Report, []tell.Finding) {
	t.Helper()
	d, found := defects.Named("no-re-read")
	if !found {
		t.Fatal("no such defect")
	}
	u := trial.Subject{Backend: matrix.On(d)}
	r := explore.Search{Subject: u}.Run(context.Background(), []explore.Plan{{Name: "seeds", Cases: explore.Seeds(1, 60, "")}})
	as.Subject, as.Program = u, "bin/holdsim"
	findings := tell.Shrink(context.Background(), as, r, 0)
	if len(findings) == 0 {
		t.Fatal("nothing was found")
	}
	return r, findings
}

var ofDefect = tell.Subject{Run: "matrix -defect no-re-read", Flags: "-defect no-re-read", Defect: true}

// TestUnsaved: a file that isn't there yet is no command's, a defect's file is none of the suite's, and
// one of the reference's has its day.
func TestUnsaved(t *testing.T) {
	const name = "found-p3-granted-for-a-closed-window.txt"
	for _, c := range []struct {
		as   tell.Subject
		want []string
	}{
		{ofDefect, []string{" runs; save it as " + name + ":\n", "\nnext, once it is saved:\n  bin/holdsim matrix -defect no-re-read " + name + "\n\n"}},
		{tell.Subject{}, []string{" runs; save it as scenarios/" + name + ":\n", "\nnext, once it is saved:\n  bin/holdsim run scenarios/" + name +
			"\nit passes as long as the promise is broken: when that is mended, take out the expect broken lines, and say what is to be\n\n"}},
	} {
		_, findings := searched(t, c.as)
		var text strings.Builder
		findings[0].Text(&text)
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("a finding is told without %q:\n%s", want, text.String())
			}
		}
	}
}

func TestTold(t *testing.T) {
	r, findings := searched(t, ofDefect)
	dir := t.TempDir()
	if err := tell.Save(findings, dir); err != nil {
		t.Fatal(err)
	}
	f := findings[0]
	saved, err := os.ReadFile(filepath.Join(dir, "found-p3-granted-for-a-closed-window.txt"))
	if err != nil || !bytes.Equal(saved, f.File) {
		t.Errorf("the saved file is another one, or none: %v", err)
	}
	var text strings.Builder
	f.Text(&text)
	for _, want := range []string{"P3 granted for a closed window", "\n  bin/holdsim explore -seeds ", "# Source: found by search, holdsim explore -seeds ", "expect broken P3", " -defect no-re-read\n", " runs; saved as " + f.Saved + ":\n", "\nnext:\n  bin/holdsim matrix -defect no-re-read " + f.Saved + "\n\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("a finding is told without %q:\n%s", want, text.String())
		}
	}

	var out bytes.Buffer
	if err := tell.JSON(&out, r, findings); err != nil {
		t.Fatal(err)
	}
	var j struct {
		OK       bool
		Runs     int
		Findings []struct{ Promise, Class, Scenario string }
		Marks    map[string]int
	}
	if err := json.Unmarshal(out.Bytes(), &j); err != nil {
		t.Fatal(err)
	}
	if j.OK || j.Runs != 60 || len(j.Findings) != len(findings) || j.Findings[0].Scenario != string(f.File) || j.Marks["claim-granted"] == 0 {
		t.Errorf("JSON says %+v", j)
	}

	out.Reset()
	if err := tell.JUnit(&out, r, findings); err != nil {
		t.Fatal(err)
	}
	var x struct {
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name     string   `xml:"name,attr"`
			Failures []string `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal(out.Bytes(), &x); err != nil {
		t.Fatal(err)
	}
	if x.Failures != len(findings) || len(x.Cases) != 1 || len(x.Cases[0].Failures) != len(findings) {
		t.Errorf("JUnit says %+v", x)
	}
}

// TestNoScenario: a finding that no scenario shows is told, and no empty file is saved or named.
func TestNoScenario(t *testing.T) {
	f := tell.Finding{Finding: &explore.Finding{Broken: trial.Broken{Promise: "P1", Class: "accepted twice"}, Cases: 1}, Note: "no seed gives the order"}
	var text strings.Builder
	f.Text(&text)
	if got := text.String(); !strings.Contains(got, "note: no seed gives the order") || strings.Contains(got, "next:") {
		t.Errorf("told as\n%s", got)
	}
	dir := t.TempDir()
	if err := tell.Save([]tell.Finding{f}, dir); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%s was saved", files[0].Name())
	}
}
