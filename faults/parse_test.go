package faults_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seathold/seathold/faults"
)

var mistakes = []struct {
	line      string
	word, col int
	want      string
}{
	{"", 0, 0, "which fault? There are crash, stall, slow, error, ambiguous, re-execute, duplicate, delay, lose, poison, reject, throttle, outage, lock, skew, pause, double, retry, redrive"},
	{"slwo store by=1s", 0, 0, `unknown fault "slwo"; there are crash, stall, slow, error, ambiguous, re-execute, duplicate, delay, lose, poison, reject, throttle, outage, lock, skew, pause, double, retry, redrive; did you mean slow?`},
	{"maybe crash w1 after=claim after=send", 4, 0, "after= is there already"},
	{"crash worker", 2, 0, "crash needs before=POINT or in=POINT or after=POINT or at="},
	{"crash worker after=claim at=12:00", 3, 0, "after= and at= exclude each other"},
	{"crash at=12:00", 1, 0, "at= needs to know whom: crash worker, w1 or sweep"},
	{"crash w1 at=12:00 on=h1", 3, 0, "at= is one instant and no call; leave out on="},
	{"crash worker after=confirm", 2, 0, "crash doesn't strike confirm; it strikes due, publish, backstop, record, receive, claim, send, settle, release, expire, ack, nack, dead-letter"},
	{"crash sweep after=publish restart=5s", 3, 0, "a sweep is not restarted; cron starts the next one"},
	{"crash worker after=claim restart=0s", 3, 8, "0s is not positive; it can also be never"},
	{"crash worker before=receive on=h1", 3, 0, "before=receive is not about one hold; leave out on="},
	{"crash worker after=ack channel=sms", 3, 0, "ack is not about one channel; leave out channel="},
	{"crash worker after=claim channel=fax", 3, 8, `unknown channel "fax"; there are email, sms`},
	{"crash worker after=claim on=h/1", 3, 3, `"h/1" can't be a hold's name`},
	{"crash worker after=claim nth=0", 3, 4, `"0" is none of 3, 2..4 and all`},
	{"crash worker after=claim please", 3, 0, `"please" is no KEY=VALUE`},
	{"crash cron after=claim", 1, 0, `crash can't be of "cron"; it can be of worker, sweep, a node such as w1 or sweep#7`},
	{"crash sweep#0 after=publish", 1, 0, `crash can't be of "sweep#0"; it can be of worker, sweep, a node such as w1 or sweep#7; did you mean sweep?`},
	{"stall worker after=claim by=0s", 3, 3, "by=0s does nothing; leave it out, or say how long"},
	{"stall worker after=claim by=-5s", 3, 3, "-5s is negative"},
	{"slow by=1s", 0, 0, "slow needs to know whom, or before=POINT: worker, w1, sweep, store, queue, provider"},
	{"slow store by=1s per-item=1s", 3, 0, "by= and per-item= exclude each other"},
	{"slow store per-item=1s", 2, 0, "per-item= is for a batch: it goes with slow sweep and slow queue"},
	{"slow before=claim per-item=1s", 2, 0, "per-item= is for a batch: only publish makes one"},
	{"slow store at=12:00 by=1s", 2, 0, "at= picks one sweep: it goes with slow sweep; use from= and until= here"},
	{"slow sweep at=12:00 from=12:00 by=1s", 2, 0, "at= and from=, until= exclude each other"},
	{"slow queue channel=sms by=1s", 2, 0, "no call of queue is about one channel; leave out channel="},
	{"error in=claim", 1, 0, `error has no key "in"; it takes before, on, channel, nth, from, until, status; did you mean on?`},
	{"error before=claim status=500", 2, 0, "only a provider answers with a status: status= goes with before=send"},
	{"error before=send status=429", 2, 0, "an error is 500 to 599; use reject for a refusal and throttle for 429"},
	{"error before=send status=200", 2, 7, `"200" is no HTTP status of an error, 400 to 599`},
	{"error sweep before=claim", 1, 0, "sweep has nothing to do with claim: a worker asks, and the store answers"},
	{"re-execute in=send", 1, 0, "re-execute doesn't strike send; it strikes publish, backstop, record, claim, settle, release, expire, ack, nack, dead-letter, create, confirm, cancel, extend"},
	{"duplicate after=claim", 1, 0, "duplicate doesn't strike claim; it strikes publish, receive"},
	{"lose broker in=publish", 1, 0, `lose names nobody, and "broker" is no KEY=VALUE`},
	{"delay in=publish", 2, 0, "delay needs by="},
	{"reject provider status=429", 2, 0, "a provider refuses for good by 400 to 499 except 408, 425 and 429"},
	{"throttle provider status=503", 2, 0, "a provider throttles by 429 or 425; after a 5xx nobody knows: use error before=send"},
	{"throttle provider retry-after=soon", 2, 12, `"soon" is no duration: write 90s, 1m30s, 12h or 30d; it can also be none`},
	{"outage from=12:00 until=12:01", 0, 0, "outage needs to know of what: store, queue or provider"},
	{"outage store from=12:00", 3, 0, "outage needs until="},
	{"outage store from=12:00 until=12:01 channel=sms", 4, 0, "only providers have a channel: it goes with outage provider"},
	{"outage store from=12:00 until=12:01 nodes=()", 4, 6, "no nodes; leave nodes= out for all of them"},
	{"outage store from=12:00 until=12:01 nodes=(w1, w1)", 4, 6, "w1 is there twice"},
	{"outage store from=12:00 until=12:01 nodes=(w1", 4, 0, "nodes=( is not closed"},
	{"lock on=h1 from=noon until=12:01", 2, 5, `"noon" is no time: write HH:MM[:SS[.mmm]], +3h from the start, or RFC 3339`},
	{"lock on=h1 from=++1m until=12:01", 2, 5, `"++1m" is no offset from the start, such as +90s or +3h`},
	{"skew by=10m", 0, 0, "skew needs to know whose clock: worker, w1 or sweep"},
	{"pause sweep from=12:00 until=12:01", 1, 0, `pause can't be of "sweep"; it can be of cron`},
	{"retry cron at=12:00 by=11y", 3, 3, `"11y" is no duration: write 90s, 1m30s, 12h or 30d`},
	{"retry cron at=12:00 by=4000d", 3, 3, "4000d is longer than ten years"},
	{"double at=12:00 by=1s", 2, 0, `double has no key "by"; it takes at`},
	{"redrive onn=h1 at=12:00", 1, 0, `redrive has no key "onn"; it takes on, at; did you mean on?`},
}

// TestMistakes: what is wrong with a line, and with which word of it.
func TestMistakes(t *testing.T) {
	for _, c := range mistakes {
		f, err := faults.ParseLine(c.line)
		var at *faults.ParseError
		switch {
		case !errors.As(err, &at):
			t.Errorf("%q: parsed as %s, %v", c.line, f, err)
		case err.Error() != c.want:
			t.Errorf("%q:\n got %s\nwant %s", c.line, err, c.want)
		case at.Word != c.word || at.Col != c.col:
			t.Errorf("%q: the mistake is at word %d, byte %d, and not at %d, %d", c.line, at.Word, at.Col, c.word, c.col)
		}
	}
}

// TestKindsHaveLines: every kind says what it is, and some line of TestNormalForm makes it.
func TestKindsHaveLines(t *testing.T) {
	made := make(map[faults.Kind]bool)
	for _, c := range normalForms {
		if f, err := faults.ParseLine(c.line); err == nil {
			made[f.Kind] = true
		}
	}
	for _, k := range faults.Kinds() {
		if k.Doc() == "" || strings.HasSuffix(k.Doc(), ".") || !made[k] {
			t.Errorf("%s: doc %q, made by a line: %t", k, k.Doc(), made[k])
		}
	}
}

func TestPoints(t *testing.T) {
	for _, p := range faults.Points() {
		if back, ok := faults.PointNamed(p.Short()); !ok || back != p || p.Port() == "" {
			t.Errorf("%s: short %q gives %s, port %q", p, p.Short(), back, p.Port())
		}
	}
	if p, ok := faults.PointNamed(""); ok {
		t.Errorf("no name gives %s", p)
	}
}

var suggestions = []struct{ word, want string }{
	{"crsh", "crash"},
	{"Crash", "crash"},
	{"rejcet", "reject"},
	{"outages", "outage"},
	{"banana", ""},
	{"x", ""},
	{"", ""},
	{strings.Repeat("crash", 1000), ""},
}

func TestSuggest(t *testing.T) {
	known := []string{"crash", "outage", "reject"}
	for _, c := range suggestions {
		if got := faults.Suggest(c.word, known); got != c.want {
			t.Errorf("%q: got %q, want %q", c.word, got, c.want)
		}
	}
}

var splits = []struct{ line, want string }{
	{"", ""},
	{"  a\tb  c ", "a|b|c"},
	{"a # b", "a"},
	{"a b#1 #", "a|b#1"},
	{"a=(b, c) d", "a=(b, c)|d"},
	{`a="b # c" d`, `a="b # c"|d`},
	{"a=b(c d)", "a=b(c|d)"},
	{"a=() b", "a=()|b"},
}

func TestWords(t *testing.T) {
	for _, c := range splits {
		words, err := faults.Words(c.line)
		var texts []string
		for _, w := range words {
			texts = append(texts, w.Text)
			if !strings.HasPrefix(c.line[w.Col:], w.Text) {
				t.Errorf("%q: word %q is not at byte %d", c.line, w.Text, w.Col)
			}
		}
		if got := strings.Join(texts, "|"); err != nil || got != c.want {
			t.Errorf("%q: got %s, %v, want %s", c.line, got, err, c.want)
		}
	}
}
