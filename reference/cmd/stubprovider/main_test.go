package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCannotBegin(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.json")
	if err := os.WriteFile(rules, []byte(`[{"status":99}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	for name, c := range map[string]struct {
		args   []string
		secret string
		code   int
		want   string
	}{
		"no-secret":       {nil, "", 2, "secret-file is not set"},
		"no-such-file":    {[]string{"--secret-file", filepath.Join(dir, "none")}, "", 2, "secret-file: open"},
		"bad-secret":      {nil, "hunter22!", 2, "secret: it is whsec_"},
		"bad-rules":       {[]string{"--rules", rules}, secret, 2, "rules: rule \"\": status 99"},
		"bad-flag":        {[]string{"--sleep"}, secret, 2, "unknown flag --sleep"},
		"nowhere-to-be":   {[]string{"--listen", "127.0.0.1:-1"}, secret, 1, "listen: "},
		"no-place-to-log": {[]string{"--log", filepath.Join(dir, "no", "log")}, secret, 2, "log: open"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(c.args, func(string) string { return c.secret }, &stdout, &stderr)
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if code != c.code || len(lines) != 2 || !strings.HasPrefix(lines[0], "stubprovider: ") || !strings.Contains(lines[0], c.want) || !strings.HasPrefix(lines[1], "hint: ") {
				t.Errorf("exit code %d, want %d, one line that says %q, and a hint:\n%s", code, c.code, c.want, stderr.String())
			}
			if c.secret == "hunter22!" && strings.Contains(stderr.String(), c.secret) {
				t.Error("the secret is shown")
			}
		})
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"--help"}, os.Getenv, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "--key-horizon") {
		t.Errorf("--help: exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
}
