package faults

// Throttle is a provider that asks to be left alone for a while.
const Throttle Kind = "throttle"

var throttleKind = kind{
	name:       Throttle,
	doc:        "the provider answers a send by 429: nothing was accepted, ask again after retry-after",
	who:        []string{portProvider},
	whoDefault: portProvider,
	strikesAt:  ProviderSend,
	takes:      []string{"on", "channel", "nth", "from", "until", "status", "retry-after"},
	check: func(f Fault) (key, problem string) {
		if f.Status != 0 && f.Status != 429 && f.Status != 425 {
			return "status", "a provider throttles by 429 or 425; after a 5xx nobody knows: use error before=send"
		}
		return "", ""
	},
	effect: func(f Fault, _ Moment) Effect { return Effect{Err: Answer(or(f.Status, 429), f.RetryAfter)} },
	manner: AtCalls,
}
