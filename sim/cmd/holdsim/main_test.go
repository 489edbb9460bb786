package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"holdsim": main})
}

func TestCommand(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"fill": fill, "exitcode": exitCode},
	})
}

// TestProgram: commands to type next begin with the program as it was called.
func TestProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wrong.txt")
	if err := os.WriteFile(file, []byte(wrong), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "-passes", "1", file}, "\n  bin/holdsim trace " + file + " -hold h1\n"},
		{[]string{"matrix", file}, "passes: bin/holdsim run\n"},
		{[]string{"check"}, "folder of them: bin/holdsim check scenarios\n"},
		{[]string{"explore", "-each", "slow", "two", "-defect", "blind-retry-on-timeout"}, "\n  bin/holdsim explore -each slow two -defect blind-retry-on-timeout\n"},
		{[]string{"explore", "-each", "slow", "two", "-defect", "blind-retry-on-timeout"}, "\n  bin/holdsim matrix -defect blind-retry-on-timeout "},
		{[]string{"explore", "-each", "slow", "two", "-defect", "blind-retry-on-timeout"}, "\n# Source: found by search, holdsim explore -each slow two -defect"},
	} {
		var out bytes.Buffer
		run("bin/holdsim", c.args, &out, &out)
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%q are told without %q:\n%s", c.args, c.want, &out)
		}
	}
}

const wrong = `# A hold is nudged, and that is not expected.
#
# Source: own.
# At stake: P2.

world start=2026-03-02T12:00:00Z
holds
  id  expires
  h1  12:10

run until=12:12

expect h1 email=none
`

// fill writes a file of so many megabytes: fill FILE TEXT MEGABYTES, with Go's escapes in TEXT.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill FILE TEXT MEGABYTES")
	}
	n := 0
	for _, c := range args[2] {
		n = 10*n + int(c-'0')
	}
	unquoted, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	text := bytes.Repeat([]byte(unquoted), n<<20/len(unquoted))
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), args[0]), text, 0o666))
}

// exitCode runs a command and wants its exit code: exitcode N COMMAND ARGS.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N COMMAND ARGS")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		if coder, ok := err.(interface{ ExitCode() int }); ok {
			got = string(rune('0' + coder.ExitCode()))
		} else {
			ts.Fatalf("%v", err)
		}
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
