package suite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/script"
	"github.com/seathold/seathold/sim/suite"
)

func failed(name string, failures ...report.Failure) suite.Outcome {
	return suite.Outcome{
		Result:   report.Result{Scenario: name, Failures: failures},
		Scenario: &script.Scenario{File: name + ".txt"},
	}
}

// TestSummary: several scenarios that failed are named, as many as fit on a line, with where to begin.
func TestSummary(t *testing.T) {
	broken := func(promise string) report.Failure {
		return report.Failure{Kind: report.KindPromise, Promise: promise}
	}
	golden := report.Failure{Kind: report.KindGolden}
	many := []suite.Outcome{failed("s0")}
	for i := 1; i <= 11; i++ {
		many = append(many, failed(fmt.Sprintf("s%d", i), golden))
	}
	for _, c := range []struct {
		name     string
		outcomes []suite.Outcome
		want     string
	}{
		{"none", []suite.Outcome{failed("a"), failed("b")}, ""},
		{"one-alone", []suite.Outcome{failed("a", golden)}, ""},
		{"promises-before-the-rest", []suite.Outcome{failed("a"), failed("b", golden, broken("P7"), broken("P1"), broken("P7")), failed("c", golden)},
			"failed: b (P1 P7) c (golden)\nbegin with: bin/holdsim run -store postgres b.txt\n"},
		{"more-than-fit", many, "failed: s1 (golden) s2 (golden) s3 (golden) s4 (golden) s5 (golden) s6 (golden) s7 (golden) s8 (golden) … 3 more\n" +
			"begin with: bin/holdsim run -store postgres s1.txt\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			suite.Runner{Program: "bin/holdsim", Flags: "-store postgres"}.Summary(&out, c.outcomes, 0)
			if _, got, _ := strings.Cut(out.String(), "\n"); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}
