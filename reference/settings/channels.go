package settings

import (
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
)

// Channels are the channels that a worker sends on.
type Channels struct {
	Channels []string `default:"email,sms" help:"The channels that are sent on: email, sms or both. Reminders on others are recorded as missed."`
	Email    Channel  `embed:"" prefix:"email-"`
	SMS      Channel  `embed:"" prefix:"sms-"`
}

// Channel is the provider of one channel.
type Channel struct {
	URL           Endpoint      `name:"url" placeholder:"URL" help:"The webhook that sends on this channel."`
	Secret        Secret        `name:"secret-file" placeholder:"PATH" help:"What calls are signed by, as standard-webhooks has it (whsec_ and base64); several, one a line, while one replaces another."`
	Authorization Secret        `name:"authorization-file" placeholder:"PATH" help:"The Authorization header of calls, such as Bearer and a token, where a gateway wants one."`
	KeyHorizon    time.Duration `name:"key-horizon" default:"0s" help:"How long the webhook remembers the Idempotency-Key of a call; 0 if it doesn't honour it. Honoured, a crash or a timeout neither drops nor doubles."`
	Template      string        `name:"template" placeholder:"NAME" help:"What the webhook calls the text to send; seat-hold-expiring if empty."`
	Statuses      string        `name:"statuses" placeholder:"STATUS=CLASS,…" help:"What the webhook documents of its answers beyond the rules: 503=not-accepted,404=rejected."`
	RefField      string        `name:"ref-field" placeholder:"NAME" help:"Where in its JSON answer the webhook names what it accepted, such as id or data.id."`
	RefHeader     string        `name:"ref-header" placeholder:"NAME" help:"The header in which it does, which comes first."`
	RefRequired   bool          `name:"ref-required" help:"A success without that name is nobody's word: the outcome is unknown."`
	RetryAfterMax time.Duration `name:"retry-after-max" default:"24h" help:"The longest Retry-After that is believed."`
}

// Of gives the provider of a channel.
func (c Channels) Of(channel reference.Channel) Channel {
	if channel == reference.SMS {
		return c.SMS
	}
	return c.Email
}

// Chosen are the channels to send on, in the order in which a worker takes them.
func (c Channels) Chosen() []reference.Channel {
	var chosen []reference.Channel
	for _, channel := range reference.Channels {
		if slices.Contains(c.Channels, string(channel)) {
			chosen = append(chosen, channel)
		}
	}
	return chosen
}

// Check refuses a channel without a provider, and a provider without its channel.
func (c Channels) Check(p Policy) error {
	for i, name := range c.Channels {
		if !slices.Contains(reference.Channels, reference.Channel(name)) {
			return refuse("channels are "+strings.Join(words(reference.Channels), ", "), "channels: %q is none", name)
		}
		if slices.Contains(c.Channels[:i], name) {
			return refuse("name each once", "channels: %s is there twice", name)
		}
	}
	for _, channel := range reference.Channels {
		if err := c.checkOne(channel, slices.Contains(c.Channels, string(channel)), p); err != nil {
			return err
		}
	}
	return nil
}

func (c Channels) checkOne(channel reference.Channel, chosen bool, p Policy) error {
	of, url, secret := c.Of(channel), string(channel)+"-url", string(channel)+"-secret"
	switch {
	case !chosen && of.URL != "":
		return refuse("add "+string(channel)+" to "+envOf("channels")+", or unset "+envOf(url),
			"%s is set, and channels is %s", url, strings.Join(c.Channels, ","))
	case !chosen:
		return nil
	case of.URL == "":
		return refuse(setBy(url)+"; or leave "+string(channel)+" out of "+envOf("channels"), "%s is not set, and channels is %s", url, strings.Join(c.Channels, ","))
	case of.Secret == "":
		return refuse(setBy(secret), "%s is not set: calls must be signed", secret)
	}
	if err := of.URL.Check(); err != nil {
		return refuse("such as https://notify.example.com/"+string(channel), "%s: %v", url, err)
	}
	if err := p.Reference().CheckKeys(channel, of.KeyHorizon); err != nil {
		return refuse("a horizon so short can't be retaken by: set "+envOf(string(channel)+"-key-horizon")+" to 0, or shorten send-timeout", "%s", Plain(err))
	}
	return nil
}

func words[S ~string](all []S) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return out
}
