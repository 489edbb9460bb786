package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTwice asks each write a second time, as a caller does who wasn't answered: the second answer
// is as promised, and nothing more changes than may.
func TestTwice(t *testing.T) {
	db := migrated(t)
	l := lostReplies{direct: db, far: db}
	for _, w := range append(storeWrites(), queueWrites()...) {
		t.Run(w.name, func(t *testing.T) {
			far := l.begin(t, w)
			want, err := w.call(far)
			if err != nil {
				t.Fatalf("the first time: %v", err)
			}
			after := contents(t, db)
			if w.asked != "" {
				want = w.asked
			}
			if got, err := w.call(far); err != nil || got != want {
				t.Errorf("the second time: %q, %v, want %q", got, err, want)
			}
			if d := cmp.Diff(after, contents(t, db)); d != "" && !w.differs {
				t.Errorf("tables (-once +twice)\n%s", d)
			}
		})
	}
}
