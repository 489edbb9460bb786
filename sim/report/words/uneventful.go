package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/trace"
)

// episode is one delivery that a worker handled without trouble, from receive to ack.
type episode struct {
	slot   string
	hold   reference.HoldID
	events []int
	easy   bool
}

// uneventful finds the deliveries that were handled without trouble: no fault, no redelivery,
// nobody else at the same hold meanwhile.
func uneventful(events []trace.Event) []episode {
	var easy []episode
	var open []*episode
	for i, e := range events {
		slot := Who(e)
		mine := slices.IndexFunc(open, func(p *episode) bool { return p.slot == slot })
		if e.What == receive {
			if mine >= 0 {
				open = slices.Delete(open, mine, mine+1)
			}
			open = append(open, &episode{slot: slot, hold: e.Hold, events: []int{i}, easy: easyStep(e) && e.N <= 1})
			continue
		}
		for _, p := range open {
			switch {
			case p.slot == slot || isEffect(events, i) && p.events[len(p.events)-1] == i-1:
				p.events = append(p.events, i)
				p.easy = p.easy && easyStep(e)
			case e.Hold == p.hold || e.Who+"/" == p.slot[:min(len(e.Who)+1, len(p.slot))]:
				p.easy = false
			}
		}
		if mine >= 0 && e.What == ack {
			if p := open[mine]; p.easy {
				easy = append(easy, *p)
			}
			open = slices.Delete(open, mine, mine+1)
		}
	}
	return easy
}

func isEffect(events []trace.Event, i int) bool {
	e := events[i]
	return i > 0 && (e.What == trace.Accepted || e.What == trace.Collapsed) && events[i-1].What == send
}

// easyStep says that a step went as it should.
func easyStep(e trace.Event) bool {
	if !Plain(e) {
		return false
	}
	switch e.What {
	case receive, trace.Accepted:
		return true
	case claim:
		switch reference.Answer(e.Answer) {
		case reference.Granted:
			return e.Doubt == ""
		case reference.Closed, reference.Settled, reference.Late:
			return true
		}
		return false
	case send:
		return e.Answer == accepted
	case settle:
		return e.Answer == string(reference.Recorded)
	case expire:
		return e.Answer == string(reference.ExpiredNow) || e.Answer == string(reference.ExpiryDone)
	case ack:
		return e.Answer == acked
	}
	return false
}

// episode words a delivery that was handled without trouble.
func (v voice) episode(events []trace.Event, p episode) string {
	var parts []string
	for _, i := range p.events {
		switch e := events[i]; {
		case e.What == claim && e.Answer != string(reference.Granted):
			parts = append(parts, string(e.Channel)+" "+claimAnswer(v, e))
		case e.What == settle:
			parts = append(parts, string(e.Channel)+" "+e.Outcome.String())
		case e.What == expire && e.Answer == string(reference.ExpiredNow):
			parts = append(parts, "expired")
		case e.What == expire:
			parts = append(parts, expireAnswer(v, e))
		}
	}
	return fmt.Sprintf("handles %s: %s", v.about(events[p.events[0]]), strings.Join(parts, ", "))
}
