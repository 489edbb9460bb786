// Package throwaway does to a PostgreSQL server of one's own what may be done to no other: it crashes
// it. By SQL alone, so that it is the same in a container and in a local cluster.
package throwaway

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"
)

// KeepCommits makes a database keep what was committed over Crash, for servers to throw away write
// late. It holds for sessions begun from now on: the pool given has none afterwards.
func KeepCommits(ctx context.Context, db *sql.DB, name string) error {
	_, err := db.ExecContext(ctx, `alter database `+pq.QuoteIdentifier(name)+` set synchronous_commit to on`)
	if err != nil {
		return fmt.Errorf("make %s keep its commits: %w", name, err)
	}
	return EndSessions(ctx, db)
}

// EndSessions ends every session in the database but the one that does it.
func EndSessions(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

const (
	checkpointer = `select pid from pg_stat_activity where backend_type = 'checkpointer'`

	// The shell is the child of the session's process, which dies by SIGKILL: the postmaster then ends
	// all others at once, throws shared memory away, and recovers from the log.
	killOneself = `copy (select 1) to program 'kill -9 $PPID'`

	backMax   = 60 * time.Second
	backEvery = 20 * time.Millisecond
)

// Crash kills a process of the server by SIGKILL, by which it crashes and recovers, and waits until
// it answers again. The session must be a superuser's. It is an error if the server did not restart.
func Crash(ctx context.Context, db *sql.DB) error {
	var was, is int
	if err := db.QueryRowContext(ctx, checkpointer).Scan(&was); err != nil {
		return fmt.Errorf("crash the server: %w", err)
	}
	_, err := db.ExecContext(ctx, killOneself)
	var refused *pq.Error
	switch {
	case err == nil:
		return errors.New("crash the server: the session outlived its end")
	case errors.As(err, &refused) && refused.Code.Class() != "57": // operator intervention
		return fmt.Errorf("crash the server: %w", err)
	}
	every := time.NewTicker(backEvery)
	defer every.Stop()
	for deadline := time.Now().Add(backMax); time.Now().Before(deadline); {
		if err = db.QueryRowContext(ctx, checkpointer).Scan(&is); err == nil {
			break
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return fmt.Errorf("crash the server: %w", ctx.Err())
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("the server has not come back in %s: %w", backMax, err)
	case is == was:
		return errors.New("crash the server: it goes on as it was")
	}
	return nil
}
