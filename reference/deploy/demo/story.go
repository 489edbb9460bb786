package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// stopMax is how long a program may take to end before it is killed.
const stopMax = 5 * time.Second

// story starts programs, tells what they log, and knows what has happened so far.
type story struct {
	dir         string
	began       time.Time
	environment []string
	// provider is where the stub provider listens, once that has happened.
	provider string
	running  []*process

	mu       sync.Mutex
	happened map[string]bool
	news     chan struct{}
}

// process is a program that was started; read is closed when it writes no more.
type process struct {
	*exec.Cmd
	read chan struct{}
}

func newStory(dir string) *story {
	return &story{dir: dir, began: time.Now(), happened: map[string]bool{}, news: make(chan struct{}, 1)}
}

// build builds the programs into dir.
func build(ctx context.Context, dir string) error {
	const commands = "github.com/seathold/seathold/reference/cmd/"
	out, err := exec.CommandContext(ctx, "go", "build", "-o", dir+string(os.PathSeparator),
		commands+"holdctl", commands+"holdsweep", commands+"holdworker", commands+"stubprovider").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// clean leaves out what would change how the programs run.
func clean(environment []string) []string {
	var kept []string
	for _, line := range environment {
		if !strings.HasPrefix(line, "SEATHOLD_") && !strings.HasPrefix(line, "PG") && !strings.HasPrefix(line, "STUBPROVIDER_") {
			kept = append(kept, line)
		}
	}
	return kept
}

// say tells what happened, and when.
func (s *story) say(format string, args ...any) {
	fmt.Printf("%5.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

func (s *story) head(text string) { fmt.Printf("\n        %s\n\n", text) }

// ctl runs holdctl, and shows the command with what it prints.
func (s *story) ctl(ctx context.Context, args ...string) error {
	shown := strings.ReplaceAll(strings.Join(args, " "), s.dir+string(os.PathSeparator), "")
	s.say("$ holdctl %s", shown)
	c := exec.CommandContext(ctx, s.path("holdctl"), args...)
	c.Env = s.environment
	out, err := c.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		fmt.Print(strings.TrimRight("        "+strings.ReplaceAll(line, s.dir+string(os.PathSeparator), ""), " \n") + "\n")
	}
	if err != nil {
		return fmt.Errorf("holdctl %s: %w", shown, err)
	}
	return nil
}

// start starts a program; read is given each line that it writes to stderr, which is kept in a log.
func (s *story) start(read func(line string), program string, args ...string) error {
	log, err := os.Create(s.path(program + ".log"))
	if err != nil {
		return err
	}
	c := exec.Command(s.path(program), args...)
	c.Env = s.environment
	stderr, err := c.StderrPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p := &process{c, make(chan struct{})}
	s.running = append(s.running, p)
	go func() {
		defer close(p.read)
		defer log.Close()
		lines := bufio.NewScanner(io.TeeReader(stderr, log))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			read(lines.Text())
		}
	}()
	return nil
}

// stop ends what was started, the last first.
func (s *story) stop() {
	for _, p := range slices.Backward(s.running) {
		// It may have ended by itself, as after Ctrl-C; how it ended is of no interest.
		_ = p.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(stopMax, func() { _ = p.Process.Kill() })
		<-p.read
		_ = p.Wait()
		late.Stop()
	}
}

// happens notes that something has happened, and says whether it is the first time.
func (s *story) happens(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.happened[what] {
		return false
	}
	s.happened[what] = true
	select {
	case s.news <- struct{}{}:
	default:
	}
	return true
}

// await waits until everything has happened.
func (s *story) await(ctx context.Context, all ...string) error {
	for {
		left := ""
		s.mu.Lock()
		for _, what := range all {
			if !s.happened[what] {
				left = what
			}
		}
		s.mu.Unlock()
		if left == "" {
			return nil
		}
		select {
		case <-s.news:
		case <-ctx.Done():
			return fmt.Errorf("wait for %q: %w", left, context.Cause(ctx))
		}
	}
}

// logged is what of a log's line is told.
type logged struct {
	Msg     string `json:"msg"`
	Ready   bool   `json:"ready"`
	Error   string `json:"error"`
	Hold    string `json:"hold"`
	Channel string `json:"channel"`
	Answer  string `json:"answer"`
	Outcome string `json:"outcome"`
	Ref     string `json:"ref"`
	Remind  int    `json:"published_remind"`
	Expire  int    `json:"published_expire"`
}

func parse(line string) (l logged, ok bool) {
	return l, json.Unmarshal([]byte(line), &l) == nil
}

func (s *story) readProvider(line string) {
	if _, address, found := strings.Cut(line, "listening on "); found {
		s.provider = address
		s.happens("provider")
	}
}

func (s *story) readSweep(line string) {
	l, ok := parse(line)
	switch {
	case !ok:
		s.say("holdsweep: %s", line)
	case l.Msg == "program.ready" && l.Ready:
		s.happens("ready holdsweep")
	case l.Msg == "sweep.end" && l.Remind+l.Expire > 0:
		s.say("sweep     found and published %d to remind, %d to expire", l.Remind, l.Expire)
	}
}

func (s *story) readWorker(line string) {
	l, ok := parse(line)
	switch {
	case !ok:
		s.say("holdworker: %s", line)
	case l.Msg == "program.ready" && l.Ready:
		s.happens("ready holdworker")
	case l.Msg == "worker.claim" && l.Answer == "granted":
		s.say("worker    claimed the %s of %s", l.Channel, l.Hold)
	case l.Msg == "provider.send":
		s.say("provider  %s it as %s", l.Answer, l.Ref)
	case l.Msg == "worker.settle":
		s.say("worker    recorded the %s of %s as %s", l.Channel, l.Hold, l.Outcome)
		s.happens("settled " + l.Hold + " " + l.Channel)
	case l.Msg == "worker.expire" && l.Answer == "expired":
		s.say("worker    expired %s; the seat is free", l.Hold)
		s.happens("expired " + l.Hold)
	}
}
