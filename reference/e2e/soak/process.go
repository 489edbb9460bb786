package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a program that is started again whenever it ends.
type process struct {
	name, path string
	args, env  []string
	log        string

	mu     sync.Mutex
	cmd    *exec.Cmd // nil while it doesn't run
	starts int
	// exits counts ends with an error: the database wasn't there at the start.
	exits int
	err   error
}

// keep runs the program until ctx ends, and ends it then.
func (p *process) keep(ctx context.Context, chance *rand.Rand) {
	for ctx.Err() == nil {
		if err := p.once(ctx); err != nil {
			p.mu.Lock()
			p.err = err
			p.mu.Unlock()
		}
		pause(ctx, between(chance, 100*time.Millisecond, time.Second))
	}
}

func (p *process) once(ctx context.Context) error {
	log, err := os.OpenFile(p.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env, log, log
	p.mu.Lock()
	err = cmd.Start()
	if err == nil {
		p.cmd = cmd
		p.starts++
	}
	p.mu.Unlock()
	if err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	defer context.AfterFunc(ctx, func() { p.signal(syscall.SIGKILL) })()
	// How it ended is asked of ProcessState.
	_ = cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = nil
	if cmd.ProcessState.ExitCode() > 0 {
		p.exits++
	}
	return nil
}

// kind is the program's name.
func (p *process) kind() string { return filepath.Base(p.path) }

// signal sends a signal, and says whether the program was there.
func (p *process) signal(s syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd != nil && p.cmd.Process.Signal(s) == nil
}

// panicked finds in the log what no program should ever write.
func (p *process) panicked() (string, error) {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, `"msg":"worker.panic"`) {
			return strings.TrimSpace(line), nil
		}
	}
	return "", nil
}

// pause waits, and says whether ctx is still on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// between picks a duration.
func between(chance *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(chance.Int64N(int64(most-least)+1))
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
