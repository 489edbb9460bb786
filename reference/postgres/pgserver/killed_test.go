package pgserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ory/dockertest/v3"
	dc "github.com/ory/dockertest/v3/docker"
)

// ownerRole, in the environment, makes this test binary start a server and wait to be killed.
const ownerRole = "SEATHOLD_PGSERVER_OWNER"

// polls and pollEvery bound the waiting for what other processes do: 15 s.
const (
	polls     = 300
	pollEvery = 50 * time.Millisecond
)

func pause() { time.Sleep(pollEvery) }

// owned is what an owner says of its server.
type owned struct{ Host, Dir, Container, Database string }

// own is the owner's main: it starts a server as the environment asks for it, says what it has,
// and goes on until its stdin ends, which only happens when the test that started it is gone.
func own() {
	ctx := context.Background()
	s, err := Start(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	d, err := s.CreateDatabase(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	has := owned{Host: s.instance.url.Host, Dir: s.instance.dir, Container: s.instance.container, Database: d.Name()}
	if err := json.NewEncoder(os.Stdout).Encode(has); err != nil {
		os.Exit(1)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startOwner starts an owner that makes its temporary files in dir.
func startOwner(t *testing.T, dir string) (*exec.Cmd, io.Reader) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(binary)
	owner.Env = append(os.Environ(), ownerRole+"=1", "TMPDIR="+dir)
	owner.Stderr = os.Stderr
	stdin, err := owner.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	return owner, stdout
}

// kill kills by SIGKILL.
func kill(t *testing.T, owner *exec.Cmd) {
	t.Helper()
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // says that it was killed
}

// openDir is a directory in which any user may make files.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o777 | os.ModeSticky} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	s := server(t)
	dir := openDir(t)
	owner, stdout := startOwner(t, dir)
	var has owned
	if err := json.NewDecoder(stdout).Decode(&has); err != nil {
		t.Fatalf("owner said nothing: %v", err)
	}
	if !listens(has.Host) || named(t, s, has.Database) == "" && s.instance.shared {
		t.Fatalf("owner has no server: %+v", has)
	}
	kill(t, owner)
	var left string
	for range polls {
		if left = remains(t, s, has, dir); left == "" {
			return
		}
		pause()
	}
	t.Errorf("%s after its owner was killed: %s is left", polls*pollEvery, left)
}

// remains says what is left of a killed owner's server.
func remains(t *testing.T, s *Server, has owned, dir string) string {
	t.Helper()
	if s.instance.shared {
		next, err := Start(t.Context()) // sweeps
		if err != nil {
			t.Fatal(err)
		}
		defer next.Close()
		return named(t, s, has.Database)
	}
	if listens(has.Host) {
		return "the server at " + has.Host
	}
	if has.Container != "" {
		client := dockerClient(t)
		if _, err := client.InspectContainer(has.Container); err == nil {
			return "container " + has.Container
		}
		return ""
	}
	if _, err := os.Stat(has.Dir); err == nil {
		return has.Dir
	}
	return anyIn(t, dir)
}

func listens(host string) bool {
	connection, err := net.DialTimeout("tcp", host, time.Second)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

func dockerClient(t *testing.T) *dc.Client {
	t.Helper()
	pool, err := dockertest.NewPool("")
	if err != nil {
		t.Fatal(err)
	}
	return pool.Client
}

// anyIn names a file in dir, if there is one.
func anyIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		return filepath.Join(dir, entry.Name())
	}
	return ""
}

// An owner killed as soon as its directory is there: the cluster is still being made. A stand-in
// for the binaries holds that moment open, so that no Postgres is needed.
func TestKilledWhileMakingCluster(t *testing.T) {
	dir, bin := openDir(t), openDir(t)
	script(t, filepath.Join(bin, "initdb"), `echo making >"$2.making"; sleep 1; mkdir -p "$2"`)
	copySelf(t, filepath.Join(bin, standIn))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(settingServer, string(wayLocal))
	owner, _ := startOwner(t, dir)
	await(t, "cluster in the making", func() bool {
		making, _ := filepath.Glob(filepath.Join(dir, "*", "data.making"))
		return len(making) == 1
	})
	kill(t, owner)
	await(t, "empty directory", func() bool { return anyIn(t, dir) == "" })
}

// standIn is the name under which this test binary stands in for a server: see standInMain.
const standIn = "postgres"

// standInMain runs until it is told to quit at once, as Postgres does. A shell could not: it is
// started with that signal ignored.
func standInMain() {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	<-quit
}

// copySelf copies this test binary to where any user may run it.
func copySelf(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	executableFile(t, path, binary)
}

// await polls until it is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range polls {
		if so() {
			return
		}
		pause()
	}
	t.Fatalf("no %s in %s", what, polls*pollEvery)
}

// script writes a shell script that any user may run.
func script(t *testing.T, path, body string) {
	t.Helper()
	executableFile(t, path, []byte("#!/bin/sh\n"+body+"\n"))
}

func executableFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
