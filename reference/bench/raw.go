package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// rawSeconds is how long raw claims are made.
const rawSeconds = 5

// claimRaw inserts one claim a transaction, with as many clients as there are slots, and gives how
// many a second, and who made them: pgbench, or where there is none a loop of our own.
func (d *database) claimRaw(ctx context.Context) (rate float64, source string, err error) {
	pgbench, err := exec.LookPath("pgbench")
	if err != nil {
		rate, err := d.claimLoop(ctx)
		return rate, "a loop in Go", err
	}
	rate, err = d.claimPgbench(ctx, pgbench)
	return rate, "pgbench", err
}

const pgbenchScript = `\set n random(1, 1000000000)
insert into raw_claims (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at, message_id)
values ('hold-d' || :n::text, '2030-01-01 00:00:00Z', 'email', '0123456789abcdef0123456789abcdef', clock_timestamp() + interval '20 seconds', clock_timestamp(), '17')
on conflict do nothing;
`

var pgbenchRate = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

func (d *database) claimPgbench(ctx context.Context, pgbench string) (float64, error) {
	dir, err := os.MkdirTemp("", "seathold-bench")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "claim.sql")
	if err := os.WriteFile(script, []byte(pgbenchScript), 0o600); err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, pgbench, "-n", "-M", "prepared", "-c", strconv.Itoa(d.slots), "-j", "2",
		"-T", strconv.Itoa(rawSeconds), "-f", script, d.url).CombinedOutput()
	found := pgbenchRate.FindSubmatch(out)
	if err != nil || found == nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

func (d *database) claimLoop(ctx context.Context) (float64, error) {
	const insert = `
		insert into raw_claims (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at, message_id)
		values ($1, '2030-01-01 00:00:00Z', 'email', '0123456789abcdef0123456789abcdef', clock_timestamp() + interval '20 seconds', clock_timestamp(), '17')
		on conflict do nothing`
	statement, err := d.db.PrepareContext(ctx, insert)
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	var n atomic.Int64
	var failed atomic.Value
	var all sync.WaitGroup
	began := time.Now()
	for range d.slots {
		all.Go(func() {
			for time.Since(began) < rawSeconds*time.Second {
				if _, err := statement.ExecContext(ctx, fmt.Sprint("hold-d", n.Add(1))); err != nil {
					failed.Store(err)
					return
				}
			}
		})
	}
	all.Wait()
	if err, is := failed.Load().(error); is {
		return 0, err
	}
	return float64(n.Load()) / time.Since(began).Seconds(), nil
}
