package connect

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/benbjohnson/clock"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/settings"
	"github.com/seathold/seathold/reference/watch"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

// Routes makes the senders of the channels chosen. Those with the same provider share its pauses.
func Routes(c settings.Channels, slots int, clk clock.Clock, heard func(watch.Exchange)) ([]reference.Route, error) {
	pauses := map[string]*once.Pause{}
	var routes []reference.Route
	for _, channel := range c.Chosen() {
		of := c.Of(channel)
		host := hostOf(of.URL)
		if pauses[host] == nil {
			pauses[host] = webhook.NewPause(clk)
		}
		sender, err := sender(channel, of, slots, clk, pauses[host], heard)
		if err != nil {
			return nil, &settings.Problem{
				What: fmt.Sprintf("%s: %s", channel, settings.Plain(err)), Exit: settings.ExitUsage,
				Hint: fmt.Sprintf("see the settings that begin with SEATHOLD_%s_ in SETTINGS.md", map[reference.Channel]string{reference.Email: "EMAIL", reference.SMS: "SMS"}[channel]),
			}
		}
		routes = append(routes, reference.Route{Channel: channel, Sender: sender})
	}
	return routes, nil
}

func sender(channel reference.Channel, of settings.Channel, slots int, clk clock.Clock, pause *once.Pause, heard func(watch.Exchange)) (*webhook.Sender, error) {
	statuses, err := webhook.ParseTable(of.Statuses)
	if err != nil {
		return nil, fmt.Errorf("statuses: %w", err)
	}
	var secrets []once.Secret
	for _, s := range of.Secret.Lines() {
		secrets = append(secrets, once.Secret(s))
	}
	return webhook.New(webhook.Config{
		URL: string(of.URL), Secrets: secrets, Authorization: once.Secret(of.Authorization.Reveal()), KeyHorizon: of.KeyHorizon,
		Template: of.Template, Statuses: statuses, RefField: of.RefField, RefHeader: of.RefHeader, RefRequired: of.RefRequired,
		RetryAfterMax: of.RetryAfterMax, Pause: pause, Connect: once.Config{IdleMax: slots}, Clock: clk,
		Observer: func(e webhook.Exchange) {
			heard(watch.Exchange{
				Channel: channel, Class: string(cmp.Or(e.Class, webhook.Unknown)), Took: e.Took, Paused: e.Paused, ZoneUnknown: e.ZoneUnknown,
			})
		},
	})
}

func hostOf(e settings.Endpoint) string {
	u, err := url.Parse(string(e))
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
