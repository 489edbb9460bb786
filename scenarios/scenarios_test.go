// Package scenarios holds the incidents, one file each, and the test that runs them all: twice, the
// second time in a fresh process, on memory and on Postgres, with one trace.
package scenarios

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	_ "time/tzdata"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/onpostgres"
	"github.com/seathold/seathold/sim/suite"
)

// again is the argument that makes this binary the fresh process of a second pass.
const again = "again"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == again {
		os.Exit(answer(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func answer(args []string) int {
	var closed func() error
	err := suite.Answer(os.Stdout, args, func(store string) (sim.Backend, error) {
		if store == "memory" {
			return sim.Memory{}, nil
		}
		b, err := onpostgres.Start(context.Background())
		if err == nil {
			closed = b.Close
		}
		return b, err
	})
	if closed != nil {
		_ = closed() // the server ends with its owner in any case
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestOnMemory(t *testing.T) {
	run(t, suite.Runner{Backend: sim.Memory{}, Again: &suite.Process{Path: self(t), Args: []string{again}}})
}

func TestOnPostgres(t *testing.T) {
	b, err := onpostgres.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	run(t, suite.Runner{
		Backend: b, Model: sim.Memory{}, Flags: "-store postgres",
		Again: &suite.Process{Path: self(t), Args: []string{again}, Env: []string{"SEATHOLD_POSTGRES=" + b.ServerURL()}},
	})
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, r suite.Runner) {
	t.Helper()
	scenarios, err := suite.Load([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := r.Run(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		t.Run(o.Result.Scenario, func(t *testing.T) {
			if !o.OK() {
				t.Error(o.Text)
			}
		})
	}
}

// TestEveryPromiseIsAtStake finds promises that no scenario names.
func TestEveryPromiseIsAtStake(t *testing.T) {
	scenarios, err := suite.Load([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	stake := regexp.MustCompile(`\bP[1-9]\b`)
	named := map[string]int{}
	for _, s := range scenarios {
		_, after, _ := strings.Cut(strings.Join(s.Header, "\n"), "At stake:")
		for _, p := range stake.FindAllString(after, -1) {
			named[p]++
		}
	}
	for _, p := range []string{"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9"} {
		if named[p] == 0 {
			t.Errorf("no scenario names %s under \"At stake:\"", p)
		}
	}
}
