package pgserver

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/lib/pq"
)

// The tests take the server that the environment gives, whichever way that is: see killed_test.go
// for what they ask of each way.
var ambient = sync.OnceValues(func() (*Server, error) { return Start(context.Background()) })

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == standIn:
		standInMain()
		return
	case os.Getenv(ownerRole) != "":
		own()
		return
	}
	code := m.Run()
	if s, err := ambient(); err == nil && s.Close() != nil {
		code = 1
	}
	os.Exit(code)
}

func server(t *testing.T) *Server {
	t.Helper()
	s, err := ambient()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// one asks the database at dsn for a single text.
func one(t *testing.T, dsn, query string, args ...any) string {
	t.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var answer string
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

func TestOwnServer(t *testing.T) {
	s := server(t)
	if s.instance.shared {
		if got := one(t, s.URL(), `select current_setting('server_version')`); got == "" {
			t.Error("the named server has no version")
		}
		return // its settings are its own
	}
	want := map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"max_connections": "200", "lc_collate": "C", "server_encoding": "UTF8", "is_superuser": "on",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = one(t, s.URL(), `select current_setting($1)`, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if offset := one(t, s.URL(), `select to_char(now(), 'OF')`); offset != "+05:45" {
		t.Errorf("offset from UTC = %s, want +05:45", offset)
	}
	if password, _ := s.instance.url.User.Password(); strings.Contains(s.Origin(), password) {
		t.Errorf("origin %q gives the password away", s.Origin())
	}
}

func TestDatabasesAreApart(t *testing.T) {
	s := server(t)
	databases := make([]*Database, 4)
	var wg sync.WaitGroup
	for i := range databases {
		wg.Go(func() {
			d, err := s.CreateDatabase(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			databases[i] = d
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for _, d := range databases {
		if got := one(t, d.URL(), `select current_database()`); got != d.Name() {
			t.Errorf("URL leads to %s, want %s", got, d.Name())
		}
		if tables := one(t, d.URL(), `select count(*)::text from pg_tables where schemaname = 'public'`); tables != "0" {
			t.Errorf("%s has %s tables", d.Name(), tables)
		}
		db, err := sql.Open("postgres", d.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(`create table mine (n int)`); err != nil { // and stays connected
			t.Error(err)
		}
		if err := d.Drop(t.Context()); err != nil {
			t.Error(err)
		}
		if err := d.Drop(t.Context()); err != nil {
			t.Errorf("drop again: %v", err)
		}
	}
	if got := named(t, s, s.run+`_%`); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

// named lists the databases like pattern.
func named(t *testing.T, s *Server, pattern string) string {
	t.Helper()
	return one(t, s.URL(), `select coalesce(string_agg(datname, ' ' order by datname), '') from pg_database where datname like $1`, pattern)
}

// As in a server that SEATHOLD_POSTGRES names: one run dies without a word, another goes on.
func TestAbandonedDatabasesAreDropped(t *testing.T) {
	sharedInstance := server(t).instance
	sharedInstance.shared, sharedInstance.stop = true, noStop
	run := func() (*Server, string) {
		s, err := open(t.Context(), sharedInstance)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.CreateDatabase(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s, d.Name()
	}
	dead, abandoned := run()
	goesOn, kept := run()
	dead.admin.Close()
	for range polls {
		if one(t, goesOn.URL(), `select count(*)::text from pg_stat_activity where application_name = $1`, dead.run) == "0" {
			break
		}
		pause()
	}
	next, own := run()
	if got := named(t, next, abandoned); got != "" {
		t.Errorf("%s was not dropped", got)
	}
	if named(t, next, kept) == "" || named(t, next, own) == "" {
		t.Errorf("a live run's database was dropped: of %s and %s, %q is left", kept, own, named(t, next, `seathold%`))
	}
	for _, s := range []*Server{goesOn, next} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := named(t, server(t), kept) + named(t, server(t), own); got != "" {
		t.Errorf("close left %s", got)
	}
}

func TestCloseTwice(t *testing.T) {
	broken := errors.New("broken")
	i := server(t).instance
	i.shared, i.stop = true, func() error { return broken }
	s, err := open(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); !errors.Is(err, broken) {
			t.Errorf("Close = %v, want %v", err, broken)
		}
	}
}
