package marks_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore/marks"
	"github.com/seathold/seathold/sim/script"
)

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// TestList: every mark has a name of its own, and says what it is.
func TestList(t *testing.T) {
	names, docs := map[string]bool{}, map[string]bool{}
	for _, m := range marks.All() {
		if names[m.Name] || docs[m.Doc] {
			t.Errorf("mark %s is declared twice: %s", m.Name, m.Doc)
		}
		if !kebab.MatchString(m.Name) || m.Doc == "" {
			t.Errorf("mark %q says %q", m.Name, m.Doc)
		}
		names[m.Name], docs[m.Doc] = true, true
	}
}

// hits are small scenarios and marks that they must hit, or must not.
var hits = []struct {
	name, lines    string
	hit, hitNot    []string
	policy, broker string
}{
	{
		name: "good day", lines: "",
		hit:    []string{"claim-granted", "outcome-sent"},
		hitNot: []string{"claim-settled", "outcome-missed", "outcome-lapsed", "redelivered", "sweeps-overlap", "worker-crashed-in-claim", "backstop-expired"},
	},
	{
		name: "crash between claim and send", lines: "fault crash worker after=claim channel=email\n",
		hit:    []string{"worker-crashed-in-claim", "redelivered", "claim-settles-lapsed", "outcome-lapsed", "channels-end-apart"},
		hitNot: []string{"outcome-timeout", "claim-retake-lapsed"},
	},
	{
		name: "retake by key", lines: "fault crash worker after=claim channel=email\n", policy: "provider email keys=24h\n",
		hit:    []string{"claim-retake-lapsed", "retake-inside-key-horizon"},
		hitNot: []string{"retake-outside-key-horizon", "key-collapsed-a-send"},
	},
	{
		name: "repeat by key", lines: "fault ambiguous in=send channel=email\n", policy: "provider email keys=24h\n",
		hit: []string{"claim-retake-timeout", "key-collapsed-a-send"}, hitNot: []string{"outcome-timeout"},
	},
	{
		name: "late receipt", lines: "fault stall worker before=settle channel=email by=70s\n",
		hit: []string{"stalled-past-lease", "late-sent-replaces-unknown", "message-in-two-hands"}, hitNot: []string{"stalled-and-started-none", "owed-recorded"},
	},
	{
		name: "outcome not written", lines: "fault error before=settle channel=email from=12:00 until=12:06\n", policy: "cron every=20s\n",
		hit: []string{"owed-recorded", "claim-settles-lapsed", "late-sent-replaces-unknown"}, hitNot: []string{"claim-granted-again"},
	},
	{
		name: "stalled before send", lines: "fault stall worker before=send channel=email by=30s\n",
		hit: []string{"stalled-past-lease", "stalled-and-started-none", "send-start-passed", "claim-granted-free"}, hitNot: []string{"late-sent-replaces-unknown"},
	},
	{
		name: "lost, and swallowed", lines: "fault lose in=publish\n", policy: "cron every=20s\n",
		hit: []string{"broker-swallowed-after-loss", "renominated"},
	},
	{
		name: "person in between", lines: "fault slow in=send by=5s\nat 12:02:01 confirm h1\n",
		hit: []string{"person-between-claim-and-settle", "claim-closed-by-person"}, hitNot: []string{"confirm-refused-at-the-end"},
	},
	{
		name: "confirmed too late", lines: "fault pause cron from=12:04:30 until=12:08\nat 12:05 confirm h1\n",
		hit: []string{"confirm-refused-at-the-end"}, hitNot: []string{"claim-closed-by-person"},
	},
	{
		name: "redriven after the end", lines: "fault crash worker in=send channel=email\nat 12:07 redrive\n", broker: "queue max-receives=1\n",
		hit: []string{"broker-dead-letters", "redrive-meets-settled"}, hitNot: []string{"redrive-in-time"},
	},
	{
		name: "asked to wait", lines: "fault throttle provider channel=email retry-after=20s\n",
		hit: []string{"not-accepted-then-sent", "claim-granted-free"}, hitNot: []string{"outcome-throttled"},
	},
	{
		name: "two sweeps", lines: "fault slow sweep by=40s from=12:02 until=12:03\n", policy: "cron every=30s\n",
		hit: []string{"sweeps-overlap"},
	},
	{
		name: "nobody there", lines: "fault crash worker at=12:00:10 restart=20m\n",
		hit: []string{"backstop-expired", "outcome-missed", "broker-swallowed-key"}, hitNot: []string{"claim-granted"},
	},
}

func TestHits(t *testing.T) {
	for _, c := range hits {
		src := "# " + c.name + ".\n# Source: by design\n# At stake: P1\n\nworld start=2026-03-02T12:00:00Z workers=(w1, w2)\n" + c.policy + c.broker +
			"holds\n  id expires\n  h1 12:05\n\n" + c.lines + "run until=12:10\n"
		s, err := script.Parse("marks.txt", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		r, err := sim.Run(s, sim.Memory{})
		if err != nil {
			t.Fatal(err)
		}
		var counts marks.Counts
		counts.Add(r.Trace)
		for _, name := range c.hit {
			if counts.Hit(name) != 1 {
				t.Errorf("%s: %s was not hit", c.name, name)
			}
		}
		for _, name := range c.hitNot {
			if counts.Hit(name) != 0 {
				t.Errorf("%s: %s was hit", c.name, name)
			}
		}
	}
}

// TestMerge: counts add up, and what was never hit is said.
func TestMerge(t *testing.T) {
	var a, b marks.Counts
	if len(a.Never()) != len(marks.All()) {
		t.Error("something was hit in no run")
	}
	a.Merge(b)
	lines := strings.Join(a.Lines(), "\n")
	if words := strings.Fields(lines); a.Seen() != 0 || len(words) != 1+len(marks.All()) || words[0] != "never" {
		t.Errorf("%d seen, told as\n%s", a.Seen(), lines)
	}
}
