package explore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim"
	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/trial"
)

// backwards is a store that forgets the receipt of h1's email if h2's was claimed before it.
type backwards struct {
	sim.Store
	h1, h2 bool
}

func (b *backwards) Claim(ctx context.Context, q reference.ClaimRequest) (reference.Claim, error) {
	b.h1 = b.h1 || q.Reminder.Hold == "h1"
	b.h2 = b.h2 || q.Reminder.Hold == "h2" && !b.h1
	return b.Store.Claim(ctx, q)
}

func (b *backwards) Settle(ctx context.Context, s reference.Settlement) (reference.SettleAnswer, error) {
	if b.h2 && s.Reminder.Hold == "h1" && s.Reminder.Channel == reference.Email {
		return reference.Recorded, nil
	}
	return b.Store.Settle(ctx, s)
}

type backwardsBackend struct{ sim.Memory }

func (b backwardsBackend) Open(now func() time.Time, visibility time.Duration, maxReceives int) (sim.Store, sim.Broker, error) {
	store, queue, err := b.Memory.Open(now, visibility, maxReceives)
	return &backwards{Store: store}, queue, err
}

// TestOrderIsToldAlone: what only some orders break is found by all orders and by chance, in the same
// way on any number of cores, and comes back as a scenario that breaks it by itself.
func TestOrderIsToldAlone(t *testing.T) {
	u := trial.Subject{Backend: backwardsBackend{}}
	two, end := base(t, u, "orders-two"), base(t, u, "orders-people")
	answer := func(cores int) (*explore.Report, string) {
		s := explore.Search{Subject: u, Cores: cores}
		r := s.Run(context.Background(), []explore.Plan{{Name: "by chance", Cases: explore.Chances(two, 100)}})
		r.Join(s.Orders(context.Background(), []*explore.Base{two, end}, 1, 3000))
		text := strings.Join(r.Lines(), "\n")
		for _, f := range r.Findings {
			text += fmt.Sprintf("\n%s %d %s", f.Broken, f.Cases, f.Case.Name)
		}
		return r, text
	}
	r, one := answer(1)
	if r.Err != nil || len(r.Findings) == 0 {
		t.Fatalf("%v, %d findings", r.Err, len(r.Findings))
	}
	if _, four := answer(4); four != one {
		t.Errorf("one core and four:\n%s\n\n%s", one, four)
	}
	for _, f := range slices.Concat(r.Findings, explore.Search{Subject: u}.Orders(context.Background(), []*explore.Base{two}, 1, 3000).Findings) {
		if again := f.Case.Command("holdsim"); again != "holdsim explore -orders -preemptions 1 orders-two" && again != "holdsim explore -orders orders-two" {
			t.Errorf("%s is tried again by %s", f.Case.Name, again)
		}
		s, err := f.Case.Alone(context.Background(), u, f.Broken)
		if err != nil {
			t.Errorf("%s: %v", f.Case.Name, err)
			continue
		}
		again, err := u.Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, broke := again.Broke(f.Broken); !broke {
			t.Errorf("%s: it takes an order to break %s", f.Case.Name, f.Broken)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Findings[0].Case.Alone(ctx, u, r.Findings[0].Broken); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// TestOrdersInShards: every base is one shard's, and no time is no time.
func TestOrdersInShards(t *testing.T) {
	u := trial.Reference()
	bases := []*explore.Base{base(t, u, "orders-two"), base(t, u, "orders-twice"), base(t, u, "orders-stall")}
	var names []string
	for shard := 1; shard <= 2; shard++ {
		for _, o := range (explore.Search{Subject: u, Shard: shard, Shards: 2}).Orders(context.Background(), bases, 0, 10).Orders {
			names = append(names, fmt.Sprint(shard, " ", o.Base))
		}
	}
	if got := strings.Join(names, ", "); got != "1 orders-two, 1 orders-stall, 2 orders-twice" {
		t.Errorf("shards have %s", got)
	}
	r := explore.Search{Subject: u, Until: time.Now()}.Orders(context.Background(), bases, 0, 10)
	if r.Complete || r.Runs() > 0 || r.Err != nil {
		t.Errorf("without time: complete %t, %d runs, %v", r.Complete, r.Runs(), r.Err)
	}
}
