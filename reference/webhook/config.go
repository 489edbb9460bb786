package webhook

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/benbjohnson/clock"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/webhook/once"
)

// Config is one provider, for one channel or for several. What is zero but URL and Secrets has a
// default.
type Config struct {
	// URL is where requests go: http or https, without a user. It may have a secret in it, and
	// nothing but its scheme and host is ever put into an error.
	URL string
	// Secrets sign requests: each whsec_ and 24 to 64 bytes in base64. With several, as while one
	// replaces another, there is a signature by each.
	Secrets []once.Secret
	// Authorization is the value of that header, for a gateway on the way; usually empty.
	Authorization once.Secret
	// KeyHorizon is how long the provider remembers an Idempotency-Key; zero is that it honours
	// none, and is sent none. reference.Policy.CheckKeys says how long it must be.
	KeyHorizon time.Duration
	// Template is what the provider calls the text to send; TemplateDefault if empty.
	Template string
	// Statuses is what the provider documents of its answers.
	Statuses Table
	// RefField is the way to the receipt's reference in a JSON answer, such as id or data.id;
	// RefHeader a header, which comes first. Where neither is set there is no reference.
	RefField, RefHeader string
	// RefRequired says that a success without a reference is none of the provider's: unknown.
	RefRequired bool
	// RetryAfterMax is the longest Retry-After believed of one reminder; 24h if zero.
	RetryAfterMax time.Duration
	// Pause is what slots and channels with the same provider share; of one's own if nil.
	Pause *once.Pause
	// Connect is how connections are made; its Clock is that of Config.
	Connect once.Config
	// Clock is the process's; the real one if nil.
	Clock clock.Clock
	// Observer hears of every answer, and of what came instead. It must not block. It may be nil.
	Observer func(Exchange)
}

// Exchange is one Send as metrics and logs see it. It holds no contact data.
type Exchange struct {
	Reminder reference.Reminder
	Attempt  reference.Token
	// Class is what came of it, and Status the answer's, or zero if there was none.
	Class  Class
	Status int
	Took   time.Duration
	// Paused says that the provider was not asked at all, for a pause was on.
	Paused bool
	// ZoneUnknown says that the time was given in UTC, for the hold's zone is none.
	ZoneUnknown bool
}

// TemplateDefault is the template of a Config that names none.
const TemplateDefault = "seat-hold-expiring"

const (
	pauseMax         = time.Minute // longest pause by one answer
	retryAfterMax    = 24 * time.Hour
	secretBytesMin   = 24 // by the Standard Webhooks specification
	secretBytesMax   = 64
	secretPrefix     = "whsec_"
	templateBytesMax = 200
)

// NewPause makes a pause as a Config without one has it, to be shared by several.
func NewPause(clk clock.Clock) *once.Pause { return once.NewPause(clk, pauseMax) }

// New makes a Sender. Its error wraps reference.ErrInvalid, and tells no secret.
func New(c Config) (*Sender, error) {
	if c.Clock == nil {
		c.Clock = clock.New()
	}
	if c.Pause == nil {
		c.Pause = NewPause(c.Clock)
	}
	if c.Template == "" {
		c.Template = TemplateDefault
	}
	if c.RetryAfterMax == 0 {
		c.RetryAfterMax = retryAfterMax
	}
	target, err := c.check()
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	signers, err := signers(c.Secrets)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	c.Connect.Clock = c.Clock
	return &Sender{config: c, target: target, signers: signers, client: once.New(c.Connect)}, nil
}

func (c *Config) check() (*url.URL, error) {
	switch {
	case c.KeyHorizon < 0 || c.RetryAfterMax < 0:
		return nil, fmt.Errorf("key horizon %s and longest Retry-After %s must not be negative: %w", c.KeyHorizon, c.RetryAfterMax, reference.ErrInvalid)
	case len(c.Template) > templateBytesMax:
		return nil, fmt.Errorf("template of %d bytes, and %d is the most: %w", len(c.Template), templateBytesMax, reference.ErrInvalid)
	case c.RefRequired && c.RefField == "" && c.RefHeader == "":
		return nil, fmt.Errorf("a reference is required, and neither its field nor its header is named: %w", reference.ErrInvalid)
	case strings.ContainsFunc(string(c.Authorization), func(r rune) bool { return r < ' ' || r > '~' }):
		return nil, fmt.Errorf("the authorization has bytes that no header may have: %w", reference.ErrInvalid)
	}
	if err := c.Statuses.check(c.KeyHorizon > 0); err != nil {
		return nil, err
	}
	return parseURL(c.URL)
}

// parseURL reads a URL whose text must not get into an error.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the URL can't be read: %w", reference.ErrInvalid)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the URL's scheme is %q, and must be http or https: %w", u.Scheme, reference.ErrInvalid)
	case u.Host == "":
		return nil, fmt.Errorf("the URL has no host: %w", reference.ErrInvalid)
	case u.User != nil:
		return nil, fmt.Errorf("the URL of %s has a user in it: use the authorization for that: %w", u.Host, reference.ErrInvalid)
	}
	return u, nil
}

func signers(secrets []once.Secret) ([]*standardwebhooks.Webhook, error) {
	if len(secrets) == 0 {
		return nil, fmt.Errorf("there is no secret to sign by: %w", reference.ErrInvalid)
	}
	var all []*standardwebhooks.Webhook
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(secret), secretPrefix))
		if err != nil || len(key) < secretBytesMin || len(key) > secretBytesMax {
			return nil, fmt.Errorf("secret %d of %d is not %s and %d to %d bytes in base64: %w", i+1, len(secrets), secretPrefix, secretBytesMin, secretBytesMax, reference.ErrInvalid)
		}
		signer, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, fmt.Errorf("secret %d of %d: %w", i+1, len(secrets), err)
		}
		all = append(all, signer)
	}
	return all, nil
}

// header gives what every request has besides its body.
func (s *Sender) header(key string, at time.Time, text []byte) (http.Header, error) {
	h := http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"application/json"},
		"User-Agent":   {userAgent},
	}
	var signatures []string
	for _, signer := range s.signers {
		signature, err := signer.Sign(key, at, text)
		if err != nil {
			return nil, fmt.Errorf("sign: %w", err)
		}
		signatures = append(signatures, signature)
	}
	// The names as the specification writes them; their case has no meaning in HTTP/1.1.
	h.Set(standardwebhooks.HeaderWebhookID, key)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(at.Unix()))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	if s.config.KeyHorizon > 0 {
		h.Set("Idempotency-Key", key)
	}
	if s.config.Authorization != "" {
		h.Set("Authorization", string(s.config.Authorization))
	}
	return h, nil
}
