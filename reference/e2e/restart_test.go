//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/e2e/stub"
	"github.com/seathold/seathold/reference/e2e/throwaway"
	"github.com/seathold/seathold/reference/postgres"
	"github.com/seathold/seathold/reference/postgres/pgserver"
	"github.com/seathold/seathold/reference/settings/programtest"
)

// TestDatabaseRestarts crashes the server while reminders are sent, and cuts it off for a while. The
// server is the test's own; where one was named that others use, it is only cut off.
func TestDatabaseRestarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.Database, w.policy.Lead = own(t), 10*time.Second })
	// Each send takes a while, so that there is no moment without one.
	w.stub.Follow(stub.Rule{Then: stub.Duration(100 * time.Millisecond)})
	w.sweeping(w.proxy.URL())
	w.working(w.proxy.URL(), "SEATHOLD_SLOTS=4")
	var windows []reference.Window
	for i := range 60 {
		windows = append(windows, w.Hold(t, fmt.Sprint("h", i), time.Duration(8+i%4)*time.Second))
	}
	some := func(n int) {
		programtest.Eventually(t, func() error {
			if got := len(w.stub.Accepted()); got < n {
				return fmt.Errorf("accepted %d, want %d or more", got, n)
			}
			return nil
		})
	}
	some(10)
	if !strings.Contains(os.Getenv("SEATHOLD_POSTGRES"), "://") {
		if err := throwaway.Crash(t.Context(), w.DB); err != nil {
			t.Fatal(err)
		}
	}
	some(20)
	w.proxy.Cut()
	if err := throwaway.EndSessions(t.Context(), w.DB); err != nil {
		t.Fatal(err)
	}
	over := time.NewTimer(time.Second) // of outage
	<-over.C
	if err := w.proxy.Restore(); err != nil {
		t.Fatal(err)
	}
	w.healed = time.Now()
	w.ends(windows...)
	for _, of := range windows {
		w.want(of, bothOn, "email=unknown(lapsed) sms=sent", "email=sent sms=unknown(lapsed)", "email=unknown(lapsed) sms=dropped(missed)",
			"email=sent sms=dropped(missed)", "email=dropped(missed) sms=dropped(missed)", "email=unknown(lapsed) sms=unknown(lapsed)")
	}
	w.judge()
}

// own gives a database in a server of the test's own.
func own(t *testing.T) *programtest.Database {
	t.Helper()
	server, err := pgserver.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	made, err := server.CreateDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := made.Drop(ctx); err != nil {
			t.Error(err)
		}
	})
	db, err := postgres.Open(made.URL(), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := errors.Join(throwaway.KeepCommits(t.Context(), db, made.Name()), postgres.Migrate(t.Context(), db)); err != nil {
		t.Fatal(err)
	}
	return &programtest.Database{DSN: made.URL(), DB: db, Store: postgres.NewStore(db)}
}
