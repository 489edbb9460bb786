package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationTable is our own, for a host application may keep its migrations with goose in the same
// database.
const migrationTable = "seathold_migrations"

// Migration is one step of the schema.
type Migration struct {
	Version int64
	// Name is the file's.
	Name string
	// AppliedAt is zero while the migration is pending.
	AppliedAt time.Time
}

// Migrate brings the schema up to date. Any number of processes may do it at once: they take turns.
func Migrate(ctx context.Context, db *sql.DB) error {
	p, err := migrations(db)
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// MigrationStatus lists every migration that this version knows, in order.
func MigrationStatus(ctx context.Context, db *sql.DB) ([]Migration, error) {
	p, err := migrations(db)
	if err != nil {
		return nil, err
	}
	all, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the status of migrations: %w", err)
	}
	listed := make([]Migration, 0, len(all))
	for _, m := range all {
		listed = append(listed, Migration{Version: m.Source.Version, Name: m.Source.Path, AppliedAt: m.AppliedAt.UTC()})
	}
	return listed, nil
}

func migrations(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read embedded migrations: %w", err)
	}
	// A lock of the session: whoever holds it and dies has given it up.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120), lock.WithUnlockTimeout(1, 10))
	if err != nil {
		return nil, fmt.Errorf("prepare migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(migrationTable), goose.WithSessionLocker(locker),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return nil, fmt.Errorf("prepare migrations: %w", err)
	}
	return p, nil
}
