package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/admin"
)

// shownHold is a hold as it is shown.
type shownHold struct {
	ID        reference.HoldID    `json:"hold_id"`
	Learner   reference.LearnerID `json:"learner_id"`
	Section   reference.SectionID `json:"section_id"`
	ExpiresAt time.Time           `json:"expires_at"`
	Zone      string              `json:"timezone"`
	State     reference.State     `json:"state"`
	Channels  []reference.Channel `json:"channels"`
}

func shown(h reference.Hold) shownHold {
	return shownHold{h.ID, h.Learner, h.Section, h.ExpiresAt, h.Zone, h.State, h.Channels}
}

func words[S ~string](all []S) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return strings.Join(out, ",")
}

// printHold shows a hold in one line.
func (c *control) printHold(h reference.Hold) error {
	return c.print(shown(h), func(w io.Writer) {
		fmt.Fprintf(w, "%s is %s until %s\n", h.ID, h.State, second(h.ExpiresAt))
	})
}

const holdDefault = 15 * time.Minute

type holdCreate struct {
	ID        string        `arg:"" name:"hold" help:"The hold's id; never used twice."`
	Learner   string        `required:"" help:"Who holds the seat."`
	Section   string        `required:"" help:"The class section of the seat."`
	Zone      string        `placeholder:"ZONE" help:"The learner's IANA time zone, by which times are worded; UTC if empty."`
	For       time.Duration `placeholder:"DURATION" xor:"end" help:"How long from now by the database's clock; 15m if there is no --expires-at."`
	ExpiresAt time.Time     `placeholder:"TIME" xor:"end" help:"When the hold expires, in whole seconds, such as 2026-03-02T12:10:00Z."`
	On        []string      `placeholder:"CHANNEL,…" help:"The channels of its reminders; email,sms if empty."`
}

func (h *holdCreate) run(ctx context.Context, c *control) error {
	if h.Zone != "" {
		// The pipeline words a time of an unknown zone in UTC; here somebody can still mend it.
		if _, err := time.LoadLocation(h.Zone); err != nil {
			return usage("such as Europe/Berlin, or leave it out for UTC", "zone %q is no IANA time zone", h.Zone)
		}
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	hold := reference.Hold{
		ID: reference.HoldID(h.ID), Learner: reference.LearnerID(h.Learner), Section: reference.SectionID(h.Section),
		Zone: h.Zone, ExpiresAt: h.ExpiresAt.UTC(),
	}
	for _, channel := range h.On {
		hold.Channels = append(hold.Channels, reference.Channel(channel))
	}
	if h.ExpiresAt.IsZero() {
		now, err := t.Now(ctx)
		if err != nil {
			return err
		}
		length := h.For
		if length == 0 {
			length = holdDefault
		}
		hold.ExpiresAt = now.Add(length).Truncate(time.Second)
	}
	if err := t.holds.Create(ctx, hold); err != nil {
		return err
	}
	made, err := t.holds.Get(ctx, hold.ID)
	if err != nil {
		return err
	}
	return c.printHold(made)
}

// change does something to a hold, and shows what it is then.
func change(ctx context.Context, c *control, id string, what func(*tables, reference.HoldID) error) error {
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	if err := what(t, reference.HoldID(id)); err != nil {
		return err
	}
	h, err := t.holds.Get(ctx, reference.HoldID(id))
	if err != nil {
		return err
	}
	return c.printHold(h)
}

type holdConfirm struct {
	ID string `arg:"" name:"hold"`
}

func (h *holdConfirm) run(ctx context.Context, c *control) error {
	return change(ctx, c, h.ID, func(t *tables, id reference.HoldID) error { return t.holds.Confirm(ctx, id) })
}

type holdCancel struct {
	ID string `arg:"" name:"hold"`
}

func (h *holdCancel) run(ctx context.Context, c *control) error {
	return change(ctx, c, h.ID, func(t *tables, id reference.HoldID) error { return t.holds.Cancel(ctx, id) })
}

type holdExtend struct {
	ID   string        `arg:"" name:"hold"`
	To   time.Time     `placeholder:"TIME" xor:"to" required:"" help:"The new end, such as 2026-03-02T12:30:00Z."`
	By   time.Duration `placeholder:"DURATION" xor:"to" required:"" help:"How much later than the window's end."`
	From time.Time     `placeholder:"TIME" help:"The end of the window to be left, so that running it twice extends once; the present one if not given."`
}

func (h *holdExtend) run(ctx context.Context, c *control) error {
	return change(ctx, c, h.ID, func(t *tables, id reference.HoldID) error {
		from := h.From
		if from.IsZero() {
			there, err := t.holds.Get(ctx, id)
			if err != nil {
				return err
			}
			from = there.ExpiresAt
		}
		to := h.To
		if to.IsZero() {
			to = from.Add(h.By)
		}
		return t.holds.Extend(ctx, reference.Window{Hold: id, ExpiresAt: from.UTC()}, to)
	})
}

type holdShow struct {
	ID string `arg:"" name:"hold"`
}

// shownRow is a reminder as it is shown.
type shownRow struct {
	Window         time.Time         `json:"window"`
	Channel        reference.Channel `json:"channel"`
	Key            string            `json:"reminder_key"`
	Outcome        string            `json:"outcome"`
	ProviderRef    string            `json:"provider_ref,omitempty"`
	Doubt          reference.Reason  `json:"doubt,omitempty"`
	FirstClaimedAt time.Time         `json:"first_claimed_at,omitzero"`
	LeaseUntil     time.Time         `json:"lease_until,omitzero"`
	NotBefore      time.Time         `json:"not_before,omitzero"`
	SettledAt      time.Time         `json:"settled_at,omitzero"`
	Token          reference.Token   `json:"token,omitempty"`
	MessageID      string            `json:"message_id,omitempty"`
}

func shownRows(all []reference.Row) []shownRow {
	rows := []shownRow{}
	for _, r := range all {
		rows = append(rows, shownRow{r.ExpiresAt, r.Channel, r.Key(), r.Outcome.String(), r.ProviderRef, r.Doubt,
			r.FirstClaimedAt, r.LeaseUntil, r.NotBefore, r.SettledAt, r.Token, r.MessageID})
	}
	return rows
}

func (h *holdShow) run(ctx context.Context, c *control) error {
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	record, err := t.Record(ctx, reference.HoldID(h.ID), 0, 0)
	if err != nil {
		return err
	}
	if record.Hold == nil {
		return fmt.Errorf("show %s: %w", h.ID, reference.ErrNoHold)
	}
	hold, rows := *record.Hold, shownRows(record.Rows)
	both := struct {
		shownHold
		Reminders []shownRow `json:"reminders"`
	}{shown(hold), rows}
	return c.print(both, func(w io.Writer) {
		fmt.Fprintf(w, "hold\t%s\nstate\t%s\nexpires at\t%s\nlearner\t%s\nsection\t%s\nzone\t%s\nchannels\t%s\n",
			hold.ID, hold.State, second(hold.ExpiresAt), hold.Learner, hold.Section, hold.Zone, words(hold.Channels))
		for _, r := range rows {
			fmt.Fprintf(w, "\n%s of %s\t%s\nreminder key\t%s\n", r.Channel, second(r.Window), r.Outcome, r.Key)
			if r.ProviderRef != "" {
				fmt.Fprintf(w, "provider's reference\t%s\n", printable(r.ProviderRef, 128))
			}
			if !r.SettledAt.IsZero() {
				fmt.Fprintf(w, "settled at\t%s\n", second(r.SettledAt))
			}
		}
	})
}

type holdList struct {
	State   string `enum:",held,confirmed,cancelled,expired" default:"" placeholder:"STATE" help:"held, confirmed, cancelled or expired."`
	Learner string `placeholder:"LEARNER" help:"Those of one learner."`
	Section string `placeholder:"SECTION" help:"Those of one section."`
	From    moment `placeholder:"TIME" help:"Those that expire at or after a time, or an age."`
	To      moment `placeholder:"TIME" help:"Those that expire before a time, or an age."`
	Limit   int    `default:"50" help:"How many at most."`
}

func (h *holdList) run(ctx context.Context, c *control) error {
	if err := checkLimit(h.Limit); err != nil {
		return err
	}
	t, closed, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer closed()
	now, err := t.Now(ctx)
	if err != nil {
		return err
	}
	// One more, to know whether there are more.
	holds, err := t.Holds(ctx, admin.HoldFilter{
		State: reference.State(h.State), Learner: reference.LearnerID(h.Learner), Section: reference.SectionID(h.Section),
		From: h.From.before(now), To: h.To.before(now), Limit: h.Limit + 1,
	})
	if err != nil {
		return err
	}
	more := len(holds) > h.Limit
	if more {
		holds = holds[:h.Limit]
	}
	list := []shownHold{}
	for _, h := range holds {
		list = append(list, shown(h))
	}
	return c.print(map[string]any{"holds": list, "more": more}, func(w io.Writer) {
		fmt.Fprintln(w, "EXPIRES AT\tSTATE\tHOLD\tLEARNER\tSECTION\tCHANNELS")
		for _, h := range holds {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", second(h.ExpiresAt), h.State, h.ID, h.Learner, h.Section, words(h.Channels))
		}
		if more {
			fmt.Fprintf(w, "…\tand more: --limit, --from, --to\n")
		}
	})
}

const limitMax = 100_000

func checkLimit(n int) error {
	if n < 1 || n > limitMax {
		return usage("50 is the default", "limit is %d and must be from 1 to %d", n, limitMax)
	}
	return nil
}
