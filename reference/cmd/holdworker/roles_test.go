package main

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/settings/programtest"
)

// roles grants the rights of reference/deploy/roles.sql to users of this test's own, for roles belong
// to the server, and gives the DSN of each.
func roles(t *testing.T, d *programtest.Database) (sweep, worker, host string) {
	t.Helper()
	file, err := os.ReadFile("../../deploy/roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	run := "seathold_" + strings.ToLower(rand.Text()[:8])
	text := strings.ReplaceAll(string(file), "seathold_sweep", run+"_sweep")
	text = strings.ReplaceAll(text, "seathold_worker", run+"_worker")
	text = strings.ReplaceAll(text, "seathold_host", run+"_host")
	// Twice, as after an upgrade.
	d.Exec(t, text)
	d.Exec(t, text)
	dsn := func(role string) string {
		group, user := run+"_"+role, run+"_"+role+"_1"
		d.Exec(t, `create role `+user+` login password 'hunter22' in role `+group)
		t.Cleanup(func() {
			for _, statement := range []string{`drop owned by ` + group, `drop role ` + user, `drop role ` + group} {
				// The test's context has ended by now.
				if _, err := d.DB.Exec(statement); err != nil {
					t.Error(err)
				}
			}
		})
		u, err := url.Parse(d.DSN)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, "hunter22")
		return u.String()
	}
	return dsn("sweep"), dsn("worker"), dsn("host")
}

// TestLeastRights runs the whole path, the backstop and a poisoned message among it, with programs
// that have the rights of roles.sql and no more.
func TestLeastRights(t *testing.T) {
	d, provider := programtest.Migrated(t), newProvider(t, nil)
	asSweep, asWorker, asHost := roles(t, d)
	d.Exec(t, `insert into queue_messages (payload, published_at, visible_at, publish_token) values ('no message', now(), now(), 'x')`)
	sweeping := programtest.Start(t, "holdsweep", append(slices.Clone(quick), "SEATHOLD_DATABASE_URL="+asSweep, "SEATHOLD_METRICS_LISTEN=127.0.0.1:0"), "every", "500ms")
	sweeping.Await(1, programtest.Line{"msg": "sweep.end"})
	p := working(t, environment(d, provider, append(slices.Clone(quick), "SEATHOLD_DATABASE_URL="+asWorker)...))
	host := as(t, asHost)
	holds := reference.Holds{Store: postgres.NewStore(host)}
	windows := map[string]reference.Window{}
	for id, left := range map[string]time.Duration{"sent": 5 * time.Second, "overdue": -time.Hour, "confirmed": time.Minute, "extended": time.Minute} {
		h := reference.Hold{ID: reference.HoldID(id), Learner: "l", Section: "s", ExpiresAt: time.Now().Add(left).Truncate(time.Second)}
		windows[id] = reference.Window{Hold: h.ID, ExpiresAt: h.ExpiresAt.UTC()}
		if err := holds.Create(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(holds.Confirm(t.Context(), "confirmed"),
		holds.Extend(t.Context(), windows["extended"], windows["extended"].ExpiresAt.Add(time.Hour)),
		holds.Cancel(t.Context(), "extended")); err != nil {
		t.Fatal(err)
	}
	outcomes(t, d, windows["sent"], "email=sent sms=sent")
	outcomes(t, d, windows["overdue"], "email=dropped(missed) sms=dropped(missed)")
	programtest.Eventually(t, func() error {
		got := d.Value(t, `select string_agg(hold_id || ' ' || state, ', ' order by hold_id) from seat_holds`) + "; " +
			d.Value(t, `select (select count(*) from queue_messages) || ' left, ' || (select count(*) from queue_dead_letters) || ' dead'`)
		if got != "confirmed confirmed, extended cancelled, overdue expired, sent expired; 0 left, 1 dead" {
			return errors.New(got)
		}
		return nil
	})
	for _, program := range []*programtest.Process{p, sweeping} {
		if log := program.Stderr(); strings.Contains(log, "permission denied") || strings.Contains(log, "hunter22") {
			t.Errorf("something was denied, or a password is shown:\n%s", log)
		}
	}
}

// TestRightsEnd shows that the rights are the least in what would hurt most.
func TestRightsEnd(t *testing.T) {
	d := programtest.Migrated(t)
	asSweep, asWorker, asHost := roles(t, d)
	for dsn, statements := range map[string][]string{
		asSweep:  {`delete from queue_messages`, `update reminders set token = 'x'`, `delete from reminders`, `update seat_holds set expires_at = expires_at`, `drop table reminders`},
		asWorker: {`insert into queue_messages (payload, published_at, visible_at, publish_token) values ('', now(), now(), 'x')`, `delete from queue_dead_letters`, `delete from reminders`, `insert into sweep_runs select`, `update seat_holds set learner_id = 'x'`, `create table x ()`},
		asHost:   {`select from queue_messages`, `update reminders set token = 'x'`, `delete from seat_holds`, `update seat_holds set channels = '{sms}'`},
	} {
		db := as(t, dsn)
		for _, statement := range statements {
			var denied *pq.Error
			if _, err := db.ExecContext(t.Context(), statement); !errors.As(err, &denied) || denied.Code != "42501" {
				t.Errorf("%s: %s: the error is %v, want permission denied", maskUser(dsn), statement, err)
			}
		}
	}
}

func as(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := postgres.Open(dsn, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func maskUser(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return ""
	}
	return u.User.Username()
}
