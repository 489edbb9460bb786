package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"time"

	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/settings/connect"
)

type migrateUp struct{}

type migrateStatus struct{}

// step is one step of the schema, as it is shown.
type step struct {
	Version   int64     `json:"version"`
	Name      string    `json:"name"`
	AppliedAt time.Time `json:"applied_at,omitzero"`
}

// migrateMax is how long all steps may take together; a lock of another's is waited for, too.
const migrateMax = 10 * time.Minute

func (*migrateUp) run(ctx context.Context, c *control) error {
	db, err := c.database()
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(ctx, migrateMax)
	defer cancel()
	if err := connect.CheckWritable(ctx, db); err != nil {
		return err
	}
	had, err := pending(ctx, db)
	if err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, db); err != nil {
		return failed("the role must own the tables; nothing is half applied, and it may be run again", "%v", err)
	}
	all, err := postgres.MigrationStatus(ctx, db)
	if err != nil {
		return err
	}
	applied := []step{}
	for _, m := range all {
		if had == nil || had[m.Version] {
			applied = append(applied, step{m.Version, m.Name, m.AppliedAt})
		}
	}
	return c.print(map[string]any{"applied": applied}, func(w io.Writer) {
		for _, s := range applied {
			fmt.Fprintf(w, "applied\t%s\n", s.Name)
		}
		if len(applied) == 0 {
			fmt.Fprintln(w, "the schema is up to date")
		}
	})
}

// pending are the versions to be applied; nil where none ever was.
func pending(ctx context.Context, db *sql.DB) (map[int64]bool, error) {
	begun, err := migrated(ctx, db)
	if err != nil || !begun {
		return nil, err
	}
	all, err := postgres.MigrationStatus(ctx, db)
	if err != nil {
		return nil, err
	}
	left := map[int64]bool{}
	for _, m := range all {
		left[m.Version] = m.AppliedAt.IsZero()
	}
	return left, nil
}

// migrated says whether a migration was ever begun. It looks for the table by itself, for to ask for
// the status makes it.
func migrated(ctx context.Context, db *sql.DB) (bool, error) {
	var table sql.Null[string]
	err := db.QueryRowContext(ctx, `select to_regclass('seathold_migrations')::text`).Scan(&table)
	if err != nil {
		return false, fmt.Errorf("look for the schema: %w", err)
	}
	return table.Valid, nil
}

// reachable says why the database doesn't answer; that it takes no writes is no reason.
func reachable(ctx context.Context, db *sql.DB) error {
	if db.PingContext(ctx) == nil {
		return nil
	}
	return connect.CheckWritable(ctx, db)
}

func (*migrateStatus) run(ctx context.Context, c *control) error {
	db, err := c.database()
	if err != nil {
		return err
	}
	defer db.Close()
	if err := reachable(ctx, db); err != nil {
		return err
	}
	begun, err := migrated(ctx, db)
	if err != nil {
		return err
	}
	steps, left := []step{}, 0
	if begun {
		all, err := postgres.MigrationStatus(ctx, db)
		if err != nil {
			return err
		}
		for _, m := range all {
			steps = append(steps, step{m.Version, m.Name, m.AppliedAt})
			if m.AppliedAt.IsZero() {
				left++
			}
		}
	}
	err = c.print(map[string]any{"migrations": steps, "current": begun && left == 0}, func(w io.Writer) {
		for _, s := range steps {
			state := "pending"
			if !s.AppliedAt.IsZero() {
				state = "applied " + second(s.AppliedAt)
			}
			fmt.Fprintf(w, "%s\t%s\n", s.Name, state)
		}
	})
	switch {
	case err != nil:
		return err
	case !begun:
		return failed("holdctl migrate up makes them", "the database has no tables of ours")
	case left > 0:
		return failed("holdctl migrate up applies them; programs of the version before go on working", "%s pending", count(left, "migration"))
	}
	return nil
}
