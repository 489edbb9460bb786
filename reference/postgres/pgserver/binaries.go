package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// binaryGlobs are where packages put server binaries that are not in PATH.
var binaryGlobs = []string{
	"/usr/lib/postgresql/*/bin",          // Debian
	"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
}

// findBinaries gives the directory of initdb and postgres: of PATH, else of the newest release
// in globs, else of pg_config.
func findBinaries(ctx context.Context, globs []string) (string, error) {
	candidates := inPath()
	candidates = append(candidates, newestFirst(globs)...)
	configured, configErr := exec.CommandContext(ctx, "pg_config", "--bindir").Output()
	if configErr == nil {
		candidates = append(candidates, strings.TrimSpace(string(configured)))
	}
	for _, dir := range candidates {
		if executable(dir, "initdb") && executable(dir, "postgres") {
			return dir, nil
		}
	}
	if configErr == nil {
		configErr = fmt.Errorf("they are not in %s", strings.TrimSpace(string(configured)))
	}
	return "", fmt.Errorf("find initdb and postgres: not in PATH, not in %s; asked pg_config: %w",
		strings.Join(globs, ", "), shorter(configErr))
}

// shorter leaves out what the message around err says already.
func shorter(err error) error {
	if wrapped := (*exec.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func inPath() []string {
	path, err := exec.LookPath("postgres")
	if err != nil {
		return nil
	}
	return []string{filepath.Dir(path)}
}

// newestFirst expands globs, each with its highest release first: 15 before 9.6.
func newestFirst(globs []string) []string {
	var dirs []string
	for _, glob := range globs {
		matches, err := filepath.Glob(glob)
		if err != nil {
			panic(fmt.Sprintf("pgserver: glob %q: %v", glob, err))
		}
		slices.SortFunc(matches, func(a, b string) int { return slices.Compare(release(b), release(a)) })
		dirs = append(dirs, matches...)
	}
	return dirs
}

// release is the numbers in a path, in order.
func release(path string) []int {
	var numbers []int
	for _, digits := range strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(digits) // digits only; one out of range is the highest int
		numbers = append(numbers, n)
	}
	return numbers
}

func executable(dir, name string) bool {
	_, err := exec.LookPath(filepath.Join(dir, name))
	return err == nil
}
