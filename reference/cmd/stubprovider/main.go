// Command stubprovider is a provider to try the pipeline with: it accepts the reminders that it is
// sent, as package webhook has it, and prints each as a line of JSON, which is the export that an
// audit takes. It sends nothing to anybody. Package stub says how it is told to misbehave.
//
// Exit codes: 0 it was told to end; 1 it could not serve, or not write its log; 2 bad settings.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/seathold/seathold/reference/e2e/stub"
)

const name = "stubprovider"

type settings struct {
	Listen  string        `default:"127.0.0.1:8090" env:"STUBPROVIDER_LISTEN" help:"Where it is; POST to any path is a reminder. Control is open to whoever can connect."`
	Secret  string        `name:"secret-file" type:"path" placeholder:"PATH" env:"STUBPROVIDER_SECRET_FILE" help:"The file with the secret that requests are signed by; else it is the value of STUBPROVIDER_SECRET."`
	Log     string        `default:"-" env:"STUBPROVIDER_LOG" help:"Where acceptances are appended to, a line of JSON each; - is stdout."`
	Horizon time.Duration `name:"key-horizon" default:"0s" env:"STUBPROVIDER_KEY_HORIZON" help:"How long an Idempotency-Key is remembered; 0 honours none."`
	Rules   string        `type:"path" placeholder:"PATH" env:"STUBPROVIDER_RULES" help:"A JSON list of rules to begin with, as PUT /stub/rules takes it."`
	Seed    uint64        `default:"1" env:"STUBPROVIDER_SEED" help:"What rules with a share go by."`
}

func main() { os.Exit(run(os.Args[1:], os.Getenv, os.Stdout, os.Stderr)) }

func run(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var s settings
	helped := false
	parser, err := kong.New(&s, kong.Name(name), kong.Description("A provider that accepts reminders and writes down which."),
		kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }))
	if err != nil {
		panic(err)
	}
	_, err = parser.Parse(args)
	switch {
	case helped:
		return 0
	case err != nil:
		return complain(stderr, 2, err, name+" --help")
	}
	provider, closeLog, err := open(s, getenv, stdout)
	if err != nil {
		return complain(stderr, 2, err, name+" --help tells the settings")
	}
	defer closeLog()
	if err := serve(s.Listen, provider, stderr); err != nil {
		return complain(stderr, 1, err, "is another program there already?")
	}
	if err := provider.Err(); err != nil {
		return complain(stderr, 1, err, "what could not be written was not accepted")
	}
	return 0
}

func complain(to io.Writer, code int, err error, hint string) int {
	fmt.Fprintf(to, "%s: %v\nhint: %s\n", name, err, hint)
	return code
}

// open makes the provider that the settings ask for.
func open(s settings, getenv func(string) string, stdout io.Writer) (*stub.Stub, func(), error) {
	secret, err := readSecret(s.Secret, getenv)
	if err != nil {
		return nil, nil, err
	}
	var rules []stub.Rule
	if s.Rules != "" {
		text, err := os.ReadFile(s.Rules)
		if err == nil {
			err = json.Unmarshal(text, &rules)
		}
		for _, r := range rules {
			err = errors.Join(err, r.Check())
		}
		if err != nil {
			return nil, nil, fmt.Errorf("rules: %w", err)
		}
	}
	log, closeLog := stdout, func() {}
	if s.Log != "-" {
		file, err := os.OpenFile(s.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, nil, fmt.Errorf("log: %w", err)
		}
		log, closeLog = file, func() { file.Close() }
	}
	provider, err := stub.New(stub.Config{Secret: secret, Log: log, KeyHorizon: s.Horizon, Seed: s.Seed})
	if err != nil {
		return nil, nil, err
	}
	provider.Follow(rules...)
	return provider, closeLog, nil
}

func readSecret(path string, getenv func(string) string) (string, error) {
	if path == "" {
		secret := getenv("STUBPROVIDER_SECRET")
		if secret == "" {
			return "", errors.New("secret-file is not set, nor is STUBPROVIDER_SECRET")
		}
		return secret, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("secret-file: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(first), nil
}

func serve(address string, provider http.Handler, stderr io.Writer) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{Handler: provider, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Fprintf(stderr, "%s: listening on %s\n", name, l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
