package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
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
