package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/witness"
)

const (
	afterHeal = 20 // holds that must be nudged once the trouble is over
	shownMax  = 20
	askEvery  = 100 * time.Millisecond
)

// heal ends all trouble.
func (w *world) heal(ctx context.Context) error {
	for _, p := range w.processes {
		p.signal(syscall.SIGCONT)
	}
	for _, p := range w.providers {
		p.Follow()
		if err := p.Up(); err != nil {
			return err
		}
	}
	if err := w.proxy.Restore(); err != nil {
		return err
	}
	w.healed = time.Now()
	w.say("no more trouble")
	// A pause that a provider asked for outlasts the trouble, but not the process.
	for _, p := range w.processes {
		p.signal(syscall.SIGTERM)
	}
	return nil
}

// workOff waits until everything is done, and complains of what is not in time.
func (w *world) workOff(ctx context.Context) error {
	p := policy()
	limit := lifeMax + moreMax + p.Backstop + p.SweepPeriod + 30*time.Second
	w.crowd.here.Wait()
	left, err := w.until(ctx, time.Until(w.healed.Add(limit)), w.unfinished)
	if err != nil {
		return err
	}
	w.say("worked off %.1fs after the end of the trouble", time.Since(w.healed).Seconds())
	for _, line := range left {
		w.breach("P6 %s after the end of the trouble, %s", limit, line)
	}
	return nil
}

// goOn begins a few holds that must be nudged: doing nothing would break no other promise.
func (w *world) goOn(ctx context.Context) error {
	for i := range afterHeal {
		h := reference.Hold{
			ID: reference.HoldID(fmt.Sprintf("healed-%02d", i)), Learner: "learner-1", Section: "section-1",
			ExpiresAt: time.Now().Add(lifeMin).Truncate(time.Second),
		}
		if err := (reference.Holds{Store: w.store}).Create(ctx, h); err != nil {
			return err
		}
	}
	left, err := w.until(ctx, lifeMin+policy().SweepPeriod+30*time.Second, w.unfinished)
	for _, line := range left {
		w.breach("P5 nothing was down, and %s", line)
	}
	return err
}

func (w *world) unfinished(ctx context.Context) ([]string, error) {
	var held int
	if err := w.admin.QueryRowContext(ctx, `select count(*) from seat_holds where state = 'held'`).Scan(&held); err != nil {
		return nil, err
	}
	left, err := witness.Unfinished(ctx, w.admin)
	if held > 0 {
		left = append(left, fmt.Sprintf("%d holds are held", held))
	}
	return left, err
}

// until asks what is left until there is nothing, or the time is over.
func (w *world) until(ctx context.Context, limit time.Duration, what func(context.Context) ([]string, error)) ([]string, error) {
	for deadline := time.Now().Add(limit); ; {
		left, err := what(ctx)
		if err != nil || len(left) == 0 || time.Now().After(deadline) {
			return left, err
		}
		if !pause(ctx, askEvery) {
			return nil, ctx.Err()
		}
	}
}

// deliverAgain delivers every message of the run once more: nothing may come of it.
func (w *world) deliverAgain(ctx context.Context) error {
	before, err := w.everything(ctx)
	if err != nil {
		return err
	}
	accepted := len(w.accepted())
	n, err := witness.Redeliver(ctx, w.admin, 1_000_000)
	if err != nil {
		return err
	}
	began := time.Now()
	left, err := w.until(ctx, time.Minute+time.Duration(n)*20*time.Millisecond, func(ctx context.Context) ([]string, error) {
		var n int
		err := w.admin.QueryRowContext(ctx, `select count(*) from queue_messages`).Scan(&n)
		if n == 0 {
			return nil, err
		}
		return []string{fmt.Sprintf("%d messages are left of those delivered again", n)}, err
	})
	if err != nil {
		return err
	}
	w.say("%d messages were delivered once more, in %.1fs", n, time.Since(began).Seconds())
	w.did.count("messages delivered again in the end", n)
	for _, line := range left {
		w.breach("P6 %s", line)
	}
	after, err := w.everything(ctx)
	if err != nil {
		return err
	}
	if before != after {
		w.breach("P8 delivering every message once more changed holds or reminders: compare the tables' text, of %d bytes before and %d after", len(before), len(after))
	}
	if now := len(w.accepted()); now != accepted {
		w.breach("P8 delivering every message once more got %d reminders accepted", now-accepted)
	}
	return nil
}

// everything is all holds and rows, as text.
func (w *world) everything(ctx context.Context) (string, error) {
	holds, rows, err := w.store.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{holds, rows})
	return string(text), err
}

func (w *world) accepted() []stub.Acceptance {
	var all []stub.Acceptance
	for _, p := range w.providers {
		all = append(all, p.Accepted()...)
	}
	return all
}

func (w *world) breach(format string, args ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, args...))
}

// judge holds what happened against the promises.
func (w *world) judge(ctx context.Context) (err error) {
	w.found, err = witness.Judge(ctx, w.admin, w.accepted(), witness.Rules{Policy: policy(), Healed: w.healed, Slack: slack})
	if err != nil {
		return err
	}
	w.broken = append(w.broken, w.found.Broken...)
	w.broken = append(w.broken, w.crowd.lost...)
	for _, p := range w.processes {
		line, err := p.panicked()
		if err = errors.Join(err, p.err); err != nil {
			return err
		}
		if line != "" {
			w.breach("%s panicked: %s", p.name, line)
		}
	}
	for _, p := range w.providers {
		if n := p.Counts()[stub.Malformed]; n > 0 {
			w.breach("%d requests to %s broke the contract of package webhook", n, p.channel)
		}
		if err := p.Err(); err != nil {
			return err
		}
	}
	return errors.Join(w.judgeTold(ctx), w.judgeHealed(ctx), w.holdctlAudit(ctx))
}

// judgeTold sees that holds became what people were told.
func (w *world) judgeTold(ctx context.Context) error {
	holds, _, err := w.store.Snapshot(ctx)
	for _, h := range holds {
		if told, known := w.crowd.told[h.ID]; known && told != h.State {
			w.breach("P4 %s: somebody was told that it is %s, and it is %s", h.ID, told, h.State)
		}
	}
	return err
}

// judgeHealed sees that holds begun after the end of the trouble were nudged.
func (w *world) judgeHealed(ctx context.Context) error {
	rows, err := w.admin.QueryContext(ctx, `select coalesce(outcome || coalesce('(' || reason || ')', ''), 'open'), count(*)::int
		from reminders where hold_id like 'healed-%' group by 1`)
	if err != nil {
		return err
	}
	defer rows.Close()
	sent := 0
	for rows.Next() {
		var outcome string
		var n int
		if err := rows.Scan(&outcome, &n); err != nil {
			return err
		}
		if outcome != "sent" {
			w.breach("P2 %d reminders of holds begun after the end of the trouble ended as %s, and nothing excuses that", n, outcome)
			continue
		}
		sent = n
	}
	if want := afterHeal * len(reference.Channels); sent != want {
		w.breach("P2 %d reminders of holds begun after the end of the trouble were sent, want %d", sent, want)
	}
	return rows.Err()
}

// holdctlAudit asks the operators' program for its judgement, too: it must find what we find.
func (w *world) holdctlAudit(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(w.dir, "holdctl"), "audit", "--provider-log", w.export.Name(),
		"--provider-skew", slack.String(), "--healed", w.healed.UTC().Format(time.RFC3339Nano))
	cmd.Env = w.env(w.proxy.URL())
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		w.say("holdctl audit found nothing")
	case errors.As(err, &failed):
		_, words, _ := strings.Cut(string(out), "holdctl: ")
		w.breach("holdctl audit ended with %d: %s", failed.ExitCode(), strings.ReplaceAll(strings.TrimSpace(words), "\n", "; "))
	default:
		return fmt.Errorf("holdctl audit: %w", err)
	}
	return nil
}
