package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/restqueue"
)

const troubled = `# The second publish is lost, and the queue keeps what it has for a minute.
#
# Source: own.
# At stake: P5.

world start=2026-03-02T12:00:00Z
queue max-receives=2
holds
  id  expires
  h1  12:10

fault lose in=publish nth=2
fault crash worker after=claim on=h1 channel=email
fault error worker before=ack nth=7
fault maybe error worker before=ack nth=8
run until=12:20

expect h1 state=expired
`

// TestBroker runs the command as a program, and ends it by a signal.
func TestBroker(t *testing.T) {
	file := filepath.Join(t.TempDir(), "troubled.txt")
	if err := os.WriteFile(file, []byte(troubled), 0o666); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			var stderr bytes.Buffer
			// The test's binary is the command where it is called by its name.
			cmd := &exec.Cmd{Path: exe, Args: []string{"holdsim", "broker", "-faults", file}, Stderr: &stderr}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			lines := bufio.NewReader(stdout)
			url, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err, stderr.String())
			}
			talk(t, strings.TrimSpace(url))
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			more, _ := io.ReadAll(lines)
			if err := cmd.Wait(); err != nil || len(more) > 0 {
				t.Errorf("ended by %v, after %q", err, more)
			}
			for _, want := range []string{
				"troubled.txt:13:1: left out: fault crash worker after=claim on=h1 channel=email: crash is not done by a queue\n",
				" in publish: lose in=publish nth=2\n",
				"never fired: fault error worker before=ack nth=7\n",
			} {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("stderr lacks %q:\n%s", want, &stderr)
				}
			}
			if strings.Contains(stderr.String(), "nth=8") {
				t.Errorf("stderr speaks of a fault that needn't fire:\n%s", &stderr)
			}
		})
	}
}

// talk publishes two messages, of which one is lost, and takes the other.
func talk(t *testing.T, url string) {
	t.Helper()
	q, err := restqueue.New(restqueue.Config{URL: url, Queue: "q", Token: "any"})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	ctx := context.Background()
	results, err := q.Publish(ctx, []reference.Entry{{Payload: []byte("one")}, {Payload: []byte("two")}})
	if err != nil || results[0].Err != nil || results[1].Err != nil {
		t.Fatal(results, err)
	}
	got, err := q.Receive(ctx, 10, 0)
	if err != nil || len(got) != 1 || string(got[0].Payload) != "one" {
		t.Fatalf("received %+v, %v", got, err)
	}
	if err := q.Ack(ctx, got[0]); err != nil {
		t.Fatal(err)
	}
}
