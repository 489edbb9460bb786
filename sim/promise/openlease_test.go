package promise

import (
	"testing"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// What a pipeline does to itself puts off no verdict: neither a lease without an end, nor messages
// that burn their receives and are set aside one after the other.
func TestOpenInTheEnd(t *testing.T) {
	for name, tell := range map[string]func(*story) trace.Run{
		"a-lease-without-an-end": func(s *story) trace.Run {
			m := s.taken()
			s.claim("w1", "h1", email)
			s.row(func(r *reference.Row) { r.LeaseUntil = clock("23:59") })
			return s.rest(m)
		},
		"set-aside-for-ever": func(s *story) trace.Run {
			m := s.taken()
			s.claim("w1", "h1", email)
			run := s.rest(m)
			last := run.Events[len(run.Events)-1]
			begin := trace.Event{Seq: last.Seq, At: last.At, Who: "fault", What: trace.FaultBegin, Hold: "h1", Fault: "set aside m9"}
			run.Events = append(run.Events[:len(run.Events)-1], begin, last)
			return run
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := false
			for _, v := range Check(tell(alone(t))) {
				found = found || v.Class == leftOpen.Name
			}
			if !found {
				t.Error("a claim without a word is open in the end, and nobody says so")
			}
		})
	}
}
