package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/redrive"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/settings/programtest"
)

// dead sets a message aside, so long ago.
func dead(t *testing.T, d *programtest.Database, id int, payload []byte, reason string, ago time.Duration) {
	t.Helper()
	d.Exec(t, `insert into queue_dead_letters (message_id, payload, published_at, reason, receives, dead_at)
		values ($1, $2, clock_timestamp() - $4::interval, $3, 10, clock_timestamp() - $4::interval)`,
		id, payload, reason, fmt.Sprintf("%d seconds", int(ago.Seconds())))
}

func message(t *testing.T, kind reference.Kind, w reference.Window) []byte {
	t.Helper()
	payload, err := reference.Message{Kind: kind, Window: w, Learner: "learner-1", Section: "section-1"}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// everyFate sets aside a message of each fate, with ids from 101 on.
func everyFate(t *testing.T, d *programtest.Database) {
	t.Helper()
	rejected := func(w reference.Window, state string, channels ...string) {
		for _, c := range channels {
			d.Exec(t, `insert into reminders (hold_id, window_expires_at, channel, first_claimed_at, outcome, reason, settled_at)
				values ($1, $2, $3, clock_timestamp(), 'dropped', 'rejected', clock_timestamp())`, w.Hold, w.ExpiresAt, c)
		}
		if state != "" {
			d.Exec(t, `update seat_holds set state = $2 where hold_id = $1`, w.Hold, state)
		}
	}
	due, both := d.Hold(t, "due", time.Minute), d.Hold(t, "both", time.Minute)
	rejected(due, "", "sms")
	late, confirmed, cancelled := d.Hold(t, "late", 20*time.Second), d.Hold(t, "confirmed", time.Minute), d.Hold(t, "cancelled", time.Minute)
	rejected(confirmed, "confirmed")
	rejected(cancelled, "cancelled")
	expired := d.Hold(t, "expired", -time.Hour)
	rejected(expired, "expired")
	settled := d.Hold(t, "settled", time.Minute)
	rejected(settled, "", "email", "sms")
	extended := d.Hold(t, "extended", time.Minute)
	d.Exec(t, `update seat_holds set expires_at = expires_at + interval '1 hour' where hold_id = 'extended'`)
	early, over := d.Hold(t, "early", time.Hour), d.Hold(t, "over", -time.Minute)
	open := d.Hold(t, "open", -time.Hour)
	d.Exec(t, `insert into reminders (hold_id, window_expires_at, channel, token, lease_until, first_claimed_at) values ($1, $2, 'email', 't', $2, $2)`, open.Hold, open.ExpiresAt)
	for i, payload := range [][]byte{
		message(t, reference.Remind, due), message(t, reference.Remind, both), message(t, reference.Expire, over), message(t, reference.Remind, early),
		message(t, reference.Remind, open), message(t, reference.Remind, late), message(t, reference.Remind, confirmed), message(t, reference.Expire, confirmed),
		message(t, reference.Remind, cancelled), message(t, reference.Remind, expired), message(t, reference.Remind, extended), message(t, reference.Remind, settled),
		message(t, reference.Remind, reference.Window{Hold: "gone", ExpiresAt: due.ExpiresAt}), []byte("\x1b[2Jhunter"),
	} {
		dead(t, d, 101+i, payload, "received 10 times", time.Duration(i+1)*time.Hour)
	}
}

const everyFatePlan = `  2  still can be sent: reminders go out now (3)
  1  the time is over and the hold still held: it is expired now
  1  too early, or another worker has it: it waits in the queue
  1  an attempt was left open that can't be made any more: its outcome is written, and nothing is sent
  1  the cut-off has passed: nothing is sent, and expiring records it as missed
  2  the hold is confirmed: nothing is done
  1  the hold is cancelled: nothing is done
  1  the window has run out and the hold is expired: nothing is done
  1  the hold is in a later window: nothing is done
  1  every channel has its outcome: nothing is done
  1  there is no such hold: it is set aside again
  1  it can't be read: it is set aside again
`

func TestRedrive(t *testing.T) {
	d := programtest.Migrated(t)
	everyFate(t, d)
	dry := done(t, d, "dead", "redrive", "--all", "--dry-run")
	if diff := cmp.Diff("14 dead letters chosen\n"+everyFatePlan+"dry run: nothing was redriven\n", dry); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := d.Value(t, `select count(*) from queue_dead_letters`) + " " + d.Value(t, `select count(*) from queue_messages`); got != "14 0" {
		t.Errorf("dead and waiting: %s, want 14 0 after a dry run", got)
	}
	// The oldest two are those that can't be read, and of no hold.
	if got, want := done(t, d, "dead", "redrive", "--older-than=10h", "--most=2"), "2 dead letters chosen of 5 that match\n"+
		"  1  there is no such hold: it is set aside again\n  1  it can't be read: it is set aside again\n2 redriven\n"; got != want {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
	if got := asJSON[redriven](t, d, "dead", "redrive", "101", "102", "99999"); got.Redriven != 2 || got.Plan[0] != (redrive.Fate{Fate: "sends", Messages: 2, Sends: 3, Meaning: redrive.Meaning("sends")}) {
		t.Errorf("redriven: %+v", got)
	}
	began := time.Now()
	if got := asJSON[redriven](t, d, "dead", "redrive", "--reason=10 times", "--per-second=5"); got.Redriven != 10 {
		t.Errorf("redriven: %+v", got)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("10 at 5 a second took %s, want a second between", took)
	}
	if got := d.Value(t, `select count(*) from queue_messages where visible_at <= clock_timestamp() and receives = 0`); got != "14" {
		t.Errorf("%s messages are there to be delivered, want 14", got)
	}
	if got := done(t, d, "dead", "redrive", "--all"); got != "0 dead letters chosen\n0 redriven\n" {
		t.Errorf("it says %q", got)
	}
}

// TestPlanIsTrue redrives what can be sent, and lets a store decide.
func TestPlanIsTrue(t *testing.T) {
	d := programtest.Migrated(t)
	everyFate(t, d)
	done(t, d, "dead", "redrive", "--all", "--per-second=100")
	queue := postgres.NewQueue(d.DB, postgres.QueueConfig{Visibility: time.Minute, MaxReceives: 3})
	deliveries, err := queue.Receive(t.Context(), 20, 0)
	if err != nil || len(deliveries) != 14 {
		t.Fatalf("%d deliveries and error %v, want 14", len(deliveries), err)
	}
	p, granted := reference.DefaultPolicy(), 0
	for i, delivery := range deliveries {
		m, err := reference.DecodeMessage(delivery.Payload)
		if err != nil || m.Kind != reference.Remind {
			continue
		}
		for _, c := range reference.Channels {
			claim, err := d.Store.Claim(t.Context(), reference.ClaimRequest{
				Reminder: reference.Reminder{Window: m.Window, Channel: c}, Token: reference.Token(fmt.Sprint(i, c)),
				Lead: p.Lead, Cutoff: p.Cutoff, Lease: p.Lease, SendTimeout: p.SendTimeout, Order: p.Order,
			})
			if err != nil {
				t.Fatal(err)
			}
			if claim.Answer == reference.Granted {
				granted++
			}
		}
	}
	if granted != 3 {
		t.Errorf("%d were granted, and the plan said 3", granted)
	}
}

func TestDeadListAndShow(t *testing.T) {
	d := programtest.Migrated(t)
	everyFate(t, d)
	type list struct {
		DeadLetters []shownMessage `json:"dead_letters"`
		Total       int
	}
	for want, args := range map[string]string{
		"114 113 of 14": "--limit=2", "101 of 1": "--newer-than=90m", "114 of 1": "--older-than=13h30m", " of 0": "--reason=no-such",
	} {
		got, ids := asJSON[list](t, d, "dead", "list", args), []string{}
		for _, m := range got.DeadLetters {
			ids = append(ids, m.ID)
		}
		if text := strings.Join(ids, " ") + " of " + strconv.Itoa(got.Total); text != want {
			t.Errorf("dead list %s: %s, want %s", args, text, want)
		}
	}
	text := done(t, d, "dead", "list", "--limit=2")
	if !strings.HasPrefix(text, "MESSAGE  SET ASIDE             KIND           ABOUT") || !strings.HasSuffix(text, "14 in all\n") {
		t.Errorf("the list is\n%s", text)
	}
	text = done(t, d, "dead", "show", "114")
	if !strings.Contains(text, "payload    \ufffd[2Jhunter\n") || !strings.Contains(text, "redriven   it can't be read: it is set aside again\n") {
		t.Errorf("it shows\n%s", text)
	}
	text = done(t, d, "dead", "show", "101")
	if !strings.Contains(text, "redriven   still can be sent: reminders go out now\n") || !strings.Contains(text, "about      due@") {
		t.Errorf("it shows\n%s", text)
	}
}

func TestQueue(t *testing.T) {
	d := programtest.Migrated(t)
	w := d.Hold(t, "h1", time.Minute)
	queue := postgres.NewQueue(d.DB, postgres.QueueConfig{Visibility: time.Minute, MaxReceives: 3})
	_, err := queue.Publish(t.Context(), []reference.Entry{
		{Key: "a", Payload: message(t, reference.Remind, w)}, {Key: "b", Payload: []byte("no message")}, {Key: "c", Payload: message(t, reference.Expire, w), Delay: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := queue.Receive(t.Context(), 1, 0); err != nil {
		t.Fatal(err)
	}
	dead(t, d, 99, []byte("x"), "y", 0)
	got := asJSON[map[string]float64](t, d, "queue", "stats")
	if got["oldest_seconds"] < 0 || got["oldest_seconds"] > 60 {
		t.Errorf("the oldest is %gs old", got["oldest_seconds"])
	}
	delete(got, "oldest_seconds")
	if diff := cmp.Diff(map[string]float64{"ready": 1, "hidden": 1, "delayed": 1, "dead": 1}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if text := done(t, d, "queue", "stats"); !strings.HasPrefix(text, "ready    1\nhidden   1") {
		t.Errorf("it says\n%s", text)
	}
	columns := strings.Join(strings.Fields(done(t, d, "queue", "peek")), " ")
	for _, want := range []string{"2 not-a-message - ", " 0 now 1 remind h1@" + second(w.ExpiresAt), " 3 expire h1@" + second(w.ExpiresAt)} {
		if !strings.Contains(columns, want) {
			t.Errorf("there is no %q in %s", want, columns)
		}
	}
	if got := d.Value(t, `select sum(receives) from queue_messages`); got != "1" {
		t.Errorf("%s were delivered, want 1: a look takes none", got)
	}
	if code, _, _ := ctl(d, nil, "queue", "peek", "--limit=1"); code != settings.ExitDone {
		t.Errorf("exit code %d", code)
	}
}
