package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/report/words"
	"github.com/seathold/seathold/sim/script"
)

// Describe gives all settings that are in force in a scenario, as the lines that would make them.
func Describe(s *script.Scenario) []string {
	var names []string
	for _, n := range s.Nodes {
		names = append(names, n.Name)
	}
	lines := []string{fmt.Sprintf("world    start=%s seed=%d workers=(%s) restart=%s",
		s.Start.UTC().Format(time.RFC3339), s.Seed, strings.Join(names, ", "), orNever(s.Restart))}
	for _, n := range s.Nodes {
		skew := Span(n.Skew)
		if n.Skew > 0 {
			skew = "+" + skew
		}
		lines = append(lines, fmt.Sprintf("node     %s slots=%d skew=%s restart=%s", n.Name, n.Slots, skew, orNever(n.Restart)))
	}
	p, q := s.Policy, s.Queue
	hosted := fmt.Sprintf(" dedup=%s retention=%s latency=%s", Span(q.Dedup), Span(q.Retention), Span(q.Latency))
	if q.Profile == "table" {
		hosted = ""
	}
	lines = append(lines,
		fmt.Sprintf("policy   lead=%s cutoff=%s send-timeout=%s lease=%s order=%s page=%d renominate=%s budget=%s backstop=%s",
			Span(p.Lead), Span(p.Cutoff), Span(p.SendTimeout), Span(p.Lease), p.Order, p.Page, Span(p.Renominate), Span(p.SweepBudget), Span(p.Backstop)),
		describeCron(s.Cron),
		fmt.Sprintf("queue    profile=%s visibility=%s max-receives=%d%s", q.Profile, Span(p.Visibility), p.MaxReceives, hosted))
	for _, p := range s.Providers {
		keys := "none"
		if p.Keys > 0 {
			keys = Span(p.Keys)
		}
		lines = append(lines, fmt.Sprintf("provider %s keys=%s latency=%s", p.Channel, keys, Span(p.Latency)))
	}
	return append(lines, fmt.Sprintf("# %s, %s; store timeout %s, lock timeout %s, long poll %s",
		Plural(len(s.Holds), "hold"), Plural(len(s.Rows), "reminder row"), Span(p.StoreTimeout), Span(p.LockTimeout), Span(p.LongPoll)))
}

func describeCron(c script.Cron) string {
	when := "every=" + Span(c.Every)
	if c.Spec != "" {
		zone := "UTC"
		if c.Zone != nil {
			zone = c.Zone.String()
		}
		when = fmt.Sprintf("spec=%q zone=%s", c.Spec, zone)
	}
	return fmt.Sprintf("cron     %s timeout=%s retries=%d jitter=%s", when, Span(c.Timeout), c.Retries, Span(c.Jitter))
}

func orNever(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return Span(d)
}

// HoldLine words a hold as a table has it.
func HoldLine(h reference.Hold, start time.Time) string {
	return fmt.Sprintf("%s  %s  expires %s", h.ID, h.State, words.Clock(h.ExpiresAt, start))
}

// RowLine words a reminder's row as a table has it.
func RowLine(r reference.Row, start time.Time) string {
	s := fmt.Sprintf("%s/%s  %s", words.Window(r.Window, start), r.Channel, r.Outcome)
	for _, t := range []struct {
		word string
		at   time.Time
	}{{"first claimed", r.FirstClaimedAt}, {"claimed until", r.LeaseUntil}, {"not before", r.NotBefore}, {"settled", r.SettledAt}} {
		if !t.at.IsZero() {
			s += "  " + t.word + " " + words.Clock(t.at, start)
		}
	}
	for _, w := range []struct{ word, text string }{
		{"doubt", string(r.Doubt)}, {"token", string(r.Token)}, {"message", r.MessageID}, {"ref", r.ProviderRef},
	} {
		if w.text != "" {
			s += "  " + w.word + " " + w.text
		}
	}
	return s
}
