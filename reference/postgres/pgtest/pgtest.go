// Package pgtest gives tests a Postgres database each, in one server for the whole test binary.
// Where the server comes from is set in the environment: see package pgserver. A test never
// skips for want of Postgres: it fails, with the ways to get one.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	func TestClaim(t *testing.T) { db := open(pgtest.Database(t)) … }
package pgtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/seathold/seathold/reference/postgres/pgserver"
)

const (
	startMax = 8 * time.Minute // an image may have to be pulled
	dropMax  = 30 * time.Second
)

var shared struct {
	sync.Mutex
	tried  bool
	server *pgserver.Server
	err    error
}

// Main runs the tests, ends the server if one of them needed it, and gives the exit code. Without
// it the server ends with the process all the same, but nobody hears of an error.
func Main(m *testing.M) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return code
	}
	if err := shared.server.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		return max(code, 1)
	}
	return code
}

// Server is the test binary's server, which starts when it is first asked for. Nobody but Main
// may close it.
func Server(t testing.TB) *pgserver.Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.tried {
		ctx, cancel := context.WithTimeout(context.Background(), startMax)
		defer cancel()
		shared.server, shared.err = pgserver.Start(ctx)
		shared.tried = true
	}
	if shared.err != nil {
		t.Fatalf("pgtest: %v", shared.err)
	}
	return shared.server
}

// Database is the DSN of a new, empty database, which is dropped when the test ends, whoever is
// still connected to it.
func Database(t testing.TB) string {
	t.Helper()
	database, err := Server(t).CreateDatabase(t.Context())
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropMax)
		defer cancel()
		if err := database.Drop(ctx); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return database.URL()
}
