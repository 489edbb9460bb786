package sweeps

import (
	"context"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

var messageKeyThatNeverChanges = defect.Defect{
	Name:    "message-key-that-never-changes",
	Mistake: "Every message of a window has one key, so that a broker which remembers a lost one swallows all that follow",
	Seen:    "a publish refused as a duplicate of what was lost: https://github.com/nats-io/nats-server/pull/6415",
	New:     defect.Sweeper(func(s *reference.Sweeper) { s.Queue = OneKey{s.Queue, s.Policy} }),
}

// OneKey publishes every message of a window and kind under the key of the first.
type OneKey struct {
	reference.Publisher
	Policy reference.Policy
}

// Publish implements reference.Publisher.
func (q OneKey) Publish(ctx context.Context, entries []reference.Entry) ([]reference.Published, error) {
	for i, e := range entries {
		m := defect.MessageIn(e)
		entries[i].Key = reference.MessageKey(m.Kind, m.Window, 0, q.Policy.Renominate, q.Policy.Backstop)
	}
	return q.Publisher.Publish(ctx, entries)
}
