package explain_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/audit"
	"github.com/seathold/seathold/reference/explain"
	"github.com/seathold/seathold/reference/postgres/admin"
)

var update = flag.Bool("update", false, "write the golden text anew")

const golden = "testdata/story.txt"

// TestStory tells of a hold that was extended once, whose SMS was claimed by a worker that died.
func TestStory(t *testing.T) {
	t0 := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	at := func(minutes, seconds int) time.Time {
		return t0.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second)
	}
	h := reference.Hold{
		ID: "h1", Learner: "l1", Section: "piano-3", Zone: "Europe/Berlin", ExpiresAt: at(20, 0), State: reference.Expired,
		Channels: []reference.Channel{reference.Email, reference.SMS},
	}
	of := func(end time.Time, c reference.Channel) reference.Reminder {
		return reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: end}, Channel: c}
	}
	payload := func(kind reference.Kind) []byte {
		text, err := reference.Message{Kind: kind, Window: h.Window(), Learner: "l1", Section: "piano-3"}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	record := admin.Record{
		Now: at(21, 0), Hold: &h,
		Rows: []reference.Row{
			{Reminder: of(at(10, 0), reference.Email), Token: "a1", FirstClaimedAt: at(7, 1), LeaseUntil: at(7, 21), MessageID: "3",
				Outcome: reference.Outcome{Verdict: reference.Sent}, ProviderRef: "ref-\x1b1", SettledAt: at(7, 2)},
			{Reminder: of(at(20, 0), reference.Email), NotBefore: at(18, 30), FirstClaimedAt: at(17, 1), MessageID: "9",
				Outcome: reference.Outcome{Verdict: reference.Dropped, Reason: reference.Throttled}, SettledAt: at(20, 2)},
			{Reminder: of(at(20, 0), reference.SMS), Token: "b2", FirstClaimedAt: at(17, 3), LeaseUntil: at(17, 23), Doubt: ""},
		},
		Messages: []admin.Message{{ID: "9", Payload: payload(reference.Expire), PublishedAt: at(20, 1), VisibleAt: at(21, 2), Receives: 1}},
		Dead: []admin.DeadLetter{{
			DeadLetter:  reference.DeadLetter{MessageID: "8", Payload: payload(reference.Remind), Reason: "received 10 times", Receives: 10, At: at(19, 0)},
			PublishedAt: at(17, 0),
		}},
		Sweeps: []admin.Sweep{
			{Report: reference.Report{Found: reference.Tally{Remind: 1}, Published: reference.Tally{Remind: 1}, Queued: 1, Drained: true}, At: at(17, 0)},
			{Report: reference.Report{Drained: true}, At: at(18, 0)}, {Report: reference.Report{Drained: true}, At: at(19, 0)},
			{Report: reference.Report{Found: reference.Tally{Expire: 2}, Published: reference.Tally{Expire: 1}, Queued: 1, Backstop: 1, Drained: true}, At: at(20, 1)},
		},
	}
	log := strings.Join([]string{
		`{"time":"2026-03-02T12:17:01.25Z","level":"INFO","msg":"worker.claim","program":"holdworker","slot":2,"hold":"h1","window":"2026-03-02T12:20:00Z","kind":"remind","message":"8","delivery":1,"channel":"email","token":"c3","answer":"granted","took_ms":1.5}`,
		`{"time":"2026-03-02T12:17:01Z","level":"INFO","msg":"worker.receive","program":"holdworker","slot":2,"hold":"h1","window":"2026-03-02T12:20:00Z","kind":"remind","message":"8","delivery":1}`,
		`{"time":"2026-03-02T12:17:02Z","level":"WARN","msg":"provider.send","program":"holdworker","slot":2,"hold":"h1","channel":"email","token":"c3","answer":"not-accepted","error":"not accepted, may be asked again after 1m28s: status 429"}`,
		`{"time":"2026-03-02T12:17:02Z","level":"INFO","msg":"worker.receive","program":"holdworker","slot":1,"hold":"other","message":"7","delivery":1}`,
		`panic: not a line of ours`,
		`{"time":"2026-03-02T12:20:01Z","level":"DEBUG","msg":"sweep.publish","program":"holdsweep","hold":"h1","window":"2026-03-02T12:20:00Z","kind":"expire","message":"9","answer":"stored"}`,
		`{"time":"2026-03-02T12:20:02Z","level":"INFO","msg":"worker.expire","program":"holdworker","slot":2,"hold":"h1","kind":"expire","message":"9","delivery":1,"answer":"expired"}`,
		`{"time":"2026-03-02T12:20:03Z","level":"WARN","msg":"worker.ack","program":"holdworker","slot":2,"hold":"h1","kind":"expire","message":"9","delivery":1,"error":"ack 9: driver: bad connection"}`,
	}, "\n")
	logged, skipped, err := explain.ReadLog(strings.NewReader(log), "h1")
	if err != nil || skipped != 1 {
		t.Errorf("skipped %d with error %v, want 1 and none", skipped, err)
	}
	story := explain.Tell("h1", record, logged, audit.Rules{Policy: reference.DefaultPolicy()})
	var b strings.Builder
	for _, line := range story.Now {
		fmt.Fprintln(&b, line)
	}
	for _, e := range story.Events {
		fmt.Fprintf(&b, "%s  %-6s  %s\n", e.At.Format("15:04:05.000"), e.Source, e.Text)
	}
	for _, f := range story.Broken {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Promise, f.Class, f.Sentence)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("the story is another: go test ./reference/explain -update\n(-want +got)\n%s", diff)
	}
}

func TestNothingIsKnown(t *testing.T) {
	story := explain.Tell("h1", admin.Record{Now: time.Now()}, nil, audit.Rules{Policy: reference.DefaultPolicy()})
	if story.Known() {
		t.Errorf("of nothing there is a story: %+v", story)
	}
}

func TestLongLinesArePassedOver(t *testing.T) {
	log := strings.Repeat("x", 3<<20) + "\n" + `{"time":"2026-03-02T12:00:00Z","msg":"worker.ack","program":"holdworker","hold":"h1","message":"1"}`
	events, skipped, err := explain.ReadLog(strings.NewReader(log), "h1")
	if err != nil || skipped != 1 || len(events) != 1 {
		t.Errorf("%d events, %d skipped, error %v, want 1, 1 and none", len(events), skipped, err)
	}
}
