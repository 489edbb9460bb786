package deploy_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/seathold/seathold/reference/settings/programtest"
)

// TestHostStatements runs the statements that the runbook gives to a host application, in its order.
func TestHostStatements(t *testing.T) {
	found := statement.FindAllStringSubmatch(read(t, "RUNBOOK.md"), -1)
	if len(found) != 5 {
		t.Fatalf("%d statements, want 5: bulk, create, confirm, cancel, extend", len(found))
	}
	bulk, create, confirm, cancel, extend := found[0][1], found[1][1], found[2][1], found[3][1], found[4][1]
	d := programtest.Migrated(t)
	do := func(want bool, statement string, args ...any) {
		t.Helper()
		var answer any
		switch err := d.DB.QueryRowContext(t.Context(), statement, args...).Scan(&answer); {
		case errors.Is(err, sql.ErrNoRows) == want:
			t.Errorf("%v: done is %t, want %t", args, !want, want)
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			t.Errorf("%v: %v", args, err)
		}
	}
	begin := func(id, interval string) {
		t.Helper()
		do(true, create, id, "learner-1", "piano-3", interval, "Europe/Berlin")
	}
	ends := func(id string) time.Time {
		t.Helper()
		var at time.Time
		if err := d.DB.QueryRowContext(t.Context(), `select expires_at from seat_holds where hold_id = $1`, id).Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	begin("confirmed", "15 minutes")
	do(false, create, "confirmed", "learner-2", "piano-3", "1 minute", "")
	do(true, confirm, "confirmed")
	do(false, confirm, "confirmed")
	do(false, cancel, "confirmed")
	do(false, confirm, "nobody's")

	begin("cancelled", "15 minutes")
	do(true, cancel, "cancelled")
	do(false, confirm, "cancelled")

	begin("run-out", "-1 minute")
	do(false, confirm, "run-out")
	do(false, extend, "run-out", ends("run-out"), time.Now().Add(time.Hour).Truncate(time.Second))
	do(true, cancel, "run-out")

	begin("extended", "15 minutes")
	from := ends("extended")
	to := from.Add(10 * time.Minute)
	do(false, extend, "extended", from, from)
	do(true, extend, "extended", from, to)
	do(false, extend, "extended", from, to)
	do(true, bulk, "piano-3", to.Add(time.Minute))
	do(false, bulk, "piano-3", to.Add(time.Minute))
	if got := ends("extended"); !got.Equal(to.Add(time.Minute)) {
		t.Errorf("extended to %s, want %s", got, to.Add(time.Minute))
	}
	if got := d.Value(t, `select string_agg(state, ' ' order by hold_id) from seat_holds`); got != "cancelled confirmed held cancelled" {
		t.Errorf("the holds are %s", got)
	}
}
