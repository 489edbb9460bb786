package reference_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seathold/seathold/reference"
)

// field is a sweeper with everything that it needs, all of it fake; log has its calls in order.
type field struct {
	*hand
	log []string
	// due is everything that is nominated, and overdue how many windows the backstop finds.
	due     map[reference.Kind][]reference.Nomination
	overdue int
	// fail names calls of the log that fail, and slow is what every call takes.
	fail map[string]error
	slow time.Duration
	// refuse is the broker's answer to a hold's message.
	refuse   map[reference.HoldID]reference.Published
	results  func([]reference.Published) []reference.Published
	entries  []reference.Entry
	recorded []reference.Report
	cancel   func(call string)
}

func (f *field) call(format string, args ...any) error {
	call := fmt.Sprintf(format, args...)
	f.log = append(f.log, call)
	f.pass(f.slow)
	if f.cancel != nil {
		f.cancel(call)
	}
	return f.fail[call]
}

func (f *field) Due(_ context.Context, q reference.DueQuery) ([]reference.Nomination, error) {
	if err := f.call("due %s after %q", q.Kind, q.After.Hold); err != nil {
		return nil, err
	}
	var page []reference.Nomination
	for _, n := range f.due[q.Kind] {
		if n.Message.Window.Compare(q.After) > 0 && len(page) < q.Limit {
			page = append(page, n)
		}
	}
	return page, nil
}

func (f *field) ExpireOverdue(_ context.Context, age time.Duration, limit int) ([]reference.Window, error) {
	if err := f.call("overdue %s %d", age, limit); err != nil {
		return nil, err
	}
	n := min(f.overdue, limit)
	f.overdue -= n
	return make([]reference.Window, n), nil
}

func (f *field) RecordSweep(_ context.Context, r reference.Report) error {
	f.recorded = append(f.recorded, r)
	return f.call("record %s", r.ID)
}

func (f *field) Publish(_ context.Context, entries []reference.Entry) ([]reference.Published, error) {
	var ids []string
	var results []reference.Published
	for i, e := range entries {
		m, err := reference.DecodeMessage(e.Payload)
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(m.Window.Hold))
		result, refused := f.refuse[m.Window.Hold]
		if !refused {
			result.MessageID = fmt.Sprint(i)
		}
		results = append(results, result)
	}
	if err := f.call("publish %s", strings.Join(ids, " ")); err != nil {
		return nil, err
	}
	f.entries = append(f.entries, entries...)
	if f.results != nil {
		results = f.results(results)
	}
	return results, nil
}

func (f *field) NewToken() reference.Token { return "sweep" }

// nominations are of one kind, of holds that end in the same second.
func nominations(kind reference.Kind, ids ...reference.HoldID) []reference.Nomination {
	var found []reference.Nomination
	for _, id := range ids {
		found = append(found, reference.Nomination{Message: reference.Message{
			Kind: kind, Window: reference.Window{Hold: id, ExpiresAt: ends}, Learner: "l1", Section: "s1",
		}})
	}
	return found
}

type sweepCase struct {
	name  string
	setup func(*field)
	want  []string
	// report is what comes of it, without its ID.
	report reference.Report
	err    error
}

func TestSweep(t *testing.T) {
	for _, cases := range [][]sweepCase{wholeSweeps(), brokenSweeps(), cutSweeps()} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.run(t) })
		}
	}
}

func (c sweepCase) run(t *testing.T) {
	f := &field{hand: &hand{now: between}, due: map[reference.Kind][]reference.Nomination{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.setup(f)
	if end := f.cancel; end != nil {
		f.cancel = func(call string) {
			if call == "publish a b" {
				cancel()
			}
		}
	}
	p := policy
	p.Page = 2
	s := reference.Sweeper{Store: f, Queue: f, Clock: f.hand, Tokens: f, Policy: p}
	report, err := s.Run(ctx)
	if !errors.Is(err, c.err) || c.err == nil && err != nil {
		t.Errorf("error is %v, want one that wraps %v", err, c.err)
	}
	if errors.Is(err, reference.ErrUndrained) == report.Whole() {
		t.Errorf("error is %v of a sweep of which whole is %t", err, report.Whole())
	}
	c.report.ID = "sweep"
	if d := cmp.Diff(c.report, report); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if d := cmp.Diff(c.want, f.log); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	if slices.Contains(f.log, "record sweep") && !cmp.Equal(f.recorded, []reference.Report{report}) {
		t.Errorf("recorded is %+v, want the report", f.recorded)
	}
}

const (
	backstop = "overdue 10m0s 2"
	reminds  = `due remind after ""`
	expiries = `due expire after ""`
	record   = "record sweep"
)

func tally(remind, expire int) reference.Tally {
	return reference.Tally{Remind: remind, Expire: expire}
}

func wholeSweeps() []sweepCase {
	return []sweepCase{
		{"nothing-due", func(*field) {}, []string{backstop, reminds, expiries, record}, reference.Report{Drained: true}, nil},
		{"kinds-take-turns-page-by-page", func(f *field) {
			f.due[reference.Remind] = nominations(reference.Remind, "a", "b", "c", "d", "e")
			f.due[reference.Expire] = nominations(reference.Expire, "x", "y", "z")
		}, []string{
			backstop, reminds, "publish a b", expiries, "publish x y", `due remind after "b"`, "publish c d",
			`due expire after "y"`, "publish z", `due remind after "d"`, "publish e", record,
		}, reference.Report{Found: tally(5, 3), Published: tally(5, 3), Queued: 8, Pages: 5, Drained: true}, nil},
		{"last-page-is-full", func(f *field) { f.due[reference.Remind] = nominations(reference.Remind, "a", "b") },
			[]string{backstop, reminds, "publish a b", expiries, `due remind after "b"`, record},
			reference.Report{Found: tally(2, 0), Published: tally(2, 0), Queued: 2, Pages: 1, Drained: true}, nil},
		{"collapsed-by-the-broker-is-published", func(f *field) {
			f.due[reference.Remind] = nominations(reference.Remind, "a")
			f.refuse = map[reference.HoldID]reference.Published{"a": {MessageID: "7", Duplicate: true}}
		}, []string{backstop, reminds, "publish a", expiries, record},
			reference.Report{Found: tally(1, 0), Published: tally(1, 0), Queued: 1, Pages: 1, Drained: true}, nil},
		{"backstop-until-nothing-is-overdue", func(f *field) { f.overdue = 5 },
			[]string{backstop, backstop, backstop, reminds, expiries, record}, reference.Report{Backstop: 5, Drained: true}, nil},
	}
}

func brokenSweeps() []sweepCase {
	fail := func(call string) map[string]error { return map[string]error{call: errLost} }
	one := reference.Report{Found: tally(0, 1), Published: tally(0, 1), Queued: 1, Pages: 1}
	expire := func(f *field) { f.due[reference.Expire] = nominations(reference.Expire, "x") }
	return []sweepCase{
		{"backstop-fails-and-the-rest-goes-on", func(f *field) { expire(f); f.fail = fail(backstop) },
			[]string{backstop, reminds, expiries, "publish x", record}, one, errLost},
		{"one-kind-is-not-found-and-the-other-goes-on", func(f *field) { expire(f); f.fail = fail(reminds) },
			[]string{backstop, reminds, expiries, "publish x", record}, one, errLost},
		{"page-is-not-published-and-the-next-is", func(f *field) {
			f.due[reference.Remind], f.fail = nominations(reference.Remind, "a", "b", "c"), fail("publish a b")
		}, []string{backstop, reminds, "publish a b", expiries, `due remind after "b"`, "publish c", record},
			reference.Report{Found: tally(3, 0), Published: tally(1, 0), Queued: 1, Pages: 2}, errLost},
		{"entry-is-not-published-and-the-others-are", func(f *field) {
			f.due[reference.Remind] = nominations(reference.Remind, "a", "b")
			f.refuse = map[reference.HoldID]reference.Published{"a": {Err: fmt.Errorf("a: %w", errLost)}}
		}, []string{backstop, reminds, "publish a b", expiries, `due remind after "b"`, record},
			reference.Report{Found: tally(2, 0), Published: tally(1, 0), Queued: 1, Pages: 1}, errLost},
		{"message-is-too-long-and-the-others-of-its-page-are-published", func(f *field) {
			f.due[reference.Remind] = nominations(reference.Remind, "a", "b")
			f.due[reference.Remind][0].Message.Zone = strings.Repeat("z", reference.PayloadBytesMax)
		}, []string{backstop, reminds, "publish b", expiries, `due remind after "b"`, record},
			reference.Report{Found: tally(2, 0), Published: tally(1, 0), Queued: 1, Pages: 1}, reference.ErrInvalid},
		{"only-message-is-too-long", func(f *field) {
			f.due[reference.Remind] = nominations(reference.Remind, "a")
			f.due[reference.Remind][0].Message.Zone = strings.Repeat("z", reference.PayloadBytesMax)
		}, []string{backstop, reminds, expiries, record}, reference.Report{Found: tally(1, 0), Pages: 1}, reference.ErrInvalid},
		{"report-is-not-recorded", func(f *field) { expire(f); f.fail = fail(record) },
			[]string{backstop, reminds, expiries, "publish x", record},
			reference.Report{Found: tally(0, 1), Published: tally(0, 1), Queued: 1, Pages: 1, Drained: true}, errLost},
	}
}

// cutSweeps end before they are done.
func cutSweeps() []sweepCase {
	three := func(f *field) {
		f.due[reference.Remind] = nominations(reference.Remind, "a", "b", "c")
	}
	return []sweepCase{
		{"budget-ends-between-pages", func(f *field) { three(f); f.slow = 20 * time.Second },
			[]string{backstop, reminds, "publish a b", record},
			reference.Report{Found: tally(2, 0), Published: tally(2, 0), Queued: 2, Pages: 1}, context.DeadlineExceeded},
		{"budget-ends-in-the-backstop", func(f *field) { three(f); f.overdue, f.slow = 100, 25*time.Second },
			[]string{backstop, backstop, record}, reference.Report{Backstop: 4}, context.DeadlineExceeded},
		{"context-ends-and-nothing-follows", func(f *field) { three(f); f.cancel = func(string) {} },
			[]string{backstop, reminds, "publish a b"},
			reference.Report{Found: tally(2, 0), Published: tally(2, 0), Queued: 2, Pages: 1}, context.Canceled},
	}
}

// TestSweepBrokerMiscounts: a broker that answers for fewer entries, or more, is not believed.
func TestSweepBrokerMiscounts(t *testing.T) {
	for name, results := range map[string]func([]reference.Published) []reference.Published{
		"fewer": func(r []reference.Published) []reference.Published { return r[1:] },
		"more":  func(r []reference.Published) []reference.Published { return append(r, reference.Published{}) },
	} {
		t.Run(name, func(t *testing.T) {
			f := &field{hand: &hand{now: between}, due: map[reference.Kind][]reference.Nomination{
				reference.Remind: nominations(reference.Remind, "a", "b"),
			}, results: results}
			s := reference.Sweeper{Store: f, Queue: f, Clock: f.hand, Tokens: f, Policy: policy}
			report, err := s.Run(t.Context())
			if err == nil || report.Whole() || report.Queued != 0 {
				t.Errorf("error %v, report %+v, want an error and nothing published", err, report)
			}
		})
	}
}

// TestSweepKeys: overlapping sweeps make the same keys, and a later one others.
func TestSweepKeys(t *testing.T) {
	keys := func(age time.Duration) []string {
		f := &field{hand: &hand{now: between}, due: map[reference.Kind][]reference.Nomination{}}
		for _, kind := range []reference.Kind{reference.Remind, reference.Expire} {
			f.due[kind] = nominations(kind, "h1", "h2")
			for i := range f.due[kind] {
				f.due[kind][i].Age = age
			}
		}
		s := reference.Sweeper{Store: f, Queue: f, Clock: f.hand, Tokens: f, Policy: policy}
		if _, err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, e := range f.entries {
			keys = append(keys, e.Key)
		}
		return keys
	}
	first := keys(0)
	if d := cmp.Diff(first, keys(policy.Renominate-1)); d != "" {
		t.Errorf("keys of an overlapping sweep (-first +second):\n%s", d)
	}
	all := append(slices.Clone(first), keys(policy.Renominate)...)
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 8 {
		t.Errorf("%d different keys over two kinds, two holds and two ages, want 8", n)
	}
}

// slowRecord takes its time to record a sweep.
type slowRecord struct {
	*field
	limit time.Duration
	err   error
}

func (s *slowRecord) RecordSweep(ctx context.Context, _ reference.Report) error {
	s.pass(s.limit)
	s.err = ctx.Err()
	return s.err
}

// TestRecordingHasTheStoresTimeout, and not the sweep's budget.
func TestRecordingHasTheStoresTimeout(t *testing.T) {
	for limit, ended := range map[time.Duration]bool{policy.StoreTimeout - 1: false, policy.StoreTimeout: true} {
		f := &slowRecord{field: &field{hand: &hand{now: between}}, limit: limit}
		s := reference.Sweeper{Store: f, Queue: f, Clock: f.hand, Tokens: f, Policy: policy}
		_, _ = s.Run(t.Context())
		if (f.err != nil) != ended {
			t.Errorf("after %s recording ended with %v, want ended %t", limit, f.err, ended)
		}
	}
}

// TestSweepKeysChangeEveryBackstop: the policy's backstop reaches the keys.
func TestSweepKeysChangeEveryBackstop(t *testing.T) {
	at := func(age time.Duration) string {
		f := &field{hand: &hand{now: between}, due: map[reference.Kind][]reference.Nomination{reference.Remind: nominations(reference.Remind, "h1")}}
		f.due[reference.Remind][0].Age = age
		s := reference.Sweeper{Store: f, Queue: f, Clock: f.hand, Tokens: f, Policy: policy}
		if _, err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return f.entries[0].Key
	}
	if at(4*policy.Backstop-1) == at(4*policy.Backstop) {
		t.Error("the key doesn't change at four backstops")
	}
}

// TestPayloadOfExactlyTheMost: the limit itself is too much for a broker.
func TestPayloadOfExactlyTheMost(t *testing.T) {
	n := nominations(reference.Remind, "a")
	empty, _ := n[0].Message.Encode()
	n[0].Message.Zone = strings.Repeat("z", reference.PayloadBytesMax-len(empty))
	f := &field{hand: &hand{now: between}, due: map[reference.Kind][]reference.Nomination{reference.Remind: n}}
	s := reference.Sweeper{Store: f, Queue: f, Clock: f.hand, Tokens: f, Policy: policy}
	if report, _ := s.Run(t.Context()); report.Queued != 0 {
		t.Errorf("a payload of %d bytes was published", reference.PayloadBytesMax)
	}
}
