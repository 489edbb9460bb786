package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/report"
	"github.com/seathold/seathold/sim/trace"
)

// sentTwice is a blind retry: the reply to w1 is lost, w1 crashes, and w2 sends again.
func sentTwice() *story {
	s := newStory()
	s.sweep(7, reference.Remind, "h1", "m1", "h2", "m2")
	s.receive("12:07", "w1", "m2", reference.Remind, "h2", 1)
	s.channel("12:07", "w1", "h2", reference.Email)
	s.add("12:07", "w1", trace.What(faults.WorkerClaim), trace.Event{Hold: "h2", Channel: "sms", Answer: "granted", Until: at("12:07:20")})
	s.add("12:07:00.200", "w1", trace.What(faults.ProviderSend), trace.Event{
		Hold: "h2", Channel: "sms", Answer: "accepted", Start: at("12:07"), Err: "connection reset", Fault: "ambiguous provider in=send on=h2 channel=sms",
	})
	s.add("12:07:00.200", "sms", trace.Accepted, trace.Event{Hold: "h2", Channel: "sms"})
	s.add("12:07:00.200", "w1", trace.NodeCrash, trace.Event{Fault: "crash worker after=send on=h2 channel=sms"})
	s.remind("12:07:01", "w2", "m1", "h1")
	s.add("12:07:05.200", "w1", trace.NodeRestart, trace.Event{})
	s.receive("12:08", "w2", "m2", reference.Remind, "h2", 2)
	s.add("12:08", "w2", trace.What(faults.WorkerClaim), trace.Event{Hold: "h2", Channel: "sms", Answer: "granted", Until: at("12:08:20"), Doubt: "lapsed"})
	s.add("12:08:00.200", "w2", trace.What(faults.ProviderSend), trace.Event{Hold: "h2", Channel: "sms", Answer: "accepted", Start: at("12:08")})
	s.add("12:08:00.200", "sms", trace.Accepted, trace.Event{Hold: "h2", Channel: "sms"})
	s.add("12:08:00.200", "w2", trace.What(faults.WorkerSettle), trace.Event{
		Hold: "h2", Channel: "sms", Answer: "recorded", Outcome: reference.Outcome{Verdict: reference.Sent},
	})
	s.add("12:08:00.200", "w2", trace.What(faults.WorkerAck), trace.Event{Message: "m2", Answer: "acked"})
	return s
}

// second gives the number of the provider's second acceptance of h2/sms.
func (s *story) second() int {
	n := 0
	for _, e := range s.events {
		if e.What == trace.Accepted && e.Hold == "h2" && e.Channel == "sms" {
			if n++; n == 2 {
				return e.Seq
			}
		}
	}
	return 0
}

func (s *story) run() trace.Run { return trace.Run{Setup: trace.Setup{Start: noon}, Events: s.events} }

func TestLanes(t *testing.T) {
	s := sentTwice()
	got := report.Lanes(s.run(), report.Focus{Hold: "h2", Channel: "sms", Seq: s.second()})
	want := `
                  sweep broker w1  w2  sms
    12:07:00      o----->      |   |   |    sweep#7 publishes remind h2 as m2
    12:07:00      |     |------>   |   |    receives m2 (remind h2)
    12:07:00      |     |      o   |   |    claims h2/sms: granted until 12:07:20
    12:07:00.200  |     |      ?-------*    sends h2/sms: accepted, sees: connection reset
                  |     |      |   |   |    <- fault ambiguous provider in=send on=h2 channel=sms
    12:07:00.200  |     |      X   |   |    crashes
                  |     |          |   |    <- fault crash worker after=send on=h2 channel=sms
    12:07:05.200  |     |      R   |   |    restarts
    12:08:00      |     |---------->   |    receives m2 (remind h2) for the 2nd time
    12:08:00      |     |      |   o   |    claims h2/sms: granted until 12:08:20 as a retake
                  |     |      |   |   |      (lapsed)
>>> 12:08:00.200  |     |      |   o---*    sends h2/sms: accepted
    12:08:00.200  |     |      |   o   |    settles h2/sms: sent
    12:08:00.200  |     |      |   o   |    acks m2
    o call  * accepted  ? reply not seen  X crash  R restart
`
	if diff := cmp.Diff(want, "\n"+text(got)); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
}

func TestLanesFit(t *testing.T) {
	s := newStory()
	for i := range 200 {
		at := noon.Add(time.Duration(i) * time.Second).Format("15:04:05")
		who := fmt.Sprintf("w%d", i%12)
		s.receive(at, who, "m1", reference.Remind, "h1", i+1)
		s.add(at, who, trace.What(faults.WorkerClaim), trace.Event{
			Hold: "h1", Channel: "email", NoEffect: true, Err: "connection refused", Fault: "outage store from=12:00 until=13:00 nodes=(w1, w2, w3, w4, w5, w6, w7, w8)",
		})
		s.add(at, who, trace.What(faults.WorkerNack), trace.Event{Message: "m1"})
	}
	got := report.Lanes(s.run(), report.Focus{Hold: "h1", Seq: 301, Rows: 20})
	if len(got) > 20 {
		t.Errorf("%d rows, want at most 20", len(got))
	}
	for _, row := range got {
		if len(row) > 100 {
			t.Errorf("row of %d columns: %s", len(row), row)
		}
	}
	if !strings.Contains(text(got), ">>>") {
		t.Error("the marked event was left out")
	}
}

// A hold that everything happened to, in a world with more actors than a picture has room for.
func TestLanesOfAnything(t *testing.T) {
	whos := []string{"w1", "w2", "w3", "sweep#1", "broker", "email", "sms", "learner", "operator", "cron", "fault", "run"}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := newStory()
		for i := range 1 + r.IntN(120) {
			whats := []trace.What{
				trace.NodeCrash, trace.NodeRestart, trace.NodeStall, trace.Accepted, trace.Reply, trace.BrokerLost, trace.FaultBegin,
				trace.What(faults.SweepPublish), trace.What(faults.WorkerReceive), trace.What(faults.WorkerClaim), trace.What(faults.ProviderSend), trace.What(faults.WorkerAck),
			}
			s.add(noon.Add(time.Duration(i)*time.Minute).Format("15:04:05"), whos[r.IntN(len(whos))], whats[r.IntN(len(whats))], trace.Event{
				Hold: []reference.HoldID{"", "h1", "h2"}[r.IntN(3)], Slot: r.IntN(3), Message: []string{"", "m1"}[r.IntN(2)],
				Err: []string{"", "nothing but trouble"}[r.IntN(2)], Fault: []string{"", "outage store from=12:00 until=13:00"}[r.IntN(2)],
			})
		}
		rows := report.Lanes(s.run(), report.Focus{Hold: "h1", Seq: 1 + r.IntN(len(s.events)), Rows: 8 + r.IntN(23)})
		if len(rows) > 30 {
			t.Errorf("seed %d: %d rows", seed, len(rows))
		}
		for _, row := range rows {
			if len(row) > 100 || strings.TrimRight(row, " ") != row {
				t.Errorf("seed %d: row %q", seed, row)
			}
		}
	}
}
