package faults

// Reject is a provider that refuses for good.
const Reject Kind = "reject"

var rejectKind = kind{
	name:       Reject,
	doc:        "the provider refuses a send for good, with a 4xx (400)",
	who:        []string{portProvider},
	whoDefault: portProvider,
	strikesAt:  ProviderSend,
	takes:      []string{"on", "channel", "nth", "from", "until", "status"},
	check: func(f Fault) (key, problem string) {
		if f.Status != 0 && !refusal(f.Status) {
			return "status", "a provider refuses for good by 400 to 499 except 408, 425 and 429"
		}
		return "", ""
	},
	effect: func(f Fault, _ Moment) Effect { return Effect{Err: Answer(or(f.Status, 400), 0)} },
	manner: AtCalls,
}
