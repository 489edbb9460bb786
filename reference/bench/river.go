package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// reminderJob is a message of ours as a job of River's, unique by its arguments.
type reminderJob struct {
	HoldID    string `json:"hold_id"`
	LearnerID string `json:"learner_id"`
	SectionID string `json:"section_id"`
	ExpiresAt int64  `json:"expires_at"`
	Timezone  string `json:"timezone"`
}

func (reminderJob) Kind() string { return "remind" }

func (reminderJob) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// noWork is done at once.
type noWork struct {
	river.WorkerDefaults[reminderJob]
}

func (noWork) Work(context.Context, *river.Job[reminderJob]) error { return nil }

// river measures River on the same server: unique jobs inserted a page at a time, and jobs without
// work. A job is fetched in batches and completed in batches; nothing is committed for one job before
// its work, as a claim is. So it is no aim, but what the server can do for a queue without that.
func (b *bench) river(ctx context.Context) error {
	var inserted, raw, worked, workedMany, commits []float64
	for range b.rounds {
		if err := b.riverRound(ctx, func(insert, rawInsert, work, workMany, each float64) {
			inserted, raw = append(inserted, insert), append(raw, rawInsert)
			worked, workedMany, commits = append(worked, work), append(workedMany, workMany), append(commits, each)
		}); err != nil {
			return err
		}
	}
	b.table.print(line{what: "River, unique insert of pages of 500", unit: "jobs/s", ours: inserted, raw: raw})
	b.table.print(line{what: fmt.Sprintf("River, %d workers without work", b.slots), unit: "jobs/s", ours: worked,
		more: number(median(commits)) + " commits a job"})
	b.table.print(line{what: "River, 1000 workers without work", unit: "jobs/s", ours: workedMany})
	return nil
}

func (b *bench) riverRound(ctx context.Context, figures func(insert, raw, work, workMany, commits float64)) error {
	d, err := b.migrated(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	rawTook, err := d.insertRaw(ctx, messages(b.due))
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, d.url+"&pool_max_conns=18")
	if err != nil {
		return err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	insertTook, err := b.riverInsert(ctx, pool, b.due)
	if err != nil {
		return err
	}
	work, commits, err := b.riverWork(ctx, d, pool, b.slots, time.Millisecond)
	if err != nil {
		return err
	}
	workMany, _, err := b.riverWork(ctx, d, pool, 1000, 2*time.Millisecond)
	if err != nil {
		return err
	}
	n := float64(b.due)
	figures(n/insertTook.Seconds(), n/rawTook.Seconds(), work, workMany, commits)
	return nil
}

// riverInsert inserts n jobs, a page at a time, and says how long that took.
func (b *bench) riverInsert(ctx context.Context, pool *pgxpool.Pool, n int) (time.Duration, error) {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return 0, err
	}
	began, page := time.Now(), policy().Page
	for at := 0; at < n; at += page {
		var jobs []river.InsertManyParams
		for i := at; i < min(at+page, n); i++ {
			jobs = append(jobs, river.InsertManyParams{Args: reminderJob{
				HoldID: fmt.Sprintf("hold-d%08d", i), LearnerID: fmt.Sprint("learner-", i), SectionID: fmt.Sprint("section-", i%1000),
				ExpiresAt: 1772453240 + int64(i%1000), Timezone: "Europe/Berlin",
			}})
		}
		if _, err := client.InsertMany(ctx, jobs); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// riverWork works as many jobs as our workers handle messages, and gives jobs a second and commits
// that wrote anything for each.
func (b *bench) riverWork(ctx context.Context, d *database, pool *pgxpool.Pool, workers int, cooldown time.Duration) (rate, commits float64, err error) {
	if _, err := pool.Exec(ctx, `truncate river_job`); err != nil {
		return 0, 0, err
	}
	if _, err := b.riverInsert(ctx, pool, b.work); err != nil {
		return 0, 0, err
	}
	if err := d.exec(ctx, `vacuum analyze`); err != nil {
		return 0, 0, err
	}
	all := river.NewWorkers()
	river.AddWorker(all, noWork{})
	client, err := river.NewClient[pgx.Tx](riverpgxv5.New(pool), &river.Config{
		Logger: slog.New(slog.DiscardHandler), Workers: all, FetchCooldown: cooldown, FetchPollInterval: 50 * time.Millisecond,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
	})
	if err != nil {
		return 0, 0, err
	}
	// Events that find the channel full are lost.
	done, stop := client.SubscribeConfig(&river.SubscribeConfig{Kinds: []river.EventKind{river.EventKindJobCompleted}, ChanSize: b.work})
	defer stop()
	before, err := d.writes(ctx)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := client.Start(ctx); err != nil {
		return 0, 0, err
	}
	for n := 0; n < b.work; n++ {
		select {
		case <-done:
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
	took := time.Since(began)
	after, err := d.writes(ctx)
	if err != nil {
		return 0, 0, err
	}
	return float64(b.work) / took.Seconds(), float64(after-before-1) / float64(b.work), client.Stop(ctx)
}
