package pgserver

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/lib/pq"
)

const (
	readyPolls = 1200
	readyEvery = 50 * time.Millisecond
	askMax     = 5 * time.Second

	connectMax = "10" // seconds; lib/pq has no limit of its own
)

// errEnded says that a server ended before it answered.
var errEnded = errors.New("the server ended")

// startedURL is the DSN of a server that we start, with its superuser's new password.
func startedURL(host, port string) (*url.URL, string) {
	password := rand.Text()
	return &url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword("postgres", password),
		Host:     net.JoinHostPort(host, port),
		Path:     "/postgres",
		RawQuery: "connect_timeout=" + connectMax + "&sslmode=disable",
	}, password
}

// ready asks the server at u until it answers, at most readyPolls times, or until it ends.
func ready(ctx context.Context, u *url.URL, ended <-chan struct{}, log *tail) error {
	connector, err := pq.NewConnector(u.String())
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	every := time.NewTicker(readyEvery)
	defer every.Stop()
	var last error
	for range readyPolls {
		if last = ask(ctx, db); last == nil {
			return nil
		}
		select {
		case <-every.C:
		case <-ended:
			return fmt.Errorf("%w before it answered%s", errEnded, log)
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w; last answer: %w%s", u.Host, ctx.Err(), last, log)
		}
	}
	return fmt.Errorf("wait for %s: no answer in %d polls; last answer: %w%s", u.Host, readyPolls, last, log)
}

func ask(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, askMax)
	defer cancel()
	return db.PingContext(ctx)
}

// tail keeps the end of what is written to it, for error messages.
type tail struct {
	mu    sync.Mutex
	lines []byte
}

const tailMax = 2000 // bytes

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, p...)
	if over := len(t.lines) - tailMax; over > 0 {
		t.lines = append(t.lines[:0], t.lines[over:]...)
	}
	return len(p), nil
}

// String is the log as it follows an error: nothing, or lines of its own.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	log := strings.TrimSpace(string(t.lines))
	if log == "" {
		return ""
	}
	return "; its log ends:\n" + log
}
