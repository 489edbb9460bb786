package watch

import (
	"context"
	"log/slog"

	"github.com/seathold/seathold/reference"
)

// Publisher logs, at level debug, what becomes of each message that a sweep publishes.
type Publisher struct {
	reference.Publisher
	Log *slog.Logger
}

// Publish implements reference.Publisher.
func (p Publisher) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	results, err := p.Publisher.Publish(ctx, entries)
	if err != nil || !p.Log.Enabled(ctx, slog.LevelDebug) {
		return results, err
	}
	for i, r := range results {
		m, err := reference.DecodeMessage(entries[i].Payload)
		if err != nil {
			continue // never ours: a sweep publishes what it has encoded
		}
		answer := "stored"
		if r.Duplicate {
			answer = "collapsed"
		}
		attrs := append(windowAttrs(m.Window), slog.String("kind", string(m.Kind)), slog.String("message", r.MessageID))
		if r.Err != nil {
			answer, attrs = "refused", append(attrs, slog.Any("error", r.Err))
		}
		p.Log.LogAttrs(ctx, slog.LevelDebug, "sweep.publish", append(attrs, slog.String("answer", answer))...)
	}
	return results, nil
}

func windowAttrs(w reference.Window) []slog.Attr {
	if w.Hold == "" {
		return nil
	}
	return []slog.Attr{slog.String("hold", string(w.Hold)), slog.Time("window", w.ExpiresAt.UTC())}
}
