package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/admin"
)

type teller struct {
	record admin.Record
	policy reference.Policy
	story  *Story
}

func (t *teller) say(at time.Time, source, format string, args ...any) {
	t.story.Events = append(t.story.Events, Event{at.UTC(), source, fmt.Sprintf(format, args...)})
}

func (t *teller) now(format string, args ...any) {
	t.story.Now = append(t.story.Now, fmt.Sprintf(format, args...))
}

// standing says how things stand.
func (t *teller) standing() {
	h := t.record.Hold
	if h == nil {
		return
	}
	zone := h.Zone
	if zone == "" {
		zone = "no time zone"
	}
	t.now("%s is %s: learner %s, section %s, until %s, %s", h.ID, h.State, h.Learner, h.Section, second(h.ExpiresAt), zone)
	if h.State == reference.Held && !t.record.Now.Before(h.ExpiresAt) {
		t.now("its time is over since %s, and it was not expired yet", t.record.Now.Sub(h.ExpiresAt).Round(time.Second))
	}
	for _, c := range h.Channels {
		of := reference.Reminder{Window: h.Window(), Channel: c}
		i := slices.IndexFunc(t.record.Rows, func(r reference.Row) bool { return r.Channel == c && r.ExpiresAt.Equal(h.ExpiresAt) })
		if i < 0 {
			t.now("%s: %s", c, t.noRow(*h))
		} else {
			t.now("%s: %s", c, t.outcome(t.record.Rows[i]))
		}
		t.now("  its reminder key is %s", of.Key())
	}
}

// noRow says why a reminder of the present window may have no row.
func (t *teller) noRow(h reference.Hold) string {
	due, cutoff := h.ExpiresAt.Add(-t.policy.Lead), h.ExpiresAt.Add(-t.policy.Cutoff)
	switch now := t.record.Now; {
	case h.State == reference.Confirmed || h.State == reference.Cancelled:
		return "never claimed; a person ended the window first"
	case h.State == reference.Expired:
		return "never claimed, and nothing is on record: the hold was not expired by this pipeline"
	case now.Before(due):
		return "not due before " + second(due)
	case now.Before(cutoff):
		return "due since " + second(due) + ", and not claimed yet"
	}
	return "not claimed, and the cut-off was at " + second(cutoff) + ": expiring records it as missed"
}

// outcome says how a row stands, and what that means.
func (t *teller) outcome(r reference.Row) string {
	now := t.record.Now
	if !r.Open() {
		return r.Outcome.String() + ": " + meaning(r.Outcome)
	}
	doubt := ""
	if d := r.FirstDoubt(now); d != "" {
		doubt = fmt.Sprintf("; an earlier attempt may have been accepted (%s)", d)
	}
	switch until, waiting := r.Waiting(now); {
	case r.Claimed(now):
		return "open: claimed until " + second(until) + doubt
	case waiting:
		return "open: nobody may try before " + second(until) + doubt
	case r.Lapsed(now):
		return "open: its claim ended at " + second(r.LeaseUntil) + " without a word" + doubt
	}
	return "open: free to be claimed" + doubt
}

func meaning(o reference.Outcome) string {
	if o.Verdict == reference.Sent {
		return "the provider accepted it"
	}
	return map[reference.Reason]string{
		reference.Rejected:  "the provider refused it for good, and nothing was sent",
		reference.Throttled: "the provider asked to wait past the cut-off, and nothing was sent",
		reference.Stalled:   "the worker woke past the cut-off, and nothing was sent",
		reference.Missed:    "no attempt could start in time, and nothing was sent",
		reference.Timeout:   "no answer that can be trusted came; nobody can know whether it was sent",
		reference.Lapsed:    "a worker claimed it and was not heard of again; nobody can know whether it was sent",
	}[o.Reason]
}

// windows marks the times of each window that is known.
func (t *teller) windows() {
	var ends []time.Time
	for _, r := range t.record.Rows {
		ends = append(ends, r.ExpiresAt)
	}
	if t.record.Hold != nil {
		ends = append(ends, t.record.Hold.ExpiresAt)
	}
	slices.SortFunc(ends, time.Time.Compare)
	ends = slices.CompactFunc(ends, time.Time.Equal)
	for _, end := range ends {
		of := ""
		if len(ends) > 1 {
			of = " of the window that ends at " + second(end)
		}
		t.say(end.Add(-t.policy.Lead), fromPolicy, "the reminder%s is due", of)
		t.say(end.Add(-t.policy.Cutoff), fromPolicy, "the cut-off%s: no reminder may start any more", of)
		t.say(end, fromPolicy, "expires_at%s: the time is over", of)
	}
}

// of names a reminder, with its window where there are several.
func (t *teller) of(r reference.Reminder) string {
	if h := t.record.Hold; h == nil || !h.ExpiresAt.Equal(r.ExpiresAt) {
		return fmt.Sprintf("%s of the window that ends at %s", r.Channel, second(r.ExpiresAt))
	}
	return string(r.Channel)
}

func (t *teller) row(r reference.Row) {
	if !r.FirstClaimedAt.IsZero() {
		t.say(r.FirstClaimedAt, fromTables, "%s was first claimed", t.of(r.Reminder))
	}
	switch {
	case r.Open() && r.Token != "":
		t.say(r.LeaseUntil, fromTables, "%s: the lease of attempt %s ends", t.of(r.Reminder), r.Token)
	case !r.NotBefore.IsZero():
		t.say(r.NotBefore, fromTables, "%s: not to be tried again before this, as the provider asked", t.of(r.Reminder))
	}
	if r.Open() {
		return
	}
	about := []string{meaning(r.Outcome)}
	if r.ProviderRef != "" {
		about = append(about, "the provider calls it "+printable(r.ProviderRef))
	}
	if r.Token != "" {
		about = append(about, "attempt "+string(r.Token))
	}
	if r.MessageID != "" {
		about = append(about, "message "+r.MessageID)
	}
	if r.FirstClaimedAt.IsZero() {
		about = append(about, "written as the hold was expired")
	}
	t.say(r.SettledAt, fromTables, "%s was recorded as %s (%s)", t.of(r.Reminder), r.Outcome, strings.Join(about, "; "))
}

func (t *teller) messages() {
	for _, m := range t.record.Messages {
		t.say(m.PublishedAt, fromTables, "message %s (%s) was published; it is in the queue still, delivered %s", m.ID, kind(m.Payload), times(m.Receives))
		if m.VisibleAt.After(m.PublishedAt) {
			t.say(m.VisibleAt, fromTables, "message %s is visible from here on", m.ID)
		}
	}
	for _, d := range t.record.Dead {
		t.say(d.PublishedAt, fromTables, "message %s (%s) was published", d.MessageID, kind(d.Payload))
		t.say(d.At, fromTables, "message %s (%s) was set aside, delivered %s: %s", d.MessageID, kind(d.Payload), times(d.Receives), printable(d.Reason))
	}
}

// sweeps tells of those that found nothing, one after the other, in one line.
func (t *teller) sweeps() {
	for all := t.record.Sweeps; len(all) > 0; {
		idle := 0
		for idle < len(all) && foundNothing(all[idle]) {
			idle++
		}
		switch {
		case idle > 1:
			t.say(all[0].At, fromTables, "the first of %d sweeps that found nothing, the last at %s", idle, second(all[idle-1].At))
		case idle == 1:
			t.say(all[0].At, fromTables, "a sweep found nothing")
		default:
			t.sweep(all[0])
		}
		all = all[max(idle, 1):]
	}
}

func foundNothing(s admin.Sweep) bool {
	return s.Whole() && s.Found == reference.Tally{} && s.Backstop == 0
}

func (t *teller) sweep(s admin.Sweep) {
	state := ""
	if !s.Whole() {
		state = ", and that was not all"
	}
	if s.Backstop > 0 {
		state += fmt.Sprintf("; it expired %d by itself", s.Backstop)
	}
	t.say(s.At, fromTables, "a sweep found %d to remind and %d to expire, and published %d%s", s.Found.Remind, s.Found.Expire, s.Queued, state)
}

func kind(payload []byte) string {
	m, err := reference.DecodeMessage(payload)
	if err != nil {
		return "not a message"
	}
	return string(m.Kind)
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// second is t in UTC, to the second.
func second(t time.Time) string { return t.UTC().Format(time.RFC3339) }
