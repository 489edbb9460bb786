package trial_test

import (
	"testing"

	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim/explore/trial"
	"github.com/seathold/seathold/sim/matrix"
	"github.com/seathold/seathold/sim/script"
)

func parse(t *testing.T, lines string) *script.Scenario {
	t.Helper()
	s, err := script.Parse("trial.txt", []byte("# Trial.\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z workers=(w1, w2)\n"+lines))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const holds = "holds\n  id expires\n  h1 12:05\n\n"

// TestSendFirst: a double after a lapse is what send-first is; a double without one is not.
func TestSendFirst(t *testing.T) {
	twice := trial.Broken{Promise: "P1", Class: "accepted twice"}
	s := parse(t, "policy order=send-first\n"+holds+"fault crash worker in=send channel=email\nrun until=12:06\n")
	r, err := trial.Reference().Run(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) != 0 || r.Stats.Accepted != 3 {
		t.Errorf("after a crash: %d violations, %d accepted; want none, and email twice", len(r.Violations), r.Stats.Accepted)
	}
	d, found := defects.Named("no-claim")
	if !found {
		t.Fatal("no defect no-claim")
	}
	s = parse(t, "policy order=send-first\n"+holds+"fault duplicate after=publish\nrun until=12:06\n")
	if r, err = (trial.Subject{Backend: matrix.On(d)}).Run(s); err != nil {
		t.Fatal(err)
	}
	if _, broke := r.Broke(twice); !broke {
		t.Error("a duplicate delivery doubles, and nobody says so")
	}
}

func TestMoments(t *testing.T) {
	s := parse(t, holds+"run until=12:06\n")
	r, moments, err := trial.Reference().Moments(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(moments) < 100 || len(r.Violations) != 0 {
		t.Errorf("%d moments, %d violations", len(moments), len(r.Violations))
	}
	if difference, err := trial.Reference().Same(r); difference != "" || err != nil {
		t.Errorf("%s, %v", difference, err)
	}
}

// TestSendFirstTimesOut: what nobody has a receipt of may be sent again, though everybody lives.
func TestSendFirstTimesOut(t *testing.T) {
	for _, fault := range []string{"slow in=send by=12s channel=email", "ambiguous in=send channel=email", "stall worker in=send channel=email by=70s"} {
		s := parse(t, "policy order=send-first\n"+holds+"fault "+fault+"\nrun until=12:06\n")
		r, err := trial.Reference().Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) != 0 || r.Stats.Accepted < 3 {
			t.Errorf("%s: %d violations, %d accepted; want none, and email twice", fault, len(r.Violations), r.Stats.Accepted)
		}
	}
}
