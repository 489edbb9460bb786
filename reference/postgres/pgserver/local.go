package pgserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed supervise.sh
var superviseScript string

// portTries is how often a server is started anew because another program took its port.
const portTries = 3

var errPortTaken = errors.New("another program took the port")

// cluster is a local server with a data directory of its own.
type cluster struct {
	dir   string
	shell *exec.Cmd      // supervise.sh
	leash io.WriteCloser // its stdin
	log   *tail
	ended chan struct{} // closed when the shell has ended
}

// startCluster starts a server from local binaries.
func startCluster(ctx context.Context, globs []string) (instance, error) {
	bin, err := findBinaries(ctx, globs)
	if err != nil {
		return instance{}, err
	}
	for range portTries {
		var i instance
		if i, err = tryCluster(ctx, bin); !errors.Is(err, errPortTaken) {
			return i, err
		}
	}
	return instance{}, err
}

func tryCluster(ctx context.Context, bin string) (instance, error) {
	port, err := freePort()
	if err != nil {
		return instance{}, err
	}
	u, password := startedURL("127.0.0.1", port)
	c, err := launch(bin, port, password)
	if err != nil {
		return instance{}, err
	}
	if err := ready(ctx, u, c.ended, c.log); err != nil {
		if errors.Is(err, errEnded) && strings.Contains(c.log.String(), "Address already in use") {
			err = fmt.Errorf("%w: %w", errPortTaken, err)
		}
		return instance{}, errors.Join(err, c.stop())
	}
	return instance{url: u, origin: "local server of " + bin, stop: c.stop, dir: c.dir}, nil
}

// launch starts the shell that makes the cluster and runs the server.
func launch(bin, port, password string) (*cluster, error) {
	dir, err := os.MkdirTemp("", "seathold-postgres-")
	if err != nil {
		return nil, fmt.Errorf("make cluster directory: %w", err)
	}
	c := &cluster{dir: dir, log: &tail{}, ended: make(chan struct{})}
	if err := c.launch(bin, port, password); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return c, nil
}

func (c *cluster) launch(bin, port, password string) error {
	secret := filepath.Join(c.dir, "password")
	if err := os.WriteFile(secret, []byte(password+"\n"), 0o600); err != nil {
		return fmt.Errorf("write superuser's password: %w", err)
	}
	attr, err := unprivileged(c.dir, secret)
	if err != nil {
		return err
	}
	args := []string{"-c", superviseScript, "supervise", c.dir, bin,
		"-c", "port=" + port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="}
	for _, option := range options {
		args = append(args, "-c", option)
	}
	c.shell = exec.Command("sh", args...)
	c.shell.Dir = c.dir // where we are may be closed to the server's user
	c.shell.Env = append(os.Environ(), "LC_ALL=C")
	c.shell.Stdout, c.shell.Stderr = c.log, c.log
	c.shell.SysProcAttr = attr
	c.shell.WaitDelay = time.Second
	if c.leash, err = c.shell.StdinPipe(); err != nil {
		return fmt.Errorf("make pipe: %w", err)
	}
	if err := c.shell.Start(); err != nil {
		return fmt.Errorf("start shell: %w", err)
	}
	go func() {
		defer close(c.ended)
		_ = c.shell.Wait() // the log says more than its status
	}()
	return nil
}

// stop ends the server and sees its directory removed.
func (c *cluster) stop() error {
	c.leash.Close()
	limit := time.NewTimer(closeMax)
	defer limit.Stop()
	select {
	case <-c.ended:
	case <-limit.C:
		return errors.Join(fmt.Errorf("stop cluster in %s: not ended in %s%s", c.dir, closeMax, c.log), c.shell.Process.Kill())
	}
	// The shell can't where the parent directory is closed to its user.
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("remove cluster: %w", err)
	}
	return nil
}

// freePort names a port that was free just now.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find free port: %w", err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}
