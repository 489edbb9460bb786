package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/pgtest"
)

// The world of these tests: h1's window ends at ends, its nudge is due, and the clock stands.
var (
	ends   = start.Add(10 * time.Minute)
	nudge  = ends.Add(-time.Minute)
	policy = reference.DefaultPolicy()
	email  = reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: ends}, Channel: reference.Email}
)

func heldHold(id reference.HoldID) reference.Hold {
	return reference.Hold{
		ID: id, Learner: "l1", Section: "s1", ExpiresAt: ends, Zone: "Europe/Berlin",
		State: reference.Held, Channels: reference.Channels,
	}
}

// claimedRow is email's row, claimed by token a a while ago, the lease lasting until so long after nudge.
func claimedRow(left time.Duration) reference.Row {
	return reference.Row{
		Reminder: email, Token: "a", LeaseUntil: nudge.Add(left), FirstClaimedAt: nudge.Add(-time.Minute), MessageID: "1",
	}
}

func claimOf(r reference.Reminder, token reference.Token) reference.ClaimRequest {
	return reference.ClaimRequest{
		Reminder: r, Token: token, MessageID: "1", Lead: policy.Lead, Cutoff: policy.Cutoff, Lease: policy.Lease,
		SendTimeout: policy.SendTimeout, Order: policy.Order, KeyHorizon: time.Hour,
	}
}

func settlementOf(v reference.Verdict, why reference.Reason, token reference.Token) reference.Settlement {
	return reference.Settlement{
		Reminder: email, Token: token, Outcome: reference.Outcome{Verdict: v, Reason: why}, MessageID: "1", ProviderRef: "p1",
	}
}

// world is everything that a write may be asked of.
type world struct {
	store *Store
	queue *Queue
	clock *hand
	// handed is what prepare received before.
	handed reference.Delivery
}

func newWorld(db *sql.DB, clock *hand) *world {
	return &world{
		store: NewStore(db, WithNow(clock.now)),
		queue: NewQueue(db, QueueConfig{Visibility: time.Minute, MaxReceives: 3}, WithNow(clock.now)),
		clock: clock,
	}
}

// write is a call that changes something, whose answer may get lost.
type write struct {
	name string
	// statement is whose reply is lost; in a transaction that is COMMIT.
	statement string
	rows      []reference.Row
	at        time.Time // nudge if zero
	prepare   func(w *world) error
	call      func(w *world) (string, error)
	// rerun is the answer when database/sql ran the statement twice, if it is not that of an
	// undisturbed call; asked is the answer when the caller got an error and asked again.
	rerun, asked string
	// twice is the statement that is executed the second time, if it is another one.
	twice string
	// differs says that the second asking changes more, as it may.
	differs bool
}

const commit = "COMMIT"

func textOf(v any, err error) (string, error) { return fmt.Sprint(v), err }

func publishOne(key string) func(w *world) error {
	return func(w *world) error {
		_, err := w.queue.Publish(context.Background(), []reference.Entry{{Key: key, Payload: []byte(key)}})
		return err
	}
}

// receiveOne publishes three and receives the first.
func receiveOne(w *world) error {
	for _, key := range []string{"k1", "k2", "k3"} {
		if err := publishOne(key)(w); err != nil {
			return err
		}
	}
	got, err := w.queue.Receive(context.Background(), 1, 0)
	if err == nil {
		w.handed = got[0]
	}
	return err
}

func oneDeadLetter(w *world) error {
	return errors.Join(receiveOne(w), w.queue.DeadLetter(context.Background(), w.handed, "why"))
}

func storeWrites() []write {
	ctx := context.Background()
	claim := func(w *world) (string, error) { return textOf(w.store.Claim(ctx, claimOf(email, "b"))) }
	settle := func(s reference.Settlement) func(w *world) (string, error) {
		return func(w *world) (string, error) { return textOf(w.store.Settle(ctx, s)) }
	}
	nothing := func(err error) (string, error) { return "", err }
	return []write{
		{name: "claim", statement: claimFresh, call: claim},
		{name: "claim-of-a-lapsed-row", statement: commit, rows: []reference.Row{claimedRow(-time.Second)}, call: claim},
		{name: "settle-sent", statement: settleSent, rows: []reference.Row{claimedRow(time.Second)},
			call: settle(settlementOf(reference.Sent, "", "a")), rerun: "already-final", asked: "already-final"},
		{name: "settle-sent-without-a-row", statement: commit,
			call: settle(settlementOf(reference.Sent, "", "a")), asked: "already-final"},
		{name: "settle-dropped", statement: settleOther, rows: []reference.Row{claimedRow(time.Second)},
			call: settle(settlementOf(reference.Dropped, reference.Rejected, "a")), rerun: "already-final", asked: "already-final"},
		{name: "settle-unknown", statement: settleOther, rows: []reference.Row{claimedRow(time.Second)},
			call: settle(settlementOf(reference.Unknown, reference.Timeout, "a")), rerun: "already-final", asked: "already-final"},
		{name: "release", statement: release, rows: []reference.Row{claimedRow(time.Second)}, call: func(w *world) (string, error) {
			return nothing(w.store.Release(ctx, reference.Release{Reminder: email, Token: "a", After: time.Second, Doubt: reference.Timeout}))
		}},
		{name: "expire", statement: expire, at: ends, rerun: "done", asked: "done", call: func(w *world) (string, error) {
			answer, _, err := w.store.Expire(ctx, email.Window, "1")
			return string(answer), err
		}},
		{name: "expire-overdue", statement: commit, at: ends.Add(time.Hour), asked: "[]", call: func(w *world) (string, error) {
			return textOf(w.store.ExpireOverdue(ctx, time.Minute, 10))
		}},
		{name: "record-sweep", statement: recordSweep, call: func(w *world) (string, error) {
			return nothing(w.store.RecordSweep(ctx, reference.Report{ID: "r1", Pages: 2, Drained: true}))
		}},
		{name: "create", statement: createHold, call: func(w *world) (string, error) { return nothing(w.store.Create(ctx, heldHold("h2"))) }},
		{name: "confirm", statement: confirmHold, call: func(w *world) (string, error) { return nothing(w.store.Confirm(ctx, "h1")) }},
		{name: "cancel", statement: cancelHold, call: func(w *world) (string, error) { return nothing(w.store.Cancel(ctx, "h1")) }},
		{name: "extend", statement: extendHold, call: func(w *world) (string, error) {
			return nothing(w.store.Extend(ctx, email.Window, ends.Add(time.Minute)))
		}},
	}
}

func queueWrites() []write {
	ctx := context.Background()
	keyed := []reference.Entry{{Key: "k2", Payload: []byte("2")}, {Key: "k1", Payload: []byte("1")}, {Key: "k2", Payload: []byte("3")}}
	mixed := []reference.Entry{{Payload: []byte("a")}, {Key: "k2", Payload: []byte("2")}, {Payload: []byte("b"), Delay: time.Second}}
	end := func(what func(w *world) error) func(w *world) (string, error) {
		return func(w *world) (string, error) {
			err := what(w)
			if errors.Is(err, reference.ErrNotOurs) {
				return reference.ErrNotOurs.Error(), nil
			}
			return "", err
		}
	}
	notOurs := reference.ErrNotOurs.Error()
	return []write{
		{name: "publish", statement: publish, twice: publishAgain, prepare: publishOne("k1"),
			asked: "[{2 true <nil>} {1 true <nil>} {2 true <nil>}]",
			call:  func(w *world) (string, error) { return textOf(w.queue.Publish(ctx, keyed)) }},
		{name: "publish-without-keys", statement: publish, twice: publishAgain, differs: true,
			asked: "[{4 false <nil>} {2 true <nil>} {5 false <nil>}]",
			call:  func(w *world) (string, error) { return textOf(w.queue.Publish(ctx, mixed)) }},
		{name: "receive", statement: receive, twice: receiveAgain, prepare: receiveOne, asked: "[]",
			call: func(w *world) (string, error) {
				got, err := w.queue.Receive(ctx, 2, 0)
				for i := range got {
					got[i].Receipt = "" // fresh each time
				}
				return textOf(got, err)
			}},
		{name: "ack", statement: ack, twice: ackAgain, prepare: receiveOne, asked: notOurs,
			call: end(func(w *world) error { return w.queue.Ack(ctx, w.handed) })},
		{name: "nack", statement: nack, prepare: receiveOne,
			call: end(func(w *world) error { return w.queue.Nack(ctx, w.handed, time.Second) })},
		{name: "dead-letter", statement: deadLetter, twice: deadLetterAgain, prepare: receiveOne, asked: notOurs,
			call: end(func(w *world) error { return w.queue.DeadLetter(ctx, w.handed, "why") })},
		{name: "redrive", statement: redrive, twice: redriveAgain, prepare: oneDeadLetter, asked: "0",
			call: func(w *world) (string, error) { return textOf(w.queue.Redrive(ctx, []string{w.handed.MessageID})) }},
		{name: "purge", statement: commit, prepare: receiveOne, asked: "0",
			call: func(w *world) (string, error) { return textOf(w.queue.Purge(ctx)) }},
	}
}

// contents are all tables but for tokens that are random.
func contents(t *testing.T, db *sql.DB) []string {
	t.Helper()
	var lines []string
	for _, statement := range []string{
		`select h::text from seat_holds h order by hold_id`,
		`select r::text from reminders r order by hold_id, window_expires_at, channel`,
		`select concat_ws(' ', message_id, message_key, payload, published_at, visible_at, receives, receipt is not null)
			from queue_messages order by message_id`,
		`select concat_ws(' ', message_id, payload, published_at, reason, receives, dead_at) from queue_dead_letters order by message_id`,
		`select concat_ws(' ', sweep_id, recorded_at, pages, drained) from sweep_runs order by number`,
	} {
		rows, err := db.Query(statement)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// lostReplies is one database, reached directly and through the proxy.
type lostReplies struct {
	proxy       *proxy
	direct, far *sql.DB
}

func openLostReplies(t *testing.T) lostReplies {
	dsn := pgtest.Database(t)
	direct := opened(t, dsn)
	p, through := proxied(t, dsn)
	return lostReplies{proxy: p, direct: direct, far: opened(t, through)}
}

// begin empties the tables, prepares what w needs, and gives the world behind the proxy.
func (l lostReplies) begin(t *testing.T, w write) *world {
	t.Helper()
	empty(t, l.direct)
	clock := &hand{nudge}
	near, far := newWorld(l.direct, clock), newWorld(l.far, clock)
	if err := near.store.Load(context.Background(), []reference.Hold{heldHold("h1")}, w.rows); err != nil {
		t.Fatal(err)
	}
	if w.prepare != nil {
		if err := w.prepare(near); err != nil {
			t.Fatal(err)
		}
		far.handed = near.handed
	}
	if !w.at.IsZero() {
		clock.Time = w.at
	}
	return far
}

func TestLostReplies(t *testing.T) {
	l := openLostReplies(t)
	for _, w := range append(storeWrites(), queueWrites()...) {
		t.Run(w.name, func(t *testing.T) {
			want, err := w.call(l.begin(t, w))
			if err != nil {
				t.Fatalf("undisturbed: %v", err)
			}
			after := contents(t, l.direct)
			if w.statement != commit {
				t.Run("runs-twice", func(t *testing.T) { l.runsTwice(t, w, want, after) })
			}
			t.Run("reset", func(t *testing.T) { l.reachesTheCaller(t, w, want, after, cut{reset: true}) })
			t.Run("half-a-reply", func(t *testing.T) { l.reachesTheCaller(t, w, want, after, cut{passed: 2}) })
			if w.statement == commit {
				t.Run("no-reply", func(t *testing.T) { l.reachesTheCaller(t, w, want, after, cut{}) })
			}
		})
	}
}

// runsTwice ends the connection in good order between commit and reply: lib/pq then has the
// statement run again, and nobody hears of it.
func (l lostReplies) runsTwice(t *testing.T, w write, want string, after []string) {
	far := l.begin(t, w)
	l.proxy.arm(cut{statement: w.statement})
	got, err := w.call(far)
	c := l.proxy.disarm()
	executions := 2
	if w.twice != "" {
		executions = 1 // and then the other statement
	}
	if !c.fired || c.executed != executions {
		t.Fatalf("the reply was taken away: %t, after %d executions, want %d", c.fired, c.executed, executions)
	}
	if w.rerun != "" {
		want = w.rerun
	}
	if err != nil || got != want {
		t.Errorf("answer %q, %v, want %q", got, err, want)
	}
	if d := cmp.Diff(after, contents(t, l.direct)); d != "" {
		t.Errorf("tables (-undisturbed +run twice)\n%s", d)
	}
}

// reachesTheCaller takes the reply away so that the caller gets an error, and asks again.
func (l lostReplies) reachesTheCaller(t *testing.T, w write, want string, after []string, c cut) {
	far := l.begin(t, w)
	c.statement = w.statement
	l.proxy.arm(c)
	_, err := w.call(far)
	c = l.proxy.disarm()
	if err == nil || !c.fired || c.executed != 1 {
		t.Fatalf("the reply was taken away: %t, after %d executions, and the error is %v", c.fired, c.executed, err)
	}
	if d := cmp.Diff(after, contents(t, l.direct)); d != "" {
		t.Errorf("tables after the error (-undisturbed +lost)\n%s", d)
	}
	got, err := w.call(far)
	if w.asked != "" {
		want = w.asked
	}
	if err != nil || got != want {
		t.Errorf("asked again: %q, %v, want %q", got, err, want)
	}
	if d := cmp.Diff(after, contents(t, l.direct)); d != "" && !w.differs {
		t.Errorf("tables asked again (-undisturbed +asked again)\n%s", d)
	}
}
