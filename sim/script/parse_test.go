package script_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/sim/script"
)

var update = flag.Bool("update", false, "write what is got into testdata/mistakes.golden; read the difference before you keep it")

// head begins every file of mistakes.golden: nine lines without a mistake.
const head = `# A learner confirms in time.
# Source: by design
# At stake: P1

world start=2026-03-02T12:00:00Z workers=(w1, w2)
holds
  id expires
  h1 12:10

`

// mistake is a case of testdata/mistakes.golden: a name, the lines after head, and what they give.
type mistake struct{ name, lines, want string }

const (
	caseMark = "=== "
	wantMark = "==>\n"
)

func mistakes(t *testing.T) []mistake {
	t.Helper()
	text, err := os.ReadFile("testdata/mistakes.golden")
	if err != nil {
		t.Fatal(err)
	}
	var all []mistake
	for _, block := range strings.Split("\n"+string(text), "\n"+caseMark)[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		lines, want, _ := strings.Cut(rest, wantMark)
		all = append(all, mistake{name, lines, strings.TrimRight(want, "\n")})
	}
	return all
}

// TestMistakes: every mistake is reported at its place, in these words.
func TestMistakes(t *testing.T) {
	var rewritten strings.Builder
	for _, m := range mistakes(t) {
		t.Run(m.name, func(t *testing.T) {
			got := "no mistake"
			if _, err := script.Parse("x.txt", []byte(head+m.lines)); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(m.want, got); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			}
			rewritten.WriteString(caseMark + m.name + "\n" + m.lines + wantMark + got + "\n\n")
		})
	}
	if *update {
		if err := os.WriteFile("testdata/mistakes.golden", []byte(rewritten.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var wholeFiles = []struct{ name, text, want string }{
	{"empty", "", `x.txt:1:1: the header has no first line that says what happens
  begin the file with # and a sentence, then # Source: … and # At stake: P1 …
x.txt:1:1: the header has no line "# Source:" that says something
  begin the file with # and a sentence, then # Source: … and # At stake: P1 …
x.txt:1:1: the header has no line "# At stake:" that says something
  begin the file with # and a sentence, then # Source: … and # At stake: P1 …`},
	{"no-stake", "# It happens.\n# Source: by design\n# At stake:\n\n" + headless, `x.txt:1:1: the header has no line "# At stake:" that says something
  # It happens.
  ^
  begin the file with # and a sentence, then # Source: … and # At stake: P1 …`},
	{"header-alone", "# It happens.\n# Source: by design\n# At stake: P1\n", `x.txt:3:1: the file has a header and nothing else
  # At stake: P1
  ^
  world start=2026-03-02T12:00:00Z`},
	{"no-world", header + "run for=5m\n", `x.txt:5:1: there is no world line, and no fixture that says when the world starts
  run for=5m
  ^
  world start=2026-03-02T12:00:00Z`},
	{"world-without-start", header + "world seed=2\nrun for=5m\n", `x.txt:5:13: world needs start=, for no fixture gives one
  world seed=2
              ^`},
	{"start-without-date", header + "world start=12:00\nrun for=5m\n", `x.txt:5:13: "12:00" is no full time: write start=2026-03-02T12:00:00Z
  world start=12:00
              ^`},
	{"nul", header + "world\x00 start=2026-03-02T12:00:00Z\n", `x.txt:5:6: character U+0000 can't be printed; a scenario is plain text
  world` + "\uFFFD" + ` start=2026-03-02T12:00:00Z
       ^`},
	{"not-utf8", header + "world start=\xff\xfe\n", `x.txt:5:13: byte 0xff is not UTF-8; a scenario is plain text
  world start=` + "\uFFFD\uFFFD" + `
              ^`},
	{"escape", header + "world \x1b[2J\n", `x.txt:5:7: character U+001B can't be printed; a scenario is plain text
  world ` + "\uFFFD" + `[2J
        ^`},
	{"carriage-return", "# It happens.\r\n", `x.txt:1:14: carriage return; save the file with plain line ends
  # It happens.` + "\uFFFD" + `
               ^`},
	{"too-many-lines", header + strings.Repeat("# more\n", 117), `x.txt:121:1: the file has 121 lines, and a scenario has at most 120
  # more
  ^
  tell one incident a file, or fold holds into ranges: p1..p500`},
	{"too-many-bytes", header + strings.Repeat("x", 1<<20), `x.txt:1:1: the file has more than 1048576 bytes; a scenario has at most 120 lines`},
}

const (
	header   = "# It happens.\n# Source: by design\n# At stake: P1\n\n"
	headless = "world start=2026-03-02T12:00:00Z\nrun for=5m\n"
)

func TestWholeFiles(t *testing.T) {
	for _, c := range wholeFiles {
		t.Run(c.name, func(t *testing.T) {
			_, err := script.Parse("x.txt", []byte(c.text))
			if err == nil {
				t.Fatal("no mistake")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKeysOfOtherLines: a key that some setup line takes is known as its wherever else it stands.
func TestKeysOfOtherLines(t *testing.T) {
	begins := map[string]string{"world": "world", "policy": "policy", "node": "node w1", "cron": "cron", "queue": "queue", "provider": "provider sms"}
	message := func(line string) string {
		_, err := script.Parse("x.txt", []byte(head+line+"\nrun until=12:15\n"))
		return err.Error()
	}
	for verb, begin := range begins {
		_, takes, _ := strings.Cut(message(begin+" nosuch=1"), "; it takes ")
		takes, _, _ = strings.Cut(takes, "\n")
		for _, key := range strings.Split(takes, ", ") {
			_, verbs, _ := strings.Cut(message("run "+key+"=1"), key+" is a setting of ")
			verbs, _, _ = strings.Cut(verbs, "\n")
			if !slices.Contains(strings.Split(verbs, " and "), verb) {
				t.Errorf("%s is a setting of %s, and %q is said", key, verb, verbs)
			}
		}
	}
}

var workers = []struct{ text, hint string }{
	{"2", "write workers=(w1, w2)"}, {"w1,w2", "write workers=(w1, w2)"}, {"(w1, 2)", "write workers=(w1, w2)"}, {"w1", ""},
}

// TestWorkers: names are wanted, and not how many.
func TestWorkers(t *testing.T) {
	for _, c := range workers {
		_, err := script.Parse("x.txt", []byte(strings.Replace(head, "workers=(w1, w2)", "workers="+c.text, 1)+"run until=12:15\n"))
		hint := ""
		if mistake := (*script.Error)(nil); errors.As(err, &mistake) {
			hint = mistake.Hint
		}
		if hint != c.hint {
			t.Errorf("workers=%s: hint %q, want %q: %v", c.text, hint, c.hint, err)
		}
	}
}

// TestErrorsHavePlaces: a caller gets at each mistake's place, and at the file that can't be read.
func TestErrorsHavePlaces(t *testing.T) {
	_, err := script.Parse("x.txt", []byte(head+"at 12:08 confirm h2\nrun for=15m\n"))
	var mistake *script.Error
	if !errors.As(err, &mistake) || mistake.Pos != (script.Pos{File: "x.txt", Line: 10, Col: 18}) {
		t.Errorf("got %v", err)
	}
	if _, err := script.ParseFile(filepath.Join(t.TempDir(), "none.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want one that says the file does not exist", err)
	}
}

// TestHugeFile: a file is refused for its size without being read whole.
func TestHugeFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "huge.txt")
	if err := os.WriteFile(file, make([]byte, 10<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := script.ParseFile(file)
	if want := file + ":1:1: the file has more than 1048576 bytes; a scenario has at most 120 lines"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOnlyTenMistakesAreShown(t *testing.T) {
	_, err := script.Parse("x.txt", []byte(head+strings.Repeat("at 12:08 confirm h2\n", 12)+"run for=15m\n"))
	var all script.Errors
	if !errors.As(err, &all) || len(all) != 12 {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); strings.Count(text, "unknown hold") != 10 || !strings.HasSuffix(text, "\nx.txt: and 2 more") {
		t.Errorf("got %s", text)
	}
}
