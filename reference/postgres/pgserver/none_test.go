package pgserver

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nothing takes Docker, and what is in PATH, away.
func nothing(t *testing.T) {
	t.Helper()
	t.Setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
	t.Setenv("PATH", t.TempDir())
}

func TestNoServer(t *testing.T) {
	const (
		docker = `ask Docker daemon at unix:///nowhere/docker.sock: Get "http://unix.sock/_ping": dial unix /nowhere/docker.sock: connect: no such file or directory`
		local  = "find initdb and postgres: not in PATH, not in /nowhere/*/bin; asked pg_config: executable file not found in $PATH"
	)
	for name, test := range map[string]struct {
		way  way
		want string
	}{
		"any": {wayAny, "no Postgres server; there are three ways to get one:\n" +
			"  docker: " + docker + "\n" +
			"  local: " + local + "\n" +
			"  URL: SEATHOLD_POSTGRES is not set; name a running server with it, such as postgres://user:password@localhost:5432/postgres"},
		"docker-does-not-fall-back": {wayDocker, "start Postgres in Docker, as SEATHOLD_POSTGRES says: " + docker},
		"local-does-not-fall-back":  {wayLocal, "start Postgres from local binaries, as SEATHOLD_POSTGRES says: " + local},
	} {
		t.Run(name, func(t *testing.T) {
			nothing(t)
			_, err := start(t.Context(), setting{way: test.way, image: DefaultImage, globs: []string{"/nowhere/*/bin"}})
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestURLWithoutServer(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "postgres", User: url.UserPassword("u", "secret"), Host: "127.0.0.1:" + port}
	_, err = start(t.Context(), setting{way: wayURL, url: u})
	if err == nil || !strings.Contains(err.Error(), "connect to postgres://u:xxxxx@127.0.0.1:"+port) {
		t.Errorf("error %v does not name the server", err)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v gives the password away", err)
	}
}

func TestBinariesOfNewestRelease(t *testing.T) {
	nothing(t)
	root := t.TempDir()
	for _, release := range []string{"9.6", "13", "15", "16"} {
		bin := filepath.Join(root, release, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		script(t, filepath.Join(bin, "postgres"), "")
		if release != "16" { // which has no initdb
			script(t, filepath.Join(bin, "initdb"), "")
		}
	}
	got, err := findBinaries(t.Context(), []string{filepath.Join(root, "*", "bin")})
	if want := filepath.Join(root, "15", "bin"); err != nil || got != want {
		t.Errorf("findBinaries = %q, %v; want %q", got, err, want)
	}
}

func TestBrokenBinaries(t *testing.T) {
	for name, test := range map[string]struct {
		initdb, postgres, want string
		is                     error
		starts                 int
	}{
		"initdb-fails":  {"echo started >>$0.log; echo no room >&2; exit 1", "", "the server ended before it answered; its log ends:\nno room", errEnded, 1},
		"server-fails":  {"echo started >>$0.log", "echo no memory >&2; exit 1", "the server ended before it answered; its log ends:\nno memory", errEnded, 1},
		"port-is-taken": {"echo started >>$0.log", "echo could not bind: Address already in use >&2; exit 1", "another program took the port", errPortTaken, portTries},
	} {
		t.Run(name, func(t *testing.T) {
			bin, clusters := openDir(t), openDir(t)
			t.Setenv("TMPDIR", clusters)
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			script(t, filepath.Join(bin, "initdb"), test.initdb)
			script(t, filepath.Join(bin, "postgres"), test.postgres)
			_, err := startCluster(t.Context(), nil)
			if !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			started, err := os.ReadFile(filepath.Join(bin, "initdb.log"))
			if got := strings.Count(string(started), "started"); got != test.starts {
				t.Errorf("started %d times, want %d (%v)", got, test.starts, err)
			}
			if left := anyIn(t, clusters); left != "" {
				t.Errorf("%s is left", left)
			}
		})
	}
}

func TestReadyGivesLastAnswer(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	u, _ := startedURL("127.0.0.1", port)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	log := &tail{}
	_, _ = log.Write([]byte("still recovering\n"))
	err = ready(ctx, u, make(chan struct{}), log)
	if !errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), "; its log ends:\nstill recovering") {
		t.Errorf("error %v does not give the log", err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	log := &tail{}
	for range 3 {
		_, _ = log.Write([]byte(strings.Repeat("x", tailMax)))
	}
	_, _ = log.Write([]byte("the end"))
	if got := log.String(); len(log.lines) != tailMax || !strings.HasSuffix(got, "xthe end") {
		t.Errorf("%d bytes, ending %q", len(log.lines), got[len(got)-10:])
	}
}
