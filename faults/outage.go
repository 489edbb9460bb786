package faults

import (
	"fmt"

	"github.com/seathold/seathold/reference"
)

// Outage takes a port down for a period.
const Outage Kind = "outage"

var outageKind = kind{
	name:   Outage,
	doc:    "a port refuses every call before its effect, for all or for some nodes; no connection to a provider is made",
	who:    []string{portStore, portQueue, portProvider},
	needs:  []string{"from", "until"},
	takes:  []string{"channel", "nodes"},
	check:  checkOutage,
	effect: outageEffect,
	manner: AtCalls,
}

func checkOutage(f Fault) (key, problem string) {
	switch {
	case f.Who == "":
		return "", "outage needs to know of what: store, queue or provider"
	case f.Channel != "" && f.Who != portProvider:
		return "channel", "only providers have a channel: it goes with outage provider"
	}
	return "", ""
}

func outageEffect(f Fault, m Moment) Effect {
	err := fmt.Errorf("%s: %s is down: %w", m.Point, f.Who, ErrInjected)
	if f.Who == portProvider {
		err = &reference.NotAcceptedError{Err: err}
	}
	return Effect{Err: err}
}
