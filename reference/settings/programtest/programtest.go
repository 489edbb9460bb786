// Package programtest runs the programs as they are run in production: built once for a test binary,
// with settings in the environment, logs on stderr, and signals.
//
//	func TestMain(m *testing.M) { os.Exit(programtest.Main(m, "holdsweep")) }
package programtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seathold/seathold/reference/postgres/pgtest"
)

// commands is where the programs are, in this module.
const commands = "github.com/seathold/seathold/reference/cmd/"

// waitMax is how long a test waits for what must come. Nothing is proven by waiting so long.
const waitMax = 60 * time.Second

var built struct{ dir string }

// Main builds programs, runs the tests with a database server for those that need one, and gives the
// exit code.
func Main(m *testing.M, programs ...string) int {
	dir, err := os.MkdirTemp("", "programtest")
	if err != nil {
		fmt.Fprintln(os.Stderr, "programtest:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	for _, p := range programs {
		build := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", dir+string(filepath.Separator), commands+p)...)
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "programtest: build %s: %v\n%s", p, err, out)
			return 1
		}
	}
	built.dir = dir
	return pgtest.Main(m)
}

// Process is a program that was started.
type Process struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	done chan struct{}

	mu     sync.Mutex
	news   *sync.Cond
	stderr []string
	stdout bytes.Buffer
	ended  bool
}

// Start starts a program. What a test has not ended when it ends is killed.
func Start(t testing.TB, program string, environment []string, args ...string) *Process {
	t.Helper()
	p := &Process{t: t, name: program, cmd: exec.Command(filepath.Join(built.dir, program), args...), done: make(chan struct{})}
	p.news = sync.NewCond(&p.mu)
	// None of this machine's own settings, in a test or the database's driver.
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, environment...)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout = &p.stdout
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(stderr)
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.done
		if strings.Contains(p.Stderr(), "DATA RACE") {
			t.Errorf("%s has a data race", program)
		}
		if t.Failed() {
			t.Logf("%s wrote:\n%s", program, p.Stderr())
		}
	})
	return p
}

func (p *Process) read(stderr io.Reader) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.mu.Lock()
		p.stderr = append(p.stderr, lines.Text())
		p.news.Broadcast()
		p.mu.Unlock()
	}
	// How it ended is asked of ProcessState.
	_ = p.cmd.Wait()
	p.mu.Lock()
	p.ended = true
	p.news.Broadcast()
	p.mu.Unlock()
	close(p.done)
}

// Stderr is what the program has written so far.
func (p *Process) Stderr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.stderr, "\n")
}

// Line is one line of a log.
type Line map[string]any

// Log gives the lines of the log so far that have these keys and values.
func (p *Process) Log(match Line) []Line {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.matching(match)
}

func (p *Process) matching(match Line) []Line {
	var found []Line
	for _, text := range p.stderr {
		var line Line
		if json.Unmarshal([]byte(text), &line) == nil && line.matches(match) {
			found = append(found, line)
		}
	}
	return found
}

func (l Line) matches(match Line) bool {
	for key, want := range match {
		if l[key] != want {
			return false
		}
	}
	return true
}

// Await waits until the log has n lines with these keys and values, and gives the last of them.
func (p *Process) Await(n int, match Line) Line {
	p.t.Helper()
	deadline := time.Now().Add(waitMax)
	late := time.AfterFunc(waitMax, p.news.Broadcast)
	defer late.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		found := p.matching(match)
		switch {
		case len(found) >= n:
			return found[n-1]
		case p.ended:
			p.t.Fatalf("%s ended with %d of %d lines of %v", p.name, len(found), n, match)
		case !time.Now().Before(deadline):
			p.t.Fatalf("%s has %d of %d lines of %v after %s", p.name, len(found), n, match, waitMax)
		}
		p.news.Wait()
	}
}

// Address is where the program listens for what a setting names.
func (p *Process) Address(setting string) string {
	p.t.Helper()
	return p.Await(1, Line{"msg": "program.listen", "setting": setting})["address"].(string)
}

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("signal %s: %v", p.name, err)
	}
}

// Wait waits for the end, and gives the exit code and what was written to stdout.
func (p *Process) Wait() (code int, stdout string) {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(waitMax):
		p.t.Fatalf("%s still runs after %s", p.name, waitMax)
	}
	return p.cmd.ProcessState.ExitCode(), p.stdout.String()
}

// Get asks for a page, and gives its status and text.
func Get(t testing.TB, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitMax)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// Eventually asks every so often until done says nil, and fails with what it last said.
func Eventually(t testing.TB, done func() error) {
	t.Helper()
	err := errors.New("never asked")
	for deadline := time.Now().Add(waitMax); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = done(); err == nil {
			return
		}
	}
	t.Fatalf("after %s: %v", waitMax, err)
}
