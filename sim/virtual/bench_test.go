package virtual

import (
	"testing"
	"time"
)

// BenchmarkSwitch is one process that stops and goes on.
func BenchmarkSwitch(b *testing.B) {
	s := NewSchedule(start, 1<<62)
	n := s.NewNode("w1", "worker", 1)
	n.Spawn(func(p *Process) {
		for p.CutOff() == nil {
			p.SleepUntil(s.Now().Add(time.Microsecond))
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Until(s.Now().Add(time.Microsecond), func() bool { return false }); err != nil {
			b.Fatal(err)
		}
	}
	n.Unwind()
}
