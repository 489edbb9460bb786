package trace

import "github.com/seathold/seathold/faults"

// Left gives the messages that the events put into the queue and nothing took out again, in the
// order in which they came.
func Left(events []Event) []string {
	var order []string
	in := map[string]bool{}
	for i := range events {
		e := &events[i]
		switch e.What {
		case What(faults.SweepPublish), Redriven:
			if _, known := in[e.Message]; !known && e.Message != "" && !e.NoEffect {
				order = append(order, e.Message)
			}
			in[e.Message] = true
		case What(faults.WorkerAck), What(faults.WorkerDeadLetter):
			in[e.Message] = in[e.Message] && (e.NoEffect || e.Answer == "not-ours")
		case BrokerDead, BrokerLost:
			in[e.Message] = false
		case BrokerGone:
			for _, m := range order {
				in[m] = in[m] && e.Message != "" && e.Message != m
			}
		}
	}
	left := order[:0]
	for _, m := range order {
		if in[m] {
			left = append(left, m)
		}
	}
	return left
}
