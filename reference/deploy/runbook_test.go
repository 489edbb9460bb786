// Package deploy_test holds what operators are told to what the programs are: every command, flag,
// variable, metric, alert and statement that the runbook and the files beside it name.
package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m, "holdctl", "holdsweep", "holdworker")) }

// told are the files that tell operators something.
func told(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"RUNBOOK.md", "Dockerfile", "env/*", "systemd/*", "compose/*.yml"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, error %v", pattern, len(names), err)
		}
		for _, name := range names {
			texts[name] = read(t, name)
		}
	}
	return texts
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	program = regexp.MustCompile("(?:holdctl|holdsweep|holdworker)(?: [^|;)`\n]*)?")
	flag    = regexp.MustCompile(`--[a-z][a-z-]+`)
	word    = regexp.MustCompile(`^[a-z]+$`)
	quoted  = regexp.MustCompile("`[^`\n]+`")
)

// commands are the command lines in the runbook: in its blocks after a prompt, and in backquotes.
func commands(text string) []string {
	var all []string
	inBlock := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = !inBlock
		case inBlock && (strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "while ")):
			all = append(all, program.FindAllString(line, -1)...)
		case !inBlock:
			for _, q := range quoted.FindAllString(line, -1) {
				if q = strings.Trim(q, "`"); program.FindString(q) == q {
					all = append(all, q)
				}
			}
		}
	}
	return all
}

// help runs the program of a command line with its subcommand's words, as far as there are such
// commands, and gives what it says of itself.
func help(t *testing.T, bin string, words []string) (text string, left []string) {
	t.Helper()
	for n := len(words); n > 0; n-- {
		out, err := exec.Command(filepath.Join(bin, words[0]), append(slices.Clone(words[1:n]), "--help")...).CombinedOutput()
		if err == nil {
			return string(out), words[n:]
		}
	}
	t.Fatalf("%s has no help", words[0])
	return "", nil
}

func TestCommandsAndFlagsExist(t *testing.T) {
	bin := build(t)
	seen := 0
	for _, line := range commands(read(t, "RUNBOOK.md")) {
		fields := strings.Fields(line)
		var words []string
		for _, f := range fields {
			if strings.HasPrefix(f, "--") {
				if f == "--json" || f == "--help" {
					continue
				}
				break
			}
			if !word.MatchString(f) {
				break
			}
			words = append(words, f)
		}
		text, _ := help(t, bin, words)
		for _, f := range flag.FindAllString(line, -1) {
			if seen++; !regexp.MustCompile(regexp.QuoteMeta(f) + `\b`).MatchString(strings.ReplaceAll(text, "[no-]", "")) {
				t.Errorf("%q: %s has no flag %s", line, strings.Join(words, " "), f)
			}
		}
		if len(words) > 1 && words[0] == "holdctl" && strings.Contains(text, "<command>") {
			t.Errorf("%q: there is no such command", line)
		}
	}
	if seen < 20 {
		t.Errorf("%d flags were found in the runbook: it isn't read as it is written", seen)
	}
}

// build builds the programs for their help, which needs no process that is watched.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	const commands = "github.com/seathold/seathold/reference/cmd/"
	out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator),
		commands+"holdctl", commands+"holdsweep", commands+"holdworker").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

var variable = regexp.MustCompile(`(?:SEATHOLD|STUBPROVIDER)_[A-Z_]+[A-Z]`)

func TestVariablesExist(t *testing.T) {
	known := map[string]bool{
		// Of compose.yml alone, for docker.
		"SEATHOLD_POSTGRES_IMAGE": true, "SEATHOLD_BUILD_IMAGE": true, "SEATHOLD_BASE_IMAGE": true,
	}
	for _, source := range []string{"../settings/SETTINGS.md", "../cmd/stubprovider/main.go"} {
		for _, name := range variable.FindAllString(read(t, source), -1) {
			known[name] = true
		}
	}
	for name, text := range told(t) {
		for _, v := range variable.FindAllString(text, -1) {
			if !known[v] {
				t.Errorf("%s: there is no variable %s", name, v)
			}
		}
	}
}

var (
	metric    = regexp.MustCompile(`\bseathold_[a-z_]+`)
	alert     = regexp.MustCompile(`\bSeathold[A-Z][A-Za-z]+`)
	alertRule = regexp.MustCompile(`(?m)- alert: (\w+)$`)
)

// others begin as metrics do, and are roles or tables.
var others = []string{"seathold_owner", "seathold_sweep", "seathold_worker", "seathold_host", "seathold_migrations"}

func TestMetricsExist(t *testing.T) {
	exported := ""
	d := programtest.Migrated(t)
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	env := []string{
		"SEATHOLD_DATABASE_URL=" + d.DSN, "SEATHOLD_METRICS_LISTEN=127.0.0.1:0", "SEATHOLD_LISTEN=127.0.0.1:0", "SEATHOLD_POLL_EVERY=50ms",
		"SEATHOLD_EMAIL_URL=http://127.0.0.1:1", "SEATHOLD_EMAIL_SECRET=" + secret, "SEATHOLD_SMS_URL=http://127.0.0.1:1", "SEATHOLD_SMS_SECRET=" + secret,
	}
	if code, _ := programtest.Start(t, "holdsweep", env, "once").Wait(); code != 0 {
		t.Fatalf("holdsweep once: exit code %d", code)
	}
	for _, p := range []*programtest.Process{programtest.Start(t, "holdsweep", env, "serve"), programtest.Start(t, "holdworker", env)} {
		page := ""
		programtest.Eventually(t, func() error {
			_, page = programtest.Get(t, "http://"+p.Address("metrics-listen")+"/metrics")
			if !strings.Contains(page, "seathold_queue_messages{") || !strings.Contains(page, "seathold_last_sweep_found{") {
				return os.ErrNotExist // not looked at yet
			}
			return nil
		})
		exported += page
	}
	for name, text := range told(t) {
		for _, m := range metric.FindAllString(text, -1) {
			if !slices.Contains(others, m) && !strings.Contains(exported, "# TYPE "+m+" ") {
				t.Errorf("%s: there is no metric %s", name, m)
			}
		}
	}
}

// TestAlertsAreExplained holds both: the runbook has every alert, and no other.
func TestAlertsAreExplained(t *testing.T) {
	runbook, rules := read(t, "RUNBOOK.md"), map[string]bool{}
	for _, m := range alertRule.FindAllStringSubmatch(read(t, "../watch/alerts.yml"), -1) {
		rules[m[1]] = true
	}
	for _, a := range alert.FindAllString(runbook, -1) {
		if !rules[a] {
			t.Errorf("the runbook names %s, which is no alert", a)
		}
	}
	for a := range rules {
		if !strings.Contains(runbook, "`"+a+"`") {
			t.Errorf("the runbook doesn't say what to do about %s", a)
		}
	}
	if len(rules) < 20 {
		t.Errorf("%d alerts were read", len(rules))
	}
}

var (
	statement = regexp.MustCompile("(?s)```sql\n(.*?)```")
	link      = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

func TestLinksLead(t *testing.T) {
	runbook, anchors := read(t, "RUNBOOK.md"), map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(runbook, -1) {
		anchors["#"+strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")] = true
	}
	for _, m := range link.FindAllStringSubmatch(runbook, -1) {
		if m[2] != "" && !anchors[m[2]] {
			t.Errorf("%s leads to no heading", m[2])
		}
		if _, err := os.Stat(filepath.FromSlash(m[1])); m[1] != "" && err != nil {
			t.Error(err)
		}
	}
}
