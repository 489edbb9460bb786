package pgserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/lib/pq"
)

// Database is a database of its own in a [Server].
type Database struct {
	server *Server
	name   string
}

// CreateDatabase makes an empty database, with a name that no other run uses.
func (s *Server) CreateDatabase(ctx context.Context) (*Database, error) {
	s.mu.Lock()
	s.made++
	d := &Database{server: s, name: fmt.Sprintf("%s_%d", s.run, s.made)}
	s.alive[d] = true // also when the answer is an error: it may be there
	s.mu.Unlock()
	// Nobody can be connected to template0, which would make the statement fail.
	_, err := s.admin.ExecContext(ctx, `create database `+pq.QuoteIdentifier(d.name)+` template template0`)
	if err != nil {
		return nil, fmt.Errorf("create database %s: %w", d.name, err)
	}
	return d, nil
}

// Name is the database's name.
func (d *Database) Name() string { return d.name }

// URL is the database's DSN, for the user of [Server.URL].
func (d *Database) URL() string {
	u := *d.server.instance.url
	u.Path, u.RawPath = "/"+d.name, ""
	query := u.Query()
	query.Del("dbname")
	query.Del("database")
	u.RawQuery = query.Encode()
	return u.String()
}

// Drop removes the database and ends the sessions in it. A database that is gone is no error.
func (d *Database) Drop(ctx context.Context) error {
	_, err := d.server.admin.ExecContext(ctx, `drop database if exists `+pq.QuoteIdentifier(d.name)+` with (force)`)
	if err != nil {
		return fmt.Errorf("drop database %s: %w", d.name, err)
	}
	d.server.mu.Lock()
	defer d.server.mu.Unlock()
	delete(d.server.alive, d)
	return nil
}

// dropAll drops the databases that are left of this run.
func (s *Server) dropAll(ctx context.Context) error {
	s.mu.Lock()
	left := slices.Collect(maps.Keys(s.alive))
	s.mu.Unlock()
	var errs []error
	for _, d := range left {
		errs = append(errs, d.Drop(ctx))
	}
	return errors.Join(errs...)
}

// abandoned finds the databases of runs whose administrator is no longer connected. Only our
// own are asked for: the sessions of other users can't be seen by everyone.
const abandoned = `
select d.datname from pg_database d
where d.datname ~ '^seathold_throwaway_[a-z0-9]{12}_[0-9]+$'
  and d.datdba = (select oid from pg_roles where rolname = current_user)
  and not exists (
    select from pg_stat_activity a
    where a.usesysid = d.datdba and a.application_name = substring(d.datname from '^(.*)_[0-9]+$'))
order by d.datname`

// dropAbandoned drops what runs that were killed left behind in a shared server.
func (s *Server) dropAbandoned(ctx context.Context) error {
	var names []string
	err := s.admin.QueryRowContext(ctx, `select array(`+abandoned+`)::text[]`).Scan(pq.Array(&names))
	if err != nil {
		return fmt.Errorf("find abandoned databases: %w", err)
	}
	for _, name := range names {
		// Without force: one that is still in use, or that another run is dropping, is left.
		_, _ = s.admin.ExecContext(ctx, `drop database if exists `+pq.QuoteIdentifier(name))
	}
	return nil
}

// with is u with one more parameter.
func with(u *url.URL, key, value string) *url.URL {
	copied := *u
	query := copied.Query()
	query.Set(key, value)
	copied.RawQuery = query.Encode()
	return &copied
}
