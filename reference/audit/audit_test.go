package audit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/postgres/pgtest"
	"github.com/seathold/seathold/reference/settings/programtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// now is about the database's clock; what a case needs of it is wider than a test takes.
var now = time.Now().UTC().Truncate(time.Second)

// hold makes a hold that ends so long after now.
func hold(state reference.State, left time.Duration) reference.Hold {
	return reference.Hold{
		ID: "h1", Learner: "l", Section: "s", ExpiresAt: now.Add(left), State: state, Channels: []reference.Channel{reference.Email},
	}
}

// row makes a row of h's window, claimed a minute before its end and settled a second later.
func row(h reference.Hold, o reference.Outcome, more ...func(*reference.Row)) reference.Row {
	r := reference.Row{
		Reminder: reference.Reminder{Window: h.Window(), Channel: reference.Email}, Token: "t1", MessageID: "7", Outcome: o,
		FirstClaimedAt: h.ExpiresAt.Add(-time.Minute), LeaseUntil: h.ExpiresAt.Add(-40 * time.Second),
	}
	if o.Final() {
		r.SettledAt = r.FirstClaimedAt.Add(time.Second)
	}
	if o.Verdict == reference.Sent {
		r.ProviderRef = "ref-1"
	}
	for _, change := range more {
		change(&r)
	}
	return r
}

// byExpiry makes the row that expiring writes where nobody claimed.
func byExpiry(at time.Time) func(*reference.Row) {
	return func(r *reference.Row) {
		r.Token, r.FirstClaimedAt, r.LeaseUntil, r.SettledAt = "", time.Time{}, time.Time{}, at
		r.Outcome = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Missed}
	}
}

var (
	sent     = reference.Outcome{Verdict: reference.Sent}
	rejected = reference.Outcome{Verdict: reference.Dropped, Reason: reference.Rejected}
	timeout  = reference.Outcome{Verdict: reference.Unknown, Reason: reference.Timeout}
	lapsed   = reference.Outcome{Verdict: reference.Unknown, Reason: reference.Lapsed}
	open     = reference.Outcome{}
)

type auditCase struct {
	name  string
	hold  reference.Hold
	rows  []reference.Row
	log   []audit.Acceptance // nil is none
	rules func(*audit.Rules)
	// want is the class found, with its promise, and a part of its sentence; empty where all is well.
	want, says string
}

func cases() []auditCase {
	over, early := hold(reference.Expired, -time.Hour), hold(reference.Expired, time.Hour)
	held, confirmed := hold(reference.Held, 2*time.Minute), hold(reference.Confirmed, -time.Hour)
	accepted := func(r reference.Row, at time.Time, ref string) audit.Acceptance {
		return audit.Acceptance{Key: r.Key(), At: at, Ref: ref}
	}
	whole := row(over, sent)
	good := accepted(whole, whole.SettledAt, "ref-1")
	one := func(r reference.Row) []reference.Row { return []reference.Row{r} }
	claimedAt := func(at time.Time) func(*reference.Row) { return func(r *reference.Row) { r.FirstClaimedAt = at } }
	return []auditCase{
		{name: "whole", hold: over, rows: one(whole), log: []audit.Acceptance{good}},
		{name: "whole-without-a-log", hold: over, rows: one(whole)},
		{name: "held", hold: held},
		{name: "confirmed-without-rows", hold: confirmed},
		{name: "in-flight", hold: held, rows: one(row(held, open, func(r *reference.Row) { r.FirstClaimedAt, r.LeaseUntil = now, now.Add(20*time.Second) }))},
		{name: "unknown-and-accepted", hold: over, rows: one(row(over, timeout)), log: []audit.Acceptance{good}},
		{name: "written-by-a-late-receipt", hold: over, rows: one(row(over, sent, func(r *reference.Row) {
			r.FirstClaimedAt, r.SettledAt, r.LeaseUntil = over.ExpiresAt.Add(time.Second), over.ExpiresAt.Add(time.Second), time.Time{}
		}))},
		{name: "sent-after-the-log-ends", hold: over, rows: one(whole), log: []audit.Acceptance{}, rules: func(r *audit.Rules) { r.Until = whole.SettledAt }},
		{name: "before-since", hold: over, rules: func(r *audit.Rules) { r.Since = now }},
		{name: "doubled-by-policy", hold: over, rows: one(row(over, sent, func(r *reference.Row) { r.Doubt = reference.Timeout })),
			log: []audit.Acceptance{good, good}, rules: func(r *audit.Rules) { r.Policy.Order = reference.SendFirst }},
		{name: "overdue-after-trouble", hold: hold(reference.Held, -time.Hour), rules: func(r *audit.Rules) { r.Healed = now }},

		{name: "double", hold: over, rows: one(whole), log: []audit.Acceptance{good, good}, want: "P1 accepted-twice", says: "was accepted 2 times"},
		{name: "double-in-doubt", hold: over, rows: one(row(over, lapsed, func(r *reference.Row) { r.Doubt = reference.Lapsed })),
			log: []audit.Acceptance{good, good}, want: "P1 accepted-twice", says: "was accepted 2 times"},
		{name: "unaccounted", hold: over, want: "P2 no-outcome", says: "has no row, and its hold expired in this window"},
		{name: "open-past-its-lease", hold: over, rows: one(row(over, open)), want: "P2 left-open", says: "is lapsed at"},
		{name: "open-and-confirmed", hold: confirmed, rows: one(row(confirmed, open)), want: "P2 left-open", says: "is lapsed at"},
		{name: "free-for-too-long", hold: confirmed, rows: one(row(confirmed, open, func(r *reference.Row) { r.Token, r.LeaseUntil = "", time.Time{} })),
			want: "P2 left-open", says: "is free at"},
		{name: "sent-and-not-accepted", hold: over, rows: one(whole), log: []audit.Acceptance{}, want: "P2 untrue-outcome", says: "the provider's log doesn't have it"},
		{name: "dropped-and-accepted", hold: over, rows: one(row(over, rejected)), log: []audit.Acceptance{good}, want: "P2 untrue-outcome", says: "recorded as dropped(rejected)"},
		{name: "other-reference", hold: over, rows: one(whole), log: []audit.Acceptance{accepted(whole, whole.SettledAt, "ref-2")}, want: "P2 other-reference", says: `the provider's log has "ref-2"`},
		{name: "accepted-without-a-row", hold: held, log: []audit.Acceptance{accepted(row(held, sent), now, "")}, want: "P2 accepted-not-on-record", says: "there is no row of it"},
		{name: "accepted-of-no-hold", hold: held, log: []audit.Acceptance{{Key: "beef", At: now}}, want: "P2 accepted-not-on-record", says: `key "beef"`},
		{name: "claimed-early", hold: over, rows: one(row(over, sent, claimedAt(over.ExpiresAt.Add(-3*time.Minute-time.Second)))), want: "P3 claimed-early", says: "nobody is reminded before"},
		{name: "claimed-late", hold: over, rows: one(row(over, sent, claimedAt(over.ExpiresAt.Add(-30*time.Second)))), want: "P3 claimed-late", says: "its cut-off was at"},
		{name: "recorded-early", hold: over, rows: one(row(over, sent, func(r *reference.Row) { r.SettledAt = over.ExpiresAt.Add(-time.Hour) })), want: "P3 sent-early", says: "was recorded as sent"},
		{name: "accepted-early", hold: over, rows: one(whole), log: []audit.Acceptance{accepted(whole, over.ExpiresAt.Add(-4*time.Minute), "")}, want: "P3 sent-early", says: "was accepted at"},
		{name: "accepted-late", hold: over, rows: one(whole), log: []audit.Acceptance{accepted(whole, over.ExpiresAt.Add(-18*time.Second), "")}, want: "P3 sent-late", says: "could take until"},
		{name: "other-channel", hold: over, rows: []reference.Row{whole, row(over, sent, func(r *reference.Row) { r.Channel = reference.SMS })}, want: "P3 foreign-channel", says: "the hold's channels are [email]"},
		{name: "expired-before-its-end", hold: early, rows: one(row(early, sent, func(r *reference.Row) {})), want: "P4 expired-early", says: "before its time is over"},
		{name: "written-before-its-end", hold: over, rows: one(row(over, open, byExpiry(over.ExpiresAt.Add(-time.Second)))), want: "P4 expired-early", says: "1s before its time was over"},
		{name: "expired-and-confirmed", hold: confirmed, rows: one(row(confirmed, open, byExpiry(confirmed.ExpiresAt.Add(time.Second)))), want: "P4 left-held-twice", says: "the hold is confirmed now"},
		{name: "expired-and-extended", hold: held, rows: one(row(over, open, byExpiry(over.ExpiresAt.Add(time.Second)))), want: "P4 left-held-twice", says: "in a later window now"},
		{name: "window-went-back", hold: over, rows: []reference.Row{whole, row(hold(reference.Expired, -time.Minute), sent)}, want: "P4 window-backwards", says: "which is earlier"},
		{name: "still-held", hold: hold(reference.Held, -12*time.Minute), want: "P5 still-held", says: "was to be freed by"},
		{name: "still-held-and-nothing-down", hold: hold(reference.Held, -2*time.Minute), rules: func(r *audit.Rules) { r.NothingDown = true }, want: "P5 still-held", says: "was to be freed by"},
		{name: "expired-late", hold: over, rows: one(row(over, open, byExpiry(over.ExpiresAt.Add(12*time.Minute)))), want: "P5 expired-late", says: "was to be freed by"},
	}
}

func TestTables(t *testing.T) {
	d := programtest.Migrated(t)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			if err := d.Store.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := d.Store.Load(t.Context(), []reference.Hold{c.hold}, c.rows); err != nil {
				t.Fatal(err)
			}
			rules := audit.Rules{Policy: reference.DefaultPolicy(), Skew: time.Second}
			if c.rules != nil {
				c.rules(&rules)
			}
			var log *audit.Log
			if c.log != nil {
				log = audit.NewLog(c.log)
			}
			r, err := audit.Tables(t.Context(), d.DB, rules, log)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range r.Findings {
				found = append(found, f.Promise+" "+f.Class)
			}
			if got := strings.Join(found, ", "); got != c.want {
				t.Fatalf("found %q, want %q: %+v", got, c.want, r.Findings)
			}
			if c.want != "" && !strings.Contains(r.Findings[0].Sentence, c.says) {
				t.Errorf("the sentence is %q, want one that says %q", r.Findings[0].Sentence, c.says)
			}
			if r.Clean() != (c.want == "") {
				t.Errorf("clean is %t with %q", r.Clean(), c.want)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	d := programtest.Migrated(t)
	var holds []reference.Hold
	var rows []reference.Row
	var log []audit.Acceptance
	for i, o := range []reference.Outcome{sent, sent, rejected, timeout, lapsed} {
		h := hold(reference.Expired, -time.Hour)
		h.ID = reference.HoldID(fmt.Sprint("h", i))
		r := row(h, o)
		holds, rows = append(holds, h), append(rows, r)
		if i < 2 || o == timeout {
			log = append(log, audit.Acceptance{Key: r.Key(), At: r.SettledAt, Ref: r.ProviderRef})
		}
	}
	late := hold(reference.Held, -time.Minute)
	late.ID = "late"
	if err := d.Store.Load(t.Context(), append(holds, late), rows); err != nil {
		t.Fatal(err)
	}
	got, err := audit.Tables(t.Context(), d.DB, audit.Rules{Policy: reference.DefaultPolicy()}, audit.NewLog(log))
	if err != nil {
		t.Fatal(err)
	}
	got.At = time.Time{}
	want := &audit.Report{
		Bound: 11*time.Minute + 30*time.Second, Overdue: 1,
		Holds: map[reference.State]int{reference.Held: 1, reference.Confirmed: 0, reference.Cancelled: 0, reference.Expired: 5},
		Reminders: []audit.Count{
			{Channel: reference.Email, Outcome: "dropped(rejected)", Count: 1}, {Channel: reference.Email, Outcome: "sent", Count: 2},
			{Channel: reference.Email, Outcome: "unknown(lapsed)", Count: 1}, {Channel: reference.Email, Outcome: "unknown(timeout)", Count: 1},
		},
		Log: &audit.LogReport{Accepted: 3, UnknownAccepted: 1, UnknownNotAccepted: 1}, Findings: []audit.Finding{}, Broken: []audit.Broken{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadLog(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 8, 1, 500_000_000, time.UTC)
	want := []audit.Acceptance{{Key: "a1", At: at, Ref: "r1"}, {Key: "b2", At: at.Truncate(time.Second)}}
	for name, text := range map[string]string{
		"json":           `{"reminder_key":"a1","accepted_at":"2026-03-02T12:08:01.5Z","ref":"r1","channel":"sms"}` + "\n\n" + `{"Idempotency-Key":"b2","time":1772453281}` + "\n",
		"csv":            "ref,Reminder-Key,accepted_at\nr1,a1,2026-03-02T13:08:01.5+01:00\n,b2,1772453281\n",
		"byte-order":     "\ufeffkey,at,id\r\na1,1772453281.5,r1\r\nb2,1772453281,\r\n",
		"no-newline":     `{"key":"a1","at":1772453281.5,"id":"r1"}` + "\n" + `{"key":"b2","at":1772453281}`,
		"spaces-at-head": "\n  " + `{"key":"a1","at":1772453281.5,"id":"r1"}` + "\n" + `{"key":"b2","at":1772453281}`,
	} {
		got, err := audit.ReadLog(strings.NewReader(text), audit.DefaultFields())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got)\n%s", name, err, diff)
		}
	}
	if got, err := audit.ReadLog(strings.NewReader(" \n"), audit.DefaultFields()); len(got) != 0 || err != nil {
		t.Errorf("of nothing %v with error %v, want nothing", got, err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"no-key":     {`{"at":1}`, "line 1: no reminder key, by the name of reminder_key or idempotency_key or key"},
		"no-time":    {`{"key":"a","at":1}` + "\n" + `{"key":"a"}`, "line 2: no time, by the name of accepted_at or accepted or at or time or timestamp"},
		"bad-time":   {`{"key":"a","at":"noon"}`, `line 1: time "noon" is neither RFC 3339 nor Unix seconds`},
		"not-json":   {"{\"key\":\"a\",\"at\":1}\nkey", "line 2 is no JSON object: invalid character 'k' looking for beginning of value"},
		"no-column":  {"hold,at\nh1,1\n", "line 1: no column is called reminder_key or idempotency_key or key, and the columns are hold, at"},
		"short-line": {"key,at\na,1\nb\n", "record on line 3: wrong number of fields"},
		"empty-key":  {"key,at\n,1\n", "line 2: no reminder key, by the name of reminder_key or idempotency_key or key"},
	} {
		if _, err := audit.ReadLog(strings.NewReader(c.text), audit.DefaultFields()); err == nil || err.Error() != c.want {
			t.Errorf("%s: the error is %v, want %s", name, err, c.want)
		}
	}
}
