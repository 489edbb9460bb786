package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/process"
)

// latency measures a sweep that finds twelve among many, in a process that has swept before.
func (b *bench) latency(ctx context.Context) error {
	const due, times = 12, 100
	d, err := b.migrated(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if err := d.fill(ctx, due, b.due); err != nil {
		return err
	}
	sweeper, rows := d.sweeper(), messages(due)
	var ours, raw []float64
	for i := range times + 5 {
		if err := d.exec(ctx, `delete from queue_messages`); err != nil {
			return err
		}
		if err := d.exec(ctx, `delete from raw_messages`); err != nil {
			return err
		}
		began := time.Now()
		report, err := sweeper.Run(ctx)
		took := time.Since(began)
		if err != nil || report.Queued != due {
			return fmt.Errorf("sweep queued %d of %d: %w", report.Queued, due, err)
		}
		tookRaw, err := d.insertRaw(ctx, rows)
		if err != nil {
			return err
		}
		if i >= 5 { // the first ones prepare statements
			ours, raw = append(ours, 1000*took.Seconds()), append(raw, 1000*tookRaw.Seconds())
		}
	}
	b.table.print(line{
		what: fmt.Sprintf("sweep of %d due among %d", due, b.due+due), unit: "ms", ours: ours, raw: raw,
		more: fmt.Sprintf("99 of 100 within %sms; raw is one insert of %d rows", number(quantile(ours, .99)), due),
	})
	return nil
}

func (d *database) sweeper() *reference.Sweeper {
	p := policy()
	return &reference.Sweeper{
		Store: postgres.NewStore(d.db), Queue: d.queue(), Clock: clock.New(), Tokens: process.RandomTokens{}, Policy: p,
	}
}

func (d *database) queue() *postgres.Queue {
	p := policy()
	return postgres.NewQueue(d.db, postgres.QueueConfig{
		Visibility: p.Visibility, MaxReceives: p.MaxReceives, Waiter: process.ClockWaiter{Clock: clock.New()},
	})
}

// publish measures holdsweep once, as it is run, where much is due.
func (b *bench) publish(ctx context.Context) error {
	var ours, raw, memory, memoryFew []float64
	for range b.rounds {
		few, err := b.publishOnce(ctx, b.due/10)
		if err != nil {
			return err
		}
		all, err := b.publishOnce(ctx, b.due)
		if err != nil {
			return err
		}
		ours, raw = append(ours, all.rate), append(raw, all.raw)
		memory, memoryFew = append(memory, all.memory), append(memoryFew, few.memory)
	}
	b.table.print(line{what: fmt.Sprintf("sweep of %d due", b.due), unit: "rows/s", ours: ours, raw: raw, aim: 0.35,
		more: "raw is one insert for each 500 of the same rows"})
	b.table.print(line{what: fmt.Sprintf("peak memory of it, %d due", b.due), unit: "MB", ours: memory})
	b.table.print(line{what: fmt.Sprintf("peak memory of it, %d due", b.due/10), unit: "MB", ours: memoryFew})
	return nil
}

type published struct{ rate, raw, memory float64 }

func (b *bench) publishOnce(ctx context.Context, due int) (p published, err error) {
	d, err := b.migrated(ctx)
	if err != nil {
		return p, err
	}
	defer d.close()
	if err := d.fill(ctx, due, 0); err != nil {
		return p, err
	}
	took, err := d.insertRaw(ctx, messages(due))
	if err != nil {
		return p, err
	}
	p.raw = float64(due) / took.Seconds()
	c := exec.CommandContext(ctx, filepath.Join(b.bin, "holdsweep"), "once")
	c.Env = append(os.Environ(), "SEATHOLD_DATABASE_URL="+d.url, "SEATHOLD_LEAD=1h", "SEATHOLD_SWEEP_BUDGET=10m", "SEATHOLD_METRICS_LISTEN=off")
	var log bytes.Buffer
	c.Stderr = &log
	if p.memory, err = peak(c); err != nil {
		return p, fmt.Errorf("holdsweep once: %w\n%s", err, log.Bytes())
	}
	took, err = sweepTook(log.Bytes(), due)
	p.rate = float64(due) / took.Seconds()
	return p, err
}

// sweepTook reads in a log how long the sweep took.
func sweepTook(log []byte, due int) (time.Duration, error) {
	for line := range bytes.Lines(log) {
		var end struct {
			Msg       string  `json:"msg"`
			TookMS    float64 `json:"took_ms"`
			Published int     `json:"published_remind"`
		}
		if json.Unmarshal(line, &end) == nil && end.Msg == "sweep.end" && end.Published == due {
			return time.Duration(end.TookMS * float64(time.Millisecond)), nil
		}
	}
	return 0, fmt.Errorf("no sweep of %d in the log:\n%s", due, log)
}

// row is a message as raw Postgres stores it.
type row struct {
	key     string
	payload []byte
}

// messages are as many messages as long as real ones.
func messages(n int) []row {
	all := make([]row, n)
	for i := range all {
		text, err := json.Marshal(map[string]any{
			"v": 1, "kind": "remind", "hold_id": fmt.Sprintf("hold-d%08d", i), "learner_id": fmt.Sprint("learner-", i),
			"section_id": fmt.Sprint("section-", i%1000), "expires_at": 1772453240 + i%1000, "timezone": "Europe/Berlin",
		})
		if err != nil {
			panic(err) // it is made of nothing but text and numbers
		}
		sum := sha256.Sum256(text)
		all[i] = row{hex.EncodeToString(sum[:]), text}
	}
	return all
}

// insertRaw stores rows by one set-based insert a page, and says how long that took.
func (d *database) insertRaw(ctx context.Context, rows []row) (time.Duration, error) {
	const insert = `
		insert into raw_messages (message_key, payload, published_at, visible_at, publish_token)
		select key, payload, clock_timestamp(), clock_timestamp(), 'raw'
		from unnest($1::text[], $2::bytea[]) as e (key, payload)
		on conflict do nothing`
	statement, err := d.db.PrepareContext(ctx, insert)
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	began, page := time.Now(), reference.DefaultPolicy().Page
	for at := 0; at < len(rows); at += page {
		var keys pq.StringArray
		var payloads pq.ByteaArray
		for _, r := range rows[at:min(at+page, len(rows))] {
			keys, payloads = append(keys, r.key), append(payloads, r.payload)
		}
		if _, err := statement.ExecContext(ctx, keys, payloads); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}
