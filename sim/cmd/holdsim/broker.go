package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/broker"
	"github.com/seathold/seathold/sim/httpbroker"
	"github.com/seathold/seathold/sim/script"
)

// drainMax is how long requests under way may take after a signal.
const drainMax = 5 * time.Second

// brokerCommand serves the simulated broker until it is told to end.
func brokerCommand(a *app, args []string) (int, error) {
	f := flag.NewFlagSet("broker", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	listen := f.String("listen", "127.0.0.1:0", "")
	file := f.String("faults", "", "")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0, err
	case err != nil:
		return 0, usageError{fmt.Sprintf("broker: %v", err), "holdsim help shows the flags of each command"}
	case f.NArg() > 0:
		return 0, usageError{fmt.Sprintf("broker: %q is no flag", f.Arg(0)), "name a scenario by -faults"}
	}
	config, err := a.brokerConfig(*file)
	if err != nil {
		return 0, err
	}
	listener, err := listenLoopback(*listen)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	server := httpbroker.New(config)
	fmt.Fprintf(a.stdout, "http://%s\n", listener.Addr())
	if err := serve(ctx, listener, server, a.stderr); err != nil {
		return 0, fmt.Errorf("broker: %w", err)
	}
	for _, f := range server.Idle() {
		if !f.Maybe {
			fmt.Fprintf(a.stderr, "never fired: fault %s\n", f)
		}
	}
	return exitHeld, nil
}

// brokerConfig is the queue of a scenario, with the faults there that have to do with it; or what a
// scenario that says nothing has.
func (a *app) brokerConfig(file string) (httpbroker.Config, error) {
	policy := reference.DefaultPolicy()
	c := httpbroker.Config{
		Profile: broker.Profile{
			Dedup: 24 * time.Hour, Retention: 30 * 24 * time.Hour,
			Visibility: policy.Visibility, MaxReceives: policy.MaxReceives,
		},
		Start: time.Now(),
		Log:   func(line string) { fmt.Fprintf(a.stderr, "%s %s\n", time.Now().UTC().Format("15:04:05.000"), line) },
	}
	if file == "" {
		return c, nil
	}
	s, err := script.ParseFile(file)
	if err != nil {
		return c, inputError{err}
	}
	c.Start = s.Start
	c.Profile = broker.Profile{
		Dedup: s.Queue.Dedup, Retention: s.Queue.Retention, Latency: s.Queue.Latency,
		Visibility: s.Policy.Visibility, MaxReceives: s.Policy.MaxReceives,
	}
	for _, step := range s.Steps {
		if step.Fault != nil {
			c.Faults = a.brokerFault(c.Faults, step)
		}
	}
	return c, nil
}

// brokerFault appends a fault, or says why it does nothing here.
func (a *app) brokerFault(all []faults.Fault, step script.Step) []faults.Fault {
	if reason := httpbroker.Reason(*step.Fault); reason != "" {
		fmt.Fprintf(a.stderr, "%s: left out: %s: %s\n", step.Pos, step.Text, reason)
		return all
	}
	return append(all, *step.Fault)
}

// listenLoopback refuses every other address: the broker lets everybody in.
func listenLoopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	if err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, usageError{fmt.Sprintf("broker: -listen %s is no loopback address with a port", address), "the default is 127.0.0.1:0, a free port"}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, usageError{fmt.Sprintf("broker: %v", err), "-listen 127.0.0.1:0 takes a free port"}
	}
	return listener, nil
}

// serve answers until ctx ends, and then lets requests under way come to their end. Those that a
// fault delays are given up.
func serve(ctx context.Context, l net.Listener, h http.Handler, stderr io.Writer) error {
	server := &http.Server{
		Handler: h, ErrorLog: log.New(stderr, "holdsim: ", 0), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), drainMax)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
