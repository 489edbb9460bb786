// Package smoke sends one short hold through a pipeline that is running: a sweep must find it, a
// worker remind of it and expire it, and its messages, delivered once more, must change nothing.
package smoke

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/postgres/admin"
	"github.com/seathold/seathold/reference/settings"
)

// Test is what to try, and with what.
type Test struct {
	Tables admin.Tables
	Holds  reference.Holds
	Queue  reference.Publisher
	// Blind is how long replayed messages are given where the queue doesn't show its messages; it
	// is zero where Tables has them.
	Blind  time.Duration
	Policy reference.Policy
	Waiter reference.Waiter
	// Hold has the learner, the section, the zone and the channels.
	Hold reference.Hold
	// Refs says that every outcome must name the provider's reference.
	Refs bool
	// Keep leaves the hold there in the end.
	Keep bool
	// Accepted reads the provider's log; nil where there is none.
	Accepted func() ([]audit.Acceptance, error)
	// Told hears how far it has come.
	Told func(format string, args ...any)
}

// Result is what was seen.
type Result struct {
	Hold reference.Hold
	Rows []reference.Row
	// Sent and Expired are how long after the beginning that was seen.
	Sent, Expired time.Duration
	Replayed      int
	// Accepted counts by channel; nil where there is no log.
	Accepted map[reference.Channel]int
	Removed  bool
}

// Run runs the test. A settings.Problem says what was not as it should be, and where to look; then
// the hold is cancelled, so that nothing more is done about it, and left to be looked at.
func (t Test) Run(ctx context.Context) (Result, error) {
	r := &run{Test: t}
	if err := r.begin(ctx); err != nil {
		return r.saw, err
	}
	for _, step := range []func(context.Context) error{r.sent, r.expired, r.replay, r.accepted, r.remove} {
		if err := step(ctx); err != nil {
			return r.saw, r.leave(err)
		}
	}
	return r.saw, nil
}

type run struct {
	Test
	hold  reference.Hold
	began time.Time
	saw   Result
}

func failed(hint, format string, args ...any) error {
	return &settings.Problem{What: "smoke: " + fmt.Sprintf(format, args...), Hint: hint, Exit: settings.ExitFailed}
}

// begin creates a hold that is due at once, and whose cut-off leaves time for one sweep and the sends.
func (r *run) begin(ctx context.Context) error {
	now, err := r.Tables.Now(ctx)
	if err != nil {
		return err
	}
	const slack = 5 * time.Second
	p, n := r.Policy, time.Duration(len(r.Hold.Channels))
	left := min(p.Lead, p.Cutoff+p.SweepPeriod+n*(p.SendTimeout+time.Second)+slack)
	r.hold = r.Hold
	r.hold.ID = reference.HoldID("smoke-" + strings.ToLower(rand.Text()[:12]))
	r.hold.ExpiresAt = now.Add(left).Truncate(time.Second)
	r.began, r.saw.Hold = now, r.hold
	if err := r.Holds.Create(ctx, r.hold); err != nil {
		return err
	}
	r.Told("hold %s is created, until %s", r.hold.ID, r.hold.ExpiresAt.Format(time.RFC3339))
	return nil
}

const lookEvery = 200 * time.Millisecond

// until looks every so often whether something is so, until a time by the database's clock.
func (r *run) until(ctx context.Context, end time.Time, so func(admin.Record) (bool, error)) (bool, time.Duration, error) {
	for {
		record, err := r.Tables.Record(ctx, r.hold.ID, 0, r.Policy.SweepPeriod)
		if err != nil {
			return false, 0, err
		}
		if r.saw.Rows = record.Rows; record.Hold != nil {
			r.saw.Hold = *record.Hold
		}
		took := record.Now.Sub(r.began)
		done, err := so(record)
		if done || err != nil {
			return done, took, err
		}
		if record.Now.After(end) {
			return false, took, nil
		}
		if err := r.Waiter.Wait(ctx, lookEvery); err != nil {
			return false, took, err
		}
	}
}

// sent waits until every channel has its outcome, which must be sent.
func (r *run) sent(ctx context.Context) error {
	// A send may begin just before the cut-off, and a worker may be lost.
	end := r.hold.ExpiresAt.Add(-r.Policy.Cutoff + r.Policy.SendTimeout + r.Policy.Lease)
	var last admin.Record
	done, took, err := r.until(ctx, end, func(record admin.Record) (bool, error) {
		last = record
		return final(record) == len(r.hold.Channels), nil
	})
	if err != nil {
		return err
	}
	r.saw.Sent = took.Round(time.Millisecond)
	if !done {
		return failed(r.why(last), "after %s %d of %d reminders have an outcome", took.Round(time.Second), final(last), len(r.hold.Channels))
	}
	for _, row := range last.Rows {
		switch {
		case row.Outcome.Verdict != reference.Sent:
			return failed(r.look(), "%s is %s", row.Channel, row.Outcome)
		case r.Refs && row.ProviderRef == "":
			return failed("set SEATHOLD_"+strings.ToUpper(string(row.Channel))+"_REF_FIELD to where the provider names what it accepted, or say --no-refs",
				"%s is sent, without the provider's reference", row.Channel)
		}
	}
	r.Told("sent after %s", r.saw.Sent)
	return nil
}

func final(r admin.Record) (n int) {
	for _, row := range r.Rows {
		if !row.Open() {
			n++
		}
	}
	return n
}

// look is where to look when nothing better is known.
func (r *run) look() string {
	return "holdctl explain " + string(r.hold.ID) + " with --log of the workers says how far it got"
}

// why says what seems to be missing, by how far it got.
func (r *run) why(last admin.Record) string {
	swept := false
	for _, sweep := range last.Sweeps {
		swept = swept || sweep.At.After(r.began)
	}
	switch {
	case !swept:
		return "no sweep was made meanwhile: is holdsweep running, on this database, at least every sweep-period?"
	case len(last.Messages) > 0 && last.Messages[0].Receives == 0:
		return "its message was published and never delivered: is holdworker running, or busy with others? See holdctl queue stats"
	}
	return r.look()
}

// expired waits until the hold is expired.
func (r *run) expired(ctx context.Context) error {
	end := r.hold.ExpiresAt.Add(audit.Rules{Policy: r.Policy, NothingDown: true}.Bound())
	var last admin.Record
	done, took, err := r.until(ctx, end, func(record admin.Record) (bool, error) {
		last = record
		if record.Hold == nil {
			return false, failed("is somebody pruning, or deleting holds?", "the hold is gone")
		}
		return record.Hold.State != reference.Held, nil
	})
	if err != nil {
		return err
	}
	r.saw.Expired = took.Round(time.Millisecond)
	switch {
	case !done:
		return failed(r.why(last), "the hold is still held %s after its end", last.Now.Sub(r.hold.ExpiresAt).Round(time.Second))
	case r.saw.Hold.State != reference.Expired:
		return failed("somebody else has changed it", "the hold is %s", r.saw.Hold.State)
	}
	r.Told("expired after %s", r.saw.Expired)
	return nil
}

// replay publishes the messages once more, waits until they are done with, and sees that nothing
// has changed.
func (r *run) replay(ctx context.Context) error {
	before, err := r.settled(ctx)
	if err != nil {
		return err
	}
	var entries []reference.Entry
	for _, kind := range []reference.Kind{reference.Remind, reference.Expire} {
		payload, err := reference.Message{Kind: kind, Window: r.hold.Window(), Learner: r.hold.Learner, Section: r.hold.Section, Zone: r.hold.Zone}.Encode()
		if err != nil {
			return err
		}
		// A key of its own, or a queue would collapse it into the first.
		entries = append(entries, reference.Entry{Key: "smoke:" + rand.Text(), Payload: payload})
	}
	published, err := r.Queue.Publish(ctx, entries)
	for _, p := range published {
		err = errors.Join(err, p.Err)
	}
	if err != nil {
		return err
	}
	r.saw.Replayed = len(published)
	if err := r.Waiter.Wait(ctx, r.Blind); err != nil {
		return err
	}
	after, err := r.settled(ctx)
	switch {
	case err != nil:
		return err
	case !reflect.DeepEqual(before.Hold, after.Hold) || !reflect.DeepEqual(before.Rows, after.Rows):
		return failed("P8 is broken: holdctl explain "+string(r.hold.ID), "the replayed messages have changed the hold or its reminders")
	}
	r.Told("replayed, and nothing changed")
	return nil
}

// settled waits until no message about the hold is in the queue, and gives what there is then.
func (r *run) settled(ctx context.Context) (last admin.Record, err error) {
	now, err := r.Tables.Now(ctx)
	if err != nil {
		return last, err
	}
	end := now.Add(r.Policy.Visibility + r.Policy.LongPoll + r.Policy.Lease)
	done, took, err := r.until(ctx, end, func(record admin.Record) (bool, error) {
		last = record
		if len(record.Dead) > 0 {
			d := record.Dead[0]
			return false, failed("holdctl dead show "+d.MessageID, "message %s was set aside: %q", d.MessageID, d.Reason)
		}
		return len(record.Messages) == 0, nil
	})
	if err == nil && !done {
		err = failed("is holdworker busy? See holdctl queue stats", "%d messages are not done with after %s", len(last.Messages), took.Round(time.Second))
	}
	return last, err
}

// accepted counts what the provider accepted, where its log is given.
func (r *run) accepted(context.Context) error {
	if r.Accepted == nil {
		return nil
	}
	all, err := r.Accepted()
	if err != nil {
		return err
	}
	log := audit.NewLog(all)
	r.saw.Accepted = map[reference.Channel]int{}
	for _, channel := range r.hold.Channels {
		n := len(log.Of(reference.Reminder{Window: r.hold.Window(), Channel: channel}))
		r.saw.Accepted[channel] = n
		if n != 1 {
			return failed("is it the log of the provider that the workers call, up to now?", "%s was accepted %d times by the provider's log, and should have been once", channel, n)
		}
	}
	return nil
}

// remove takes the hold away, and its reminders with it.
func (r *run) remove(ctx context.Context) error {
	if r.Keep {
		return nil
	}
	if err := r.Tables.DeleteHold(ctx, r.hold.ID); err != nil {
		return failed("holdctl prune removes it in time", "all went well, but the hold could not be removed: %v", err)
	}
	r.saw.Removed = true
	return nil
}

const leaveMax = 10 * time.Second

// leave cancels the hold after a failure.
func (r *run) leave(err error) error {
	// What ended the run may have been the end of its context.
	ctx, cancel := context.WithTimeout(context.Background(), leaveMax)
	defer cancel()
	cancelled := r.Holds.Cancel(ctx, r.hold.ID)
	if cancelled == nil || errors.Is(cancelled, reference.ErrNotHeld) || errors.Is(cancelled, reference.ErrNoHold) {
		return err
	}
	return errors.Join(err, cancelled)
}
