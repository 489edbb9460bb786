package postgres

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
)

// Options are what Open sets where the DSN doesn't. Zero values are the defaults.
type Options struct {
	// ApplicationName is what the server's views and log call the connections; "seathold".
	ApplicationName string
	// ConnectTimeout is how long connecting may take; 10s. lib/pq by itself waits for ever.
	ConnectTimeout time.Duration
	// StatementTimeout and LockTimeout are how long the server lets one statement run, and wait for
	// one lock; 30s and 10s. A call's context may end it earlier, and then nobody knows what came of it;
	// one that a lock timeout ends wraps ErrLocked, and did nothing. In the DSN they are
	// statement_timeout and lock_timeout.
	StatementTimeout, LockTimeout time.Duration
	// ConnectionsMax is how many connections may be open at once; 16.
	ConnectionsMax int
}

const (
	idleMax     = 5 * time.Minute  // a connection not used for so long is closed
	lifetimeMax = 30 * time.Minute // the longest that one is kept, so that a failover is noticed
)

// Open makes a pool of connections by lib/pq for a DSN, which is a URL or key=value pairs. What the
// DSN leaves out comes from the PG* environment variables. sslmode is require if nobody says
// otherwise. Nothing connects yet. An error wraps ErrInvalid and doesn't tell the password.
func Open(dsn string, o Options) (*sql.DB, error) {
	config, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w: %w", reference.ErrInvalid, explainDSN(dsn, err))
	}
	config.ApplicationName = cmp.Or(config.ApplicationName, o.ApplicationName, "seathold")
	if config.ConnectTimeout <= 0 {
		config.ConnectTimeout = cmp.Or(o.ConnectTimeout, 10*time.Second)
	}
	if config.Runtime == nil {
		config.Runtime = map[string]string{}
	}
	for name, value := range map[string]string{
		"statement_timeout": milliseconds(cmp.Or(o.StatementTimeout, 30*time.Second)),
		"lock_timeout":      milliseconds(cmp.Or(o.LockTimeout, 10*time.Second)),
	} {
		config.Runtime[name] = cmp.Or(config.Runtime[name], value)
	}
	// Every statement here is written for it, whatever the database's default is.
	config.Runtime["default_transaction_isolation"] = "read committed"
	connector, err := pq.NewConnectorConfig(config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w: %w", reference.ErrInvalid, explainDSN(dsn, err))
	}
	db := sql.OpenDB(connector)
	connections := cmp.Or(o.ConnectionsMax, 16)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(idleMax)
	db.SetConnMaxLifetime(lifetimeMax)
	return db, nil
}

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(1, d.Milliseconds()), 10) + "ms"
}

var (
	errDSNUser  = errors.New("the user or the password in the DSN can't be read: percent-encode what is no letter or digit")
	errDSNPairs = errors.New("the DSN can't be read as key=value pairs: put values with spaces in single quotes, and a backslash before quotes and backslashes")

	// What follows up to a space or an ampersand may be a password.
	dsnPassword = regexp.MustCompile(`(?i)pass(word|file)?\s*=`)
)

// explainDSN says what is wrong with a DSN without quoting what may be a password, or a part of one:
// errors of parsers quote what they stumbled over. So a URL is parsed again without it.
func explainDSN(dsn string, err error) error {
	scheme, rest, isURL := strings.Cut(dsn, "://")
	if !isURL {
		if dsnPassword.MatchString(dsn) {
			return errDSNPairs
		}
		return err
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if dsnPassword.MatchString(rest) {
		rest, _, _ = strings.Cut(rest, "?")
	}
	if _, err := pq.NewConfig(scheme + "://" + rest); err != nil {
		return withoutURL(err)
	}
	return errDSNUser
}

// withoutURL leaves out the URL that net/url's errors begin with.
func withoutURL(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return fmt.Errorf("the DSN can't be read as a URL: %w", of.Err)
	}
	return err
}
