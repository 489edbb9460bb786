package connect

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/settings"
)

// Database opens a pool of connections to the database; nothing connects yet. Connections is how
// many the program can use, and patience how long it waits for a lock; zero is the default.
func Database(s settings.Database, program string, connections int, patience time.Duration) (*sql.DB, error) {
	db, err := postgres.Open(s.DatabaseURL.Reveal(), postgres.Options{
		ApplicationName: program, ConnectionsMax: cmp.Or(s.DatabaseConnections, connections), LockTimeout: patience,
	})
	if err != nil {
		return nil, &settings.Problem{
			What: fmt.Sprintf("database-url: %v", err), Exit: settings.ExitUsage,
			Hint: "a URL such as postgres://user:password@host:5432/database, or key=value pairs",
		}
	}
	return db, nil
}

// checkMax is how long the database may take to show that it is there, and its schema.
const checkMax = 10 * time.Second

// CheckDatabase says why the program can't work with the database: that it doesn't answer, or that
// its schema is older than the program. A newer one will do, so that the schema is upgraded first
// and the programs after it, one by one.
func CheckDatabase(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, checkMax)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		return unreachable(err)
	}
	var table sql.Null[string]
	if err := db.QueryRowContext(ctx, `select to_regclass('seathold_migrations')::text`).Scan(&table); err != nil {
		return unreachable(err)
	}
	if !table.Valid {
		return old("the database has no tables of ours")
	}
	all, err := postgres.MigrationStatus(ctx, db)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	for _, m := range all {
		if m.AppliedAt.IsZero() {
			return old(fmt.Sprintf("the database's schema is older than this program, which needs %s", m.Name))
		}
	}
	return nil
}

func unreachable(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", checkMax)
	}
	return &settings.Problem{
		What: fmt.Sprintf("database: %v", err), Exit: settings.ExitFailed,
		Hint: "is it running, and is SEATHOLD_DATABASE_URL right? The program may be started again at any time: nothing is lost meanwhile",
	}
}

func old(what string) error {
	return &settings.Problem{What: what, Exit: settings.ExitFailed, Hint: "run holdctl migrate up first, with a role that owns the tables"}
}

// CheckWritable says that the database doesn't answer, or takes no writes, as a standby does.
func CheckWritable(ctx context.Context, db *sql.DB) error {
	var readOnly string
	if err := db.QueryRowContext(ctx, `select current_setting('transaction_read_only')`).Scan(&readOnly); err != nil {
		return unreachable(err)
	}
	if readOnly == "on" {
		return &settings.Problem{
			What: "database: it is read-only", Exit: settings.ExitFailed,
			Hint: "is it a standby? target_session_attrs=read-write in the DSN picks the primary of several hosts",
		}
	}
	return nil
}
