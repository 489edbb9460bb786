package script

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// Pos is a place in a scenario file; Error is one mistake there, and Errors are all of a file.
type (
	Pos    = lines.Pos
	Error  = lines.Error
	Errors = lines.Errors
)

// Scenario is a checked file.
type Scenario struct {
	File string
	// Name is the file's name without folder and ending.
	Name string
	// Header is the comment at the top, a line each, without the marks.
	Header []string
	Start  time.Time
	Seed   uint64
	Policy reference.Policy
	// Unchecked says that Policy need not pass its own Check.
	Unchecked bool
	// Nodes are the worker nodes, in the order of workers=.
	Nodes     []Node
	Restart   time.Duration
	Cron      Cron
	Queue     Queue
	Providers []Provider // one for each of reference.Channels, in that order
	// Holds and Rows are there when the run starts, from fixtures and from the tables holds and
	// reminders. A hold that is created later is a Step instead.
	Holds []reference.Hold
	Rows  []reference.Row
	// Steps are what happens, in the order of the file.
	Steps []Step
}

// End is when the last run line ends.
func (s *Scenario) End() time.Time {
	end := s.Start
	for _, step := range s.Steps {
		if step.Run != nil {
			end = step.Run.Until
		}
	}
	return end
}

// Node is one worker process.
type Node struct {
	Name  string
	Slots int
	Skew  time.Duration
	// Restart is how long it stays down after a crash; negative is never.
	Restart time.Duration
}

// Cron is what calls the sweep.
type Cron struct {
	// Every is the period, or Spec a cron expression read in Zone; exactly one is set.
	Every time.Duration
	Spec  string
	Zone  *time.Location
	// Timeout is when the caller stops waiting, which doesn't stop the sweep; it then calls again,
	// Retries times at most. Jitter delays each tick by up to that much.
	Timeout time.Duration
	Retries int
	Jitter  time.Duration
}

// Next gives the first tick strictly after t; the zero time if there is none.
func (c Cron) Next(t time.Time) time.Time {
	if c.Every > 0 {
		return t.Add(c.Every)
	}
	schedule, err := cron.ParseStandard(c.Spec)
	if err != nil {
		panic(fmt.Sprintf("cron spec %q, which was checked: %v", c.Spec, err))
	}
	if next := schedule.Next(t.In(c.Zone)); !next.IsZero() {
		return next.UTC()
	}
	return time.Time{}
}

// Queue is the broker.
type Queue struct {
	Profile   string // standard, fifo or table
	Dedup     time.Duration
	Retention time.Duration
	// Latency is how long after a publish a message can be received.
	Latency time.Duration
	// Visibility and MaxReceives are in the Policy.
}

// Provider is who delivers on one channel.
type Provider struct {
	Channel reference.Channel
	// Keys is how long it remembers reminder keys; zero is none.
	Keys    time.Duration
	Latency time.Duration
}

// Step is one directive that does something, or the golden text under a stanza.
type Step struct {
	Pos  Pos
	Text string // the directive, as written
	// Stanza is the number of the stanza that it stands in, from 1.
	Stanza int
	// Exactly one of these is set.
	Fault  *faults.Fault
	Do     *Do
	Run    *Run
	Show   *Show
	Expect *Expect
	Golden *Golden
}

// Do is an at line.
type Do struct {
	At   time.Time
	Verb string // confirm, cancel, extend, create, publish, redrive, purge, sweep, pause, resume, deploy
	Hold reference.HoldID
	// Kind is that of the message (publish).
	Kind reference.Kind
	// To is the new end (extend) or the window (publish; zero is the hold's own), and New the hold
	// (create; publish, where the holds table creates it later).
	To  time.Time
	New reference.Hold
	// Who is what pause, resume and deploy name: cron, or a node.
	Who string
}

// Run lets time pass until then, that instant included.
type Run struct{ Until time.Time }

// Show writes state into the golden text.
type Show struct {
	What string // holds, reminders, queue, dead-letters, accepted
	Only reference.HoldID
}

// Expect is one expectation; Subject says of what.
type Expect struct {
	// Subject is hold, accepted, refused, transitions, sweep, queue-empty, dead-letters, fires or broken.
	Subject string
	// Holds are those that a hold line speaks of (h1; p1..p500; all), and Window the one it names,
	// or zero for each hold's latest.
	Holds  []reference.HoldID
	Window time.Time
	// Email, SMS and State are what a hold line says; empty is not said. Outcomes are in the form
	// of reference.Outcome.String, or none (no row).
	Email, SMS string
	State      string
	// Channel goes with accepted; Verb with refused (confirm, cancel, extend, create).
	Channel reference.Channel
	Verb    string
	// N is the number expected by accepted, transitions, dead-letters, fires and sweep.
	N int
	// Sweep is the sweep's number, and Field what of its report N is: found, published, pages, backstop.
	Sweep int
	Field string
	// From and Until bound fires.
	From, Until time.Time
	// Promise is the one that broken says will be (P1 … P9).
	Promise string
}

// Golden is the text that the stanza before it should give.
type Golden struct {
	// From and To are the byte offsets of the lines in the file, for rewriting.
	From, To int
	Lines    []string
}
