package settings

import (
	"time"

	"github.com/alecthomas/kong"

	"github.com/seathold/seathold/reference"
)

// Common is what every program takes.
type Common struct {
	Version  kong.VersionFlag `help:"Print the version and exit."`
	LogLevel string           `default:"info" enum:"debug,info,warn,error" help:"The least that is logged: debug, info, warn or error. Logs are JSON lines on stderr."`
}

// Database is where the tables are.
type Database struct {
	DatabaseURL         Secret `name:"database-url-file" placeholder:"PATH" help:"PostgreSQL, as a URL or key=value pairs; what it leaves out comes from the PG* variables. sslmode is require unless it says otherwise."`
	DatabaseConnections int    `default:"0" help:"The most connections of one process; 0 is as many as it can use."`
}

// Policy is reference.Policy as settings. The sweep and the workers must be given the same.
type Policy struct {
	Lead         time.Duration `default:"${lead}" help:"How long before a hold expires its nudge becomes due."`
	Cutoff       time.Duration `default:"${cutoff}" help:"How long before a hold expires no nudge may start any more."`
	SweepPeriod  time.Duration `default:"${sweep_period}" help:"How often a sweep is started, by whom ever; 0 if that isn't known. Every and cron know it by themselves."`
	SweepBudget  time.Duration `default:"${sweep_budget}" help:"How long one sweep may run."`
	Renominate   time.Duration `default:"${renominate}" help:"The age at which a due window's message gets a new key."`
	SendTimeout  time.Duration `default:"${send_timeout}" help:"How long a call of a provider may take."`
	StoreTimeout time.Duration `default:"${store_timeout}" help:"How long a call of the database may take; where a sweep reads and expires, a third of its budget."`
	LockTimeout  time.Duration `default:"${lock_timeout}" help:"How long a worker waits for a row of the database that somebody else has; lock_timeout in the DSN goes first."`
	Lease        time.Duration `default:"${lease}" help:"How long a claim keeps other workers from a reminder."`
	Visibility   time.Duration `default:"${visibility}" help:"How long a delivered message stays hidden."`
	MaxReceives  int           `default:"${max_receives}" help:"How often a message is delivered before it is dead-lettered."`
	LongPoll     time.Duration `default:"${long_poll}" help:"How long a worker without work waits for a message before it asks again."`
	Backstop     time.Duration `default:"${backstop}" help:"How long a hold may be overdue before the sweep expires it by itself."`
	Page         int           `default:"${page}" help:"How many rows a sweep reads, and publishes, at a time."`
	Order        string        `default:"${order}" enum:"claim-first,send-first" help:"claim-first: a crash drops a reminder, and never doubles it. send-first: it may double, and never drops."`
}

// policyVars are the defaults, which are reference.DefaultPolicy's.
func policyVars() kong.Vars {
	p := reference.DefaultPolicy()
	vars := kong.Vars{"order": string(p.Order), "max_receives": number(p.MaxReceives), "page": number(p.Page)}
	for name, d := range map[string]time.Duration{
		"lead": p.Lead, "cutoff": p.Cutoff, "sweep_period": p.SweepPeriod, "sweep_budget": p.SweepBudget,
		"renominate": p.Renominate, "send_timeout": p.SendTimeout, "store_timeout": p.StoreTimeout, "lock_timeout": p.LockTimeout,
		"lease": p.Lease, "visibility": p.Visibility, "long_poll": p.LongPoll, "backstop": p.Backstop,
	} {
		vars[name] = duration(d)
	}
	return vars
}

// Reference gives the policy as the pipeline takes it.
func (p Policy) Reference() reference.Policy {
	return reference.Policy{
		Lead: p.Lead, Cutoff: p.Cutoff, SweepPeriod: p.SweepPeriod, SweepBudget: p.SweepBudget,
		Renominate: p.Renominate, SendTimeout: p.SendTimeout, StoreTimeout: p.StoreTimeout, LockTimeout: p.LockTimeout, Lease: p.Lease,
		Visibility: p.Visibility, MaxReceives: p.MaxReceives, LongPoll: p.LongPoll, Backstop: p.Backstop,
		Page: p.Page, Order: reference.Order(p.Order),
	}
}

// Check refuses what can't work together, with the arithmetic.
func (p Policy) Check(channels int) error {
	if err := p.Reference().Check(channels); err != nil {
		return refuse("the defaults in SETTINGS.md work together; sweep and workers need the same values", "%s", Plain(err))
	}
	return nil
}

// Watch is how a program is watched.
type Watch struct {
	MetricsListen string        `default:"${metrics_listen}" help:"Where /metrics, /healthz and /readyz are served, to anybody who can connect; off for nowhere."`
	PollEvery     time.Duration `default:"15s" help:"How often the queue and the last sweep are looked at for metrics; 0 for never. The queue is counted message by message."`
}

// Check refuses an address that is none.
func (w Watch) Check() error {
	if w.PollEvery < 0 {
		return refuse("0 is never", "poll-every is %s and must not be negative", w.PollEvery)
	}
	if w.MetricsListen == off {
		return nil
	}
	return checkAddress("metrics-listen", w.MetricsListen)
}

// Off says that nothing is served.
func (w Watch) Off() bool { return w.MetricsListen == off }

const off = "off"

// Hook is how the sweep's endpoint is reached.
type Hook struct {
	Listen     string        `default:"127.0.0.1:8080" help:"Where POST /hooks/sweep-seat-holds is answered, with /healthz and /readyz. Anything but loopback needs a token or a signing secret; so does loopback behind a proxy."`
	HookToken  Secret        `name:"hook-token-file" placeholder:"PATH" help:"The bearer token that callers must have, of 16 bytes or more; several, one a line, while one replaces another."`
	HookSecret Secret        `name:"hook-secret-file" placeholder:"PATH" help:"The secret by which callers sign, as standard-webhooks has it (whsec_ and base64); several, one a line. With a token too, either will do."`
	Grace      time.Duration `default:"55s" help:"How long a sweep that is running may go on after SIGTERM."`
}

// Schedule is how a sweep that has its own schedule keeps to it.
type Schedule struct {
	Jitter time.Duration `default:"1s" help:"The most by which a start is delayed, by chance, so that several sweeps don't start together."`
	Grace  time.Duration `default:"55s" help:"How long a sweep that is running may go on after SIGTERM."`
}

// Slots is how a worker works.
type Slots struct {
	Slots int           `default:"8" help:"How many messages are worked on at a time, each with at most one claim."`
	Grace time.Duration `default:"25s" help:"How long messages in hand may be worked on after SIGTERM; the rest is delivered again."`
}

const slotsMax = 1000

// Check refuses what can't be.
func (s Slots) Check() error {
	switch {
	case s.Slots < 1 || s.Slots > slotsMax:
		return refuse("8 is the default", "slots is %d and must be from 1 to %d", s.Slots, slotsMax)
	case s.Grace < 0:
		return refuse("0 is no grace at all", "grace is %s and must not be negative", s.Grace)
	}
	return nil
}
