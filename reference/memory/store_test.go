package memory_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/memory"
)

func hold(id reference.HoldID, ends time.Time) reference.Hold {
	return reference.Hold{
		ID: id, Learner: "l1", Section: "s1", ExpiresAt: ends, Zone: "UTC", State: reference.Held, Channels: reference.Channels,
	}
}

func TestLoadRefuses(t *testing.T) {
	ends := start.Add(10 * time.Minute)
	row := reference.Row{
		Reminder: reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: ends}, Channel: reference.Email},
		Token:    "t0", LeaseUntil: start.Add(time.Second), FirstClaimedAt: start,
	}
	with := func(edit func(*reference.Row)) []reference.Row {
		r := row
		edit(&r)
		return []reference.Row{r}
	}
	odd := hold("h2", ends)
	odd.State = "lost"
	for _, c := range []struct {
		name  string
		holds []reference.Hold
		rows  []reference.Row
		want  error
	}{
		{"hold-that-cannot-be", []reference.Hold{hold("", ends)}, nil, reference.ErrInvalid},
		{"unknown-state", []reference.Hold{odd}, nil, reference.ErrInvalid},
		{"hold-given-twice", []reference.Hold{hold("h2", ends), hold("h2", ends)}, nil, reference.ErrHoldExists},
		{"hold-that-is-there", []reference.Hold{hold("h1", ends)}, nil, reference.ErrHoldExists},
		{"row-without-hold", nil, with(func(r *reference.Row) { r.Hold = "h9" }), reference.ErrNoHold},
		{"row-given-twice", nil, []reference.Row{row, row}, reference.ErrInvalid},
		{"row-of-a-channel-that-the-hold-has-not", nil, with(func(r *reference.Row) { r.Channel = "fax" }), reference.ErrInvalid},
		{"row-of-a-window-that-cannot-be", nil, with(func(r *reference.Row) { r.ExpiresAt = ends.Add(1) }), reference.ErrInvalid},
		{"token-without-lease", nil, with(func(r *reference.Row) { r.LeaseUntil = time.Time{} }), reference.ErrInvalid},
		{"lease-without-token", nil, with(func(r *reference.Row) { r.Token = "" }), reference.ErrInvalid},
		{"unknown-doubt", nil, with(func(r *reference.Row) { r.Doubt = reference.Missed }), reference.ErrInvalid},
		{"unknown-outcome", nil, with(func(r *reference.Row) {
			r.Outcome = reference.Outcome{Verdict: reference.Sent, Reason: reference.Missed}
		}), reference.ErrInvalid},
		{"outcome-without-time", nil, with(func(r *reference.Row) { r.Outcome.Verdict = reference.Sent }), reference.ErrInvalid},
		{"time-without-outcome", nil, with(func(r *reference.Row) { r.SettledAt = start }), reference.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := memory.NewStore((&hand{start}).now)
			if err := s.Load([]reference.Hold{hold("h1", ends)}, nil); err != nil {
				t.Fatal(err)
			}
			more := append([]reference.Hold{hold("h0", ends)}, c.holds...)
			if err := s.Load(more, c.rows); !errors.Is(err, c.want) {
				t.Errorf("error is %v, want one that wraps %q", err, c.want)
			}
			if holds, rows := s.Snapshot(); len(holds) != 1 || len(rows) != 0 {
				t.Errorf("there are %d holds and %d rows, want what was there before: %v %v", len(holds), len(rows), holds, rows)
			}
		})
	}
	s := memory.NewStore((&hand{start}).now)
	for _, load := range []struct {
		holds []reference.Hold
		rows  []reference.Row
	}{{[]reference.Hold{hold("h1", ends)}, nil}, {nil, []reference.Row{row}}} {
		if err := s.Load(load.holds, load.rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Load(nil, []reference.Row{row}); !errors.Is(err, reference.ErrInvalid) {
		t.Errorf("row that is there: error is %v, want one that wraps %q", err, reference.ErrInvalid)
	}
}

// TestCopies changes what went in and what came out, and sees the store unchanged.
func TestCopies(t *testing.T) {
	s := memory.NewStore((&hand{start}).now)
	given := hold("h1", start.Add(time.Hour))
	given.Channels = slices.Clone(reference.Channels)
	if err := s.Create(context.Background(), given); err != nil {
		t.Fatal(err)
	}
	want := hold("h1", start.Add(time.Hour))
	given.Channels[0] = "fax"
	got, _ := s.Get(context.Background(), "h1")
	got.Channels[0] = "fax"
	holds, _ := s.Snapshot()
	holds[0].Channels[0] = "fax"
	if got, _ = s.Get(context.Background(), "h1"); gocmp.Diff(want, got) != "" {
		t.Errorf("hold (-want +got):\n%s", gocmp.Diff(want, got))
	}
}

// TestTimesAreAsPostgresKeepsThem: in UTC and whole microseconds, whatever clock there is.
func TestTimesAreAsPostgresKeepsThem(t *testing.T) {
	clock := &hand{start.In(time.FixedZone("x", 3600)).Add(8*time.Minute + 1_234_567*time.Nanosecond)}
	s := memory.NewStore(clock.now)
	ends := start.Add(10 * time.Minute)
	if err := s.Create(context.Background(), hold("h1", ends.In(time.FixedZone("y", -3600)))); err != nil {
		t.Fatal(err)
	}
	p := reference.DefaultPolicy()
	_, err := s.Claim(context.Background(), reference.ClaimRequest{
		Reminder: reference.Reminder{Window: reference.Window{Hold: "h1", ExpiresAt: ends}, Channel: reference.Email},
		Token:    "t1", Lead: p.Lead, Cutoff: p.Cutoff, Lease: p.Lease, Order: p.Order,
	})
	if err != nil {
		t.Fatal(err)
	}
	holds, rows := s.Snapshot()
	claimed := start.Add(8*time.Minute + 1_234*time.Microsecond)
	for i, want := range []time.Time{ends, ends, claimed, claimed.Add(p.Lease)} {
		if got := []time.Time{holds[0].ExpiresAt, rows[0].ExpiresAt, rows[0].FirstClaimedAt, rows[0].LeaseUntil}[i]; got != want {
			t.Errorf("time %d is %v, want %v", i, got, want)
		}
	}
}

func TestSweeps(t *testing.T) {
	s := memory.NewStore((&hand{start}).now)
	for _, r := range []reference.Report{{ID: "b", Pages: 1}, {ID: "a", Pages: 2}, {ID: "b", Pages: 3}} {
		if err := s.RecordSweep(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if d := gocmp.Diff([]reference.Report{{ID: "b", Pages: 1}, {ID: "a", Pages: 2}}, s.Sweeps()); d != "" {
		t.Errorf("reports (-want +got):\n%s", d)
	}
}

// TestDueIsWhatAScanFinds compares pages of what is due with a scan of everything, while workers
// and people change it.
func TestDueIsWhatAScanFinds(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		clock := &hand{start}
		s := memory.NewStore(clock.now)
		for i := range 400 {
			act(s, clock, r)
			if i%20 == 0 {
				for _, kind := range []reference.Kind{reference.Remind, reference.Expire} {
					want, got := scan(s, kind, clock.Time), pages(t, s, kind, 1+r.IntN(9))
					if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
						t.Fatalf("seed %d, step %d, due to %s (-want +got):\n%s", seed, i, kind, d)
					}
				}
			}
		}
	}
}

// act does one thing at random to one of a hundred holds. Refusals are as good as anything.
func act(s *memory.Store, clock *hand, r *rand.Rand) {
	ctx, p := context.Background(), reference.DefaultPolicy()
	clock.Time = clock.Add(time.Duration(r.IntN(5_000)) * time.Millisecond)
	id := reference.HoldID(fmt.Sprintf("h%d", r.IntN(100)))
	h, err := s.Get(ctx, id)
	if err != nil {
		_ = s.Create(ctx, hold(id, clock.Truncate(time.Second).Add(time.Duration(r.IntN(400))*time.Second)))
		return
	}
	reminder := reference.Reminder{Window: h.Window(), Channel: reference.Channels[r.IntN(2)]}
	token := reference.Token(fmt.Sprint(clock.UnixMicro()))
	claim := func() reference.Claim {
		c, _ := s.Claim(ctx, reference.ClaimRequest{
			Reminder: reminder, Token: token, Lead: p.Lead, Cutoff: p.Cutoff, Lease: p.Lease, SendTimeout: p.SendTimeout, Order: p.Order,
		})
		return c
	}
	switch r.IntN(8) {
	case 0:
		_ = s.Confirm(ctx, id)
	case 1:
		_ = s.Extend(ctx, h.Window(), h.ExpiresAt.Add(time.Duration(1+r.IntN(200))*time.Second))
	case 2:
		_, _, _ = s.Expire(ctx, h.Window(), "m")
	case 3:
		claim()
		_ = s.Release(ctx, reference.Release{Reminder: reminder, Token: token, After: time.Duration(r.IntN(60)) * time.Second})
	case 4:
		claim()
		_, _ = s.Settle(ctx, reference.Settlement{Reminder: reminder, Token: token, Outcome: reference.Outcome{Verdict: reference.Sent}})
	default:
		claim()
	}
}

// scan says what is due as DueQuery words it.
func scan(s *memory.Store, kind reference.Kind, now time.Time) []reference.Nomination {
	p := reference.DefaultPolicy()
	holds, rows := s.Snapshot()
	var found []reference.Nomination
	for _, h := range holds {
		nominate := func(w reference.Window, due time.Time) {
			found = append(found, reference.Nomination{Age: now.Sub(due), Message: reference.Message{
				Kind: kind, Window: w, Learner: h.Learner, Section: h.Section, Zone: h.Zone,
			}})
		}
		windows := map[time.Time]bool{}
		count := 0
		for _, r := range rows {
			if r.Hold == h.ID {
				if _, waiting := r.Waiting(now); r.Open() && !waiting {
					windows[r.ExpiresAt] = true
				}
				if r.ExpiresAt.Equal(h.ExpiresAt) {
					count++
				}
			}
		}
		due := h.ExpiresAt.Add(-p.Lead)
		if h.State == reference.Held && !now.Before(due) && now.Before(h.ExpiresAt.Add(-p.Cutoff)) && count < len(h.Channels) {
			windows[h.ExpiresAt] = true
		}
		switch {
		case kind == reference.Remind:
			for at := range windows {
				nominate(reference.Window{Hold: h.ID, ExpiresAt: at}, at.Add(-p.Lead))
			}
		case h.State == reference.Held && !now.Before(h.ExpiresAt):
			nominate(h.Window(), h.ExpiresAt)
		}
	}
	slices.SortFunc(found, func(a, b reference.Nomination) int {
		return cmp.Or(a.Message.Window.Compare(b.Message.Window), 0)
	})
	return found
}

func pages(t *testing.T, s *memory.Store, kind reference.Kind, limit int) []reference.Nomination {
	t.Helper()
	p := reference.DefaultPolicy()
	q := reference.DueQuery{Kind: kind, Lead: p.Lead, Cutoff: p.Cutoff, Limit: limit}
	var all []reference.Nomination
	for {
		page, err := s.Due(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page...)
		if len(page) < limit {
			return all
		}
		q.After = page[limit-1].Message.Window
	}
}
