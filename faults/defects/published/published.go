// Package published is the design that this project answers to, as it was published: a cron sweep
// that finds what is due and only enqueues, and queue workers that claim, send, expire and
// acknowledge.
package published

import (
	"context"
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

// All are the defects of this package.
func All() []defect.Defect {
	return []defect.Defect{asItStands, repaired}
}

var asItStands = defect.Defect{
	Name: "published",
	Mistake: "The article's design: a claim of hold_id alone, nothing read again, the hold expired right after sending and only by who won the claim, " +
		"a sweep every 5 minutes that looks 3 minutes ahead and takes 500",
	Seen: "the article, and whoever builds by it",
	New: func(int) defect.Pipeline {
		var last time.Time
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store { return table{s, map[reference.HoldID]reference.Token{}} },
			Work:  worker{expire: true}.run,
			Sweep: func(ctx context.Context, s *reference.Sweeper) (reference.Report, error) {
				now := s.Clock.Now()
				if now.Truncate(sweepPeriod).Equal(last.Truncate(sweepPeriod)) {
					return reference.Report{Drained: true}, nil // its cron would not have called
				}
				last = now
				return sweep(ctx, s, lookAhead, reference.Remind)
			},
		}
	},
}

var repaired = defect.Defect{
	Name:    "published-repaired",
	Mistake: "The same with the two faults mended that show at once: a sweep every minute that looks as far ahead as the lead, and expiry at expires_at, by a message of its own",
	Seen:    "whoever builds by the article and tries it out",
	New: func(int) defect.Pipeline {
		return defect.Pipeline{
			Store: func(s *memory.Store) defect.Store { return table{s, map[reference.HoldID]reference.Token{}} },
			Work:  worker{}.run,
			Sweep: func(ctx context.Context, s *reference.Sweeper) (reference.Report, error) {
				return sweep(ctx, s, s.Policy.Lead, reference.Remind, reference.Expire)
			},
		}
	},
}

const (
	sweepPeriod = 5 * time.Minute
	lookAhead   = 3 * time.Minute
	limit       = 500
	idle        = 2 * time.Second
)

// sweep publishes what is due, at most a limit of each kind, under a key that never changes.
func sweep(ctx context.Context, s *reference.Sweeper, ahead time.Duration, kinds ...reference.Kind) (reference.Report, error) {
	report := reference.Report{ID: s.Tokens.NewToken(), Pages: len(kinds), Drained: true}
	for _, k := range kinds {
		found, err := s.Store.Due(ctx, reference.DueQuery{Kind: k, Lead: ahead, Limit: limit})
		if err != nil {
			return report, err
		}
		published, err := publish(ctx, s, found)
		if err != nil {
			return report, err
		}
		report.Queued += published
		if k == reference.Remind {
			report.Found.Remind, report.Published.Remind = len(found), published
		} else {
			report.Found.Expire, report.Published.Expire = len(found), published
		}
	}
	return report, nil
}

func publish(ctx context.Context, s *reference.Sweeper, found []reference.Nomination) (published int, err error) {
	entries := make([]reference.Entry, len(found))
	for i, n := range found {
		if entries[i].Payload, err = n.Message.Encode(); err != nil {
			return 0, err
		}
		entries[i].Key = reference.MessageKey(n.Message.Kind, n.Message.Window, 0, s.Policy.Renominate, s.Policy.Backstop)
	}
	results, err := s.Queue.Publish(ctx, entries)
	for _, r := range results {
		if r.Err == nil {
			published++
		}
	}
	return published, err
}
