// Command demo runs the whole pipeline on this machine, with the programs as they are, a Postgres to
// throw away and a provider that sends nothing, and tells what happens: one hold is created, nudged
// and expires; another is confirmed after its nudge; then holdctl explains both, and audits all.
//
//	make demo
//
// The policy is one of seconds, so that it is over in half a minute. Where Postgres comes from is said
// by SEATHOLD_POSTGRES: see package pgserver. Nothing is left behind, not after Ctrl-C either.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/seathold/seathold/reference/postgres/pgserver"
)

// demoMax is when something must be wrong.
const demoMax = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, demoMax)
	err := run(ctx)
	interrupted := errors.Is(context.Cause(ctx), context.Canceled)
	cancel()
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "demo: interrupted; everything it started has ended")
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// policy is one of seconds; sweep, worker and holdctl are given the same.
var policy = []string{
	"SEATHOLD_LEAD=8s", "SEATHOLD_CUTOFF=2s", "SEATHOLD_SWEEP_PERIOD=1s", "SEATHOLD_JITTER=0s", "SEATHOLD_RENOMINATE=1s",
	"SEATHOLD_SEND_TIMEOUT=1s", "SEATHOLD_LEASE=2s", "SEATHOLD_VISIBILITY=5s", "SEATHOLD_LONG_POLL=1s", "SEATHOLD_BACKSTOP=10s",
	"SEATHOLD_METRICS_LISTEN=off",
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "seathold-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("building holdctl, holdsweep, holdworker and stubprovider …")
	if err := build(ctx, dir); err != nil {
		return err
	}
	s := newStory(dir)
	server, err := pgserver.Start(ctx)
	if err != nil {
		return err
	}
	// In this order: what was started last ends first.
	defer func() { err = errors.Join(err, server.Close()) }()
	defer s.stop()
	database, err := server.CreateDatabase(ctx)
	if err != nil {
		return err
	}
	s.say("Postgres is up: %s", server.Origin())
	s.environment = append(clean(os.Environ()), policy...)
	s.environment = append(s.environment, "SEATHOLD_DATABASE_URL="+database.URL())
	return s.tell(ctx)
}

// tell is the story.
func (s *story) tell(ctx context.Context) error {
	if err := s.setUp(ctx); err != nil {
		return err
	}
	s.head("Two learners hold a seat for 12 seconds. Nudges are due 8 seconds before the end.")
	for _, learner := range []string{"anna", "ben"} {
		if err := s.ctl(ctx, "hold", "create", "seat-of-"+learner, "--learner", learner, "--section", "piano-3", "--zone", "Europe/Berlin", "--for", "12s"); err != nil {
			return err
		}
	}
	if err := s.await(ctx, "settled seat-of-ben email", "settled seat-of-ben sms", "settled seat-of-anna email", "settled seat-of-anna sms"); err != nil {
		return err
	}
	s.head("Ben confirms. Anna does nothing.")
	if err := s.ctl(ctx, "hold", "confirm", "seat-of-ben"); err != nil {
		return err
	}
	if err := s.await(ctx, "expired seat-of-anna"); err != nil {
		return err
	}
	logs := []string{"--log", s.path("holdsweep.log"), "--log", s.path("holdworker.log")}
	for _, hold := range []string{"seat-of-anna", "seat-of-ben"} {
		s.head("What is known of " + hold + ":")
		if err := s.ctl(ctx, append([]string{"explain", hold}, logs...)...); err != nil {
			return err
		}
	}
	s.head("Were the promises kept, by the tables and by the provider's own log?")
	return s.ctl(ctx, "audit", "--provider-log", s.path("provider.jsonl"))
}

// setUp makes the tables, and starts the provider, the sweep and the worker.
func (s *story) setUp(ctx context.Context) error {
	if err := s.ctl(ctx, "migrate", "up"); err != nil {
		return err
	}
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	s.environment = append(s.environment, "STUBPROVIDER_SECRET="+secret, "SEATHOLD_EMAIL_SECRET="+secret, "SEATHOLD_SMS_SECRET="+secret,
		"SEATHOLD_EMAIL_REF_FIELD=id", "SEATHOLD_SMS_REF_FIELD=id")
	if err := s.start(s.readProvider, "stubprovider", "--listen", "127.0.0.1:0", "--log", s.path("provider.jsonl")); err != nil {
		return err
	}
	if err := s.await(ctx, "provider"); err != nil {
		return err
	}
	s.environment = append(s.environment, "SEATHOLD_EMAIL_URL=http://"+s.provider+"/email", "SEATHOLD_SMS_URL=http://"+s.provider+"/sms")
	if err := s.start(s.readSweep, "holdsweep", "every", "1s"); err != nil {
		return err
	}
	if err := s.start(s.readWorker, "holdworker"); err != nil {
		return err
	}
	if err := s.await(ctx, "ready holdsweep", "ready holdworker"); err != nil {
		return err
	}
	s.say("holdsweep every 1s, holdworker with 8 slots and a stub provider are up")
	return nil
}

func (s *story) path(name string) string { return filepath.Join(s.dir, name) }
