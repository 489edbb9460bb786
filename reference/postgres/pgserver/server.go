package pgserver

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lib/pq"
)

// closeMax is how long Close may take before it gives up and says so.
const closeMax = 30 * time.Second

// options are the settings of a server that we start, in Postgres's own words. The zone is one
// that no code can mistake for UTC.
var options = []string{
	"fsync=off",
	"synchronous_commit=off",
	"full_page_writes=off",
	"max_connections=200",
	"timezone=Asia/Kathmandu",
}

// Server is a running Postgres server to throw away. Its methods may be called concurrently.
type Server struct {
	instance instance
	run      string  // names this run's databases and its administrator's session
	admin    *sql.DB // one connection: while it is open, the run counts as alive

	mu    sync.Mutex
	made  int
	alive map[*Database]bool

	close func() error
}

// instance is a running server and how to end it.
type instance struct {
	url    *url.URL // of a superuser, or of the user that was named
	origin string
	shared bool // others use it too, and it goes on after us
	stop   func() error

	dir       string // of a local cluster
	container string // id
}

// Start gives a server as the environment asks for it (see the package comment). It may take
// minutes where an image is pulled, else a few seconds. The error says, for each way to get a
// server that was tried, why there is none.
func Start(ctx context.Context) (*Server, error) {
	s, err := parseSetting(os.Getenv)
	if err != nil {
		return nil, err
	}
	return start(ctx, s)
}

func start(ctx context.Context, s setting) (*Server, error) {
	i, err := s.instance(ctx)
	if err != nil {
		return nil, err
	}
	server, err := open(ctx, i)
	if err != nil {
		return nil, errors.Join(err, i.stop())
	}
	return server, nil
}

// instance starts a server, or finds the one that was named.
func (s setting) instance(ctx context.Context) (instance, error) {
	switch s.way {
	case wayDocker:
		i, err := startContainer(ctx, s.image)
		return i, wrap("start Postgres in Docker, as "+settingServer+" says", err)
	case wayLocal:
		i, err := startCluster(ctx, s.globs)
		return i, wrap("start Postgres from local binaries, as "+settingServer+" says", err)
	case wayURL:
		return instance{url: s.url, origin: s.url.Redacted(), shared: true, stop: noStop}, nil
	}
	i, dockerErr := startContainer(ctx, s.image)
	if dockerErr == nil {
		return i, nil
	}
	i, localErr := startCluster(ctx, s.globs)
	if localErr == nil {
		return i, nil
	}
	return instance{}, &noServerError{docker: dockerErr, local: localErr}
}

func noStop() error { return nil }

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// noServerError says why there is no server where none was asked for in particular.
type noServerError struct{ docker, local error }

func (e *noServerError) Error() string {
	indent := func(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\n    ") }
	return "no Postgres server; there are three ways to get one:\n" +
		"  docker: " + indent(e.docker) + "\n" +
		"  local: " + indent(e.local) + "\n" +
		"  URL: " + settingServer + " is not set; name a running server with it, such as " + exampleURL
}

func (e *noServerError) Unwrap() []error { return []error{e.docker, e.local} }

// open connects to i as its administrator for one run.
func open(ctx context.Context, i instance) (*Server, error) {
	run := "seathold_throwaway_" + strings.ToLower(rand.Text()[:12])
	s := &Server{instance: i, run: run, alive: map[*Database]bool{}}
	s.close = sync.OnceValue(s.closeNow)
	connector, err := pq.NewConnector(with(i.url, "application_name", run).String())
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", i.url.Redacted(), err)
	}
	s.admin = sql.OpenDB(connector)
	s.admin.SetMaxOpenConns(1)
	err = s.checkVersion(ctx)
	if err == nil && i.shared {
		err = s.dropAbandoned(ctx)
	}
	if err != nil {
		s.admin.Close()
		return nil, fmt.Errorf("connect to %s: %w", i.url.Redacted(), err)
	}
	return s, nil
}

// checkVersion also proves that the server answers.
func (s *Server) checkVersion(ctx context.Context) error {
	const oldest = 130000 // the first with DROP DATABASE … WITH (FORCE)
	var number int
	err := s.admin.QueryRowContext(ctx, `select current_setting('server_version_num')::int`).Scan(&number)
	switch {
	case errors.Is(err, pq.ErrSSLNotSupported):
		return fmt.Errorf("%w: add sslmode=disable to the URL", err)
	case err != nil:
		return err
	case number < oldest:
		return fmt.Errorf("server is PostgreSQL %d, which is older than %d", number/10000, oldest/10000)
	}
	return nil
}

// URL is a DSN of the server's maintenance database: of a superuser where we started the server,
// else the one that SEATHOLD_POSTGRES named.
func (s *Server) URL() string { return s.instance.url.String() }

// Origin says in words where the server comes from, without a password.
func (s *Server) Origin() string { return s.instance.origin }

// Close drops what databases are left, ends the server if we started it, and removes all that
// was its own. It is bounded to about a minute; calls after the first answer the same.
func (s *Server) Close() error { return s.close() }

func (s *Server) closeNow() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeMax)
	defer cancel()
	var errs []error
	if s.instance.shared {
		errs = append(errs, s.dropAll(ctx))
	}
	errs = append(errs, s.admin.Close(), s.instance.stop())
	return wrap("close Postgres server", errors.Join(errs...))
}
