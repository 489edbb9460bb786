// Package redrive foretells what will come of dead letters once they are back in the queue, by the
// very decisions that a worker's store will take about them. It is what would come of them now: what
// becomes late, or is confirmed, until a worker gets there has another fate.
package redrive

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/postgres/admin"
)

// Fate is what will come of some messages once they are redriven.
type Fate struct {
	Fate     string `json:"fate"`
	Messages int    `json:"messages"`
	// Sends are the reminders that would go out.
	Sends   int    `json:"sends,omitempty"`
	Meaning string `json:"meaning"`
}

// meanings are the fates, the most telling first.
var meanings = []struct{ fate, meaning string }{
	{"sends", "still can be sent: reminders go out now"},
	{"expires", "the time is over and the hold still held: it is expired now"},
	{"waits", "too early, or another worker has it: it waits in the queue"},
	{"settles", "an attempt was left open that can't be made any more: its outcome is written, and nothing is sent"},
	{"run-out", "the cut-off has passed: nothing is sent, and expiring records it as missed"},
	{"confirmed", "the hold is confirmed: nothing is done"},
	{"cancelled", "the hold is cancelled: nothing is done"},
	{"expired", "the window has run out and the hold is expired: nothing is done"},
	{"extended", "the hold is in a later window: nothing is done"},
	{"settled", "every channel has its outcome: nothing is done"},
	{"no-hold", "there is no such hold: it is set aside again"},
	{unreadable, "it can't be read: it is set aside again"},
}

// Meaning says what a fate means.
func Meaning(of string) string {
	for _, m := range meanings {
		if m.fate == of {
			return m.meaning
		}
	}
	panic("no fate " + of)
}

// Planner foretells what a worker will do, by the decisions that the worker's store will take.
type Planner struct {
	Policy reference.Policy
	// Horizons are how long the provider of each channel remembers keys; zero if it honours none.
	Horizons map[reference.Channel]time.Duration
}

const (
	planBatch  = 1000
	unreadable = "not-a-message"
)

// Plan counts the messages by what will come of them, in the order of meanings.
func (p Planner) Plan(ctx context.Context, t admin.Tables, letters []admin.DeadLetter) ([]Fate, error) {
	counted := map[string]Fate{}
	for part := range slices.Chunk(letters, planBatch) {
		facts, err := t.Facts(ctx, holdsOf(part))
		if err != nil {
			return nil, err
		}
		for _, l := range part {
			of, sends := p.fate(l.Payload, facts)
			f := counted[of]
			counted[of] = Fate{of, f.Messages + 1, f.Sends + sends, Meaning(of)}
		}
	}
	plan := []Fate{}
	for _, m := range meanings {
		if f, found := counted[m.fate]; found {
			plan = append(plan, f)
		}
	}
	return plan, nil
}

// Fate is what will come of one message, and how many reminders it would send.
func (p Planner) fate(payload []byte, facts admin.Facts) (string, int) {
	m, err := reference.DecodeMessage(payload)
	if err != nil {
		return unreadable, 0
	}
	of := facts.Of(reference.Reminder{Window: m.Window})
	if m.Kind == reference.Expire {
		switch answer, _ := reference.DecideExpiry(m.Window, of.Hold, of.Now); answer {
		case reference.ExpiredNow:
			return "expires", 0
		case reference.ExpiryDone:
			if of.Hold == nil {
				return "expired", 0 // an expire message about no hold is done
			}
			return ended(*of.Hold, m.Window), 0
		}
		return "waits", 0
	}
	channels := reference.Channels
	if of.Hold != nil {
		channels = of.Hold.Channels
	}
	best, sends := "", 0
	for _, channel := range channels {
		f := p.onChannel(reference.Reminder{Window: m.Window, Channel: channel}, facts)
		if f == "sends" {
			sends++
		}
		if best == "" || rank(f) < rank(best) {
			best = f
		}
	}
	return cmp.Or(best, "settled"), sends
}

func rank(of string) int {
	return slices.IndexFunc(meanings, func(m struct{ fate, meaning string }) bool { return m.fate == of })
}

func (p Planner) onChannel(r reference.Reminder, facts admin.Facts) string {
	of := facts.Of(r)
	claim, _ := reference.ClaimRequest{
		Reminder: r, Token: "plan", Lead: p.Policy.Lead, Cutoff: p.Policy.Cutoff, Lease: p.Policy.Lease,
		SendTimeout: p.Policy.SendTimeout, Order: p.Policy.Order, KeyHorizon: p.Horizons[r.Channel],
	}.Decide(of)
	switch claim.Answer {
	case reference.Granted:
		return "sends"
	case reference.SettledHere:
		return "settles"
	case reference.Settled:
		return "settled"
	case reference.Late:
		return "run-out"
	case reference.NoHold:
		return "no-hold"
	case reference.Closed:
		return ended(*of.Hold, r.Window)
	}
	return "waits"
}

// ended says how the window of a hold was ended.
func ended(h reference.Hold, w reference.Window) string {
	switch {
	case h.ExpiresAt.After(w.ExpiresAt):
		return "extended"
	case h.State == reference.Held:
		return "settled" // the hold has no such channel
	}
	return string(h.State)
}

// holdsOf are the holds that some messages are about, each once.
func holdsOf(letters []admin.DeadLetter) []reference.HoldID {
	known := map[reference.HoldID]bool{}
	ids := []reference.HoldID{}
	for _, l := range letters {
		if m, err := reference.DecodeMessage(l.Payload); err == nil && !known[m.Window.Hold] {
			known[m.Window.Hold] = true
			ids = append(ids, m.Window.Hold)
		}
	}
	return ids
}
