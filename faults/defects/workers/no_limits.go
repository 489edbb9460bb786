package workers

import (
	"time"

	"github.com/seathold/seathold/faults/defects/defect"
	"github.com/seathold/seathold/reference"
)

const ages = 400 * 24 * time.Hour

var noCutOff = defect.Defect{
	Name:    "no-cut-off",
	Mistake: "A nudge is sent as long as the hold is held, however late",
	Seen:    "168,000 texts nine months late: https://www.digitaltrends.com/mobile/170000-ghost-texts-delivered-syniverse/",
	New:     everywhere(func(p *reference.Policy) { p.Cutoff = -ages }),
}

var noDueCheck = defect.Defect{
	Name:    "no-due-check",
	Mistake: "A nudge is sent as soon as there is a hold",
	Seen:    "a comparison that chose what was due in the coming hour: https://github.com/woocommerce/woocommerce/pull/2445",
	New:     everywhere(func(p *reference.Policy) { p.Lead = ages }),
}

var leaseShorterThanTheProviderTimeout = defect.Defect{
	Name:    "lease-shorter-than-the-provider-timeout",
	Mistake: "A claim lapses while its own send still waits for the provider",
	Seen:    "a lock that lapses under a live worker: https://github.com/OptimalBits/bull/issues/308",
	New:     defect.Worker(func(w *reference.Worker) { w.Policy.Lease = w.Policy.SendTimeout / 4 }),
}

var sendFirstCalledClaimFirst = defect.Defect{
	Name:    "send-first-called-claim-first",
	Mistake: "A lapsed claim is sent again, by a deployment that says that it drops rather than doubles",
	Seen:    "whoever retries first and promises once",
	New:     defect.Worker(func(w *reference.Worker) { w.Policy.Order = reference.SendFirst }),
}

// everywhere is a policy of its own for workers and sweeps, which nothing checked.
func everywhere(change func(*reference.Policy)) func(int) defect.Pipeline {
	return func(int) defect.Pipeline {
		return defect.Pipeline{
			Work:  defect.Work(func(w *reference.Worker) { change(&w.Policy) }),
			Sweep: defect.Sweep(func(s *reference.Sweeper) { change(&s.Policy) }),
		}
	}
}
