package witness

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/e2e/stub"
)

// Rules is what is judged by.
type Rules struct {
	Policy reference.Policy
	// Healed is the end of the last trouble; zero if there was none.
	Healed time.Time
	// Slack is how long a request may be on its way, and a process not run, before the stub notes it.
	Slack time.Duration
}

// Verdict is what was found.
type Verdict struct {
	// Broken are the promises that were broken, a sentence each.
	Broken []string
	Audit  *audit.Report
	// AfterChange counts reminders that were sent after a person had ended their window, which is no
	// violation.
	AfterChange int
	// Freed is how late holds were expired, in order.
	Freed []time.Duration
	// Became late: unknown outcomes that a receipt replaced.
	Replaced int
	// Ended counts windows by how they ended.
	Ended map[string]int
}

// Judge holds everything that happened in a database against the promises. Nothing may be under way
// any more.
func Judge(ctx context.Context, db *sql.DB, accepted []stub.Acceptance, r Rules) (*Verdict, error) {
	v := &Verdict{Ended: map[string]int{}}
	var exported []audit.Acceptance
	for _, a := range accepted {
		exported = append(exported, audit.Acceptance{Key: a.Key, At: a.AcceptedAt, Ref: a.Ref})
	}
	var err error
	v.Audit, err = audit.Tables(ctx, db, audit.Rules{
		Policy: r.Policy, Healed: r.Healed, NothingDown: r.Healed.IsZero(), Skew: r.Slack,
	}, audit.NewLog(exported))
	if err != nil {
		return nil, err
	}
	for _, f := range v.Audit.Findings {
		v.add(f.Promise, "%s: %s", f.Class, f.Sentence)
	}
	changes, err := Changes(ctx, db)
	if err != nil {
		return nil, err
	}
	ends := r.judgeChanges(changes, v)
	r.judgeAccepted(accepted, ends, v)
	left, err := Unfinished(ctx, db)
	for _, line := range left {
		v.add("P6", "%s", line)
	}
	changed, err2 := lines(ctx, db, rewritten)
	for _, line := range changed {
		v.add("P2", "%s; an outcome is final, but that sent replaces unknown", line)
	}
	replaced, err3 := lines(ctx, db, `select count(*)::text from witness.outcomes where outcome_is = 'sent'`)
	for _, e := range []error{err, err2, err3} {
		if e != nil {
			return nil, e
		}
	}
	fmt.Sscan(replaced[0], &v.Replaced)
	return v, nil
}

func (v *Verdict) add(promise, format string, args ...any) {
	v.Broken = append(v.Broken, promise+" "+fmt.Sprintf(format, args...))
}

// judgeChanges walks through each hold's life, and gives the instants at which people ended windows.
func (r Rules) judgeChanges(changes []Change, v *Verdict) map[reference.Window]time.Time {
	ended := map[reference.Window]time.Time{}
	bound := r.Policy.SweepPeriod + 30*time.Second
	if !r.Healed.IsZero() {
		bound += r.Policy.Backstop
	}
	for _, c := range changes {
		late := c.At.Sub(c.EndWas)
		switch {
		case c.Was == "":
			continue
		case c.Was != reference.Held:
			v.add("P4", "%s was %s, and became %s in the window that ends at %s: nothing leaves %s", c.window(), c.Was, c.Is, c.EndsAt.Format(time.RFC3339), c.Was)
		case c.Is == reference.Expired && late < 0:
			v.add("P4", "%s was expired %s early", c.window(), -late)
		case c.Is == reference.Expired && late > bound && c.At.After(r.Healed.Add(bound)):
			v.add("P5", "%s was expired %s late, and %s is the bound", c.window(), late, bound)
		}
		if c.Is == reference.Expired {
			v.Freed = append(v.Freed, late)
		} else {
			ended[c.window()] = c.At
		}
		what := string(c.Is)
		if c.Is == reference.Held {
			what = "extended"
		}
		v.Ended[what]++
	}
	slices.Sort(v.Freed)
	return ended
}

// judgeAccepted looks at when what was accepted was asked for: not before it was due nor from the
// cut-off on, which requests say of themselves, and not long after a person ended the window.
func (r Rules) judgeAccepted(accepted []stub.Acceptance, ended map[reference.Window]time.Time, v *Verdict) {
	for _, a := range accepted {
		of := a.Reminder()
		due, cutoff := of.ExpiresAt.Add(-r.Policy.Lead), of.ExpiresAt.Add(-r.Policy.Cutoff)
		if a.ReceivedAt.Before(due) {
			v.add("P3", "%s was sent %s before it was due", of, due.Sub(a.ReceivedAt))
		}
		if !a.SignedAt.Before(cutoff) || a.ReceivedAt.After(cutoff.Add(r.Slack)) {
			v.add("P3", "%s was signed at %s and received at %s, and its cut-off was at %s", of, a.SignedAt.Format(time.RFC3339), a.ReceivedAt.Format(time.RFC3339Nano), cutoff.Format(time.RFC3339))
		}
		at, byPerson := ended[of.Window]
		if byPerson && a.ReceivedAt.After(at) {
			v.AfterChange++
		}
		if byPerson && a.ReceivedAt.After(at.Add(r.Policy.SendTimeout+r.Slack)) {
			v.add("P3", "%s was sent %s after a person had ended its window", of, a.ReceivedAt.Sub(at))
		}
	}
}
