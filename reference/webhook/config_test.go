package webhook_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/webhook"
	"github.com/seathold/seathold/reference/webhook/once"
)

var oneSecret = []once.Secret{secret}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		name   string
		config webhook.Config
		want   string // part of the error, or empty
	}{
		{"least", webhook.Config{URL: "https://provider.example/nudge", Secrets: oneSecret}, ""},
		{"secret-without-prefix", webhook.Config{URL: "http://127.0.0.1:1", Secrets: []once.Secret{secret[6:]}}, ""},
		{"no-url", webhook.Config{Secrets: oneSecret}, "scheme"},
		{"url-that-is-none", webhook.Config{URL: "http://[tell-no-one", Secrets: oneSecret}, "can't be read"},
		{"other-scheme", webhook.Config{URL: "ftp://x", Secrets: oneSecret}, "ftp"},
		{"no-host", webhook.Config{URL: "http:///tell-no-one", Secrets: oneSecret}, "no host"},
		{"user-in-url", webhook.Config{URL: "http://u:tell-no-one@x", Secrets: oneSecret}, "has a user"},
		{"no-secret", webhook.Config{URL: "http://x"}, "no secret"},
		{"secret-not-in-base64", webhook.Config{URL: "http://x", Secrets: []once.Secret{secret, "tell-no-one"}}, "secret 2 of 2"},
		{"secret-too-short", webhook.Config{URL: "http://x", Secrets: []once.Secret{"whsec_c2hvcnQ="}}, "24 to 64 bytes"},
		{"negative-horizon", webhook.Config{URL: "http://x", Secrets: oneSecret, KeyHorizon: -1}, "key horizon"},
		{"long-template", webhook.Config{URL: "http://x", Secrets: oneSecret, Template: strings.Repeat("x", 201)}, "201 bytes"},
		{"authorization-with-a-line", webhook.Config{URL: "http://x", Secrets: oneSecret, Authorization: "tell-no-one\r\nX: y"}, "authorization"},
		{"reference-required-of-nowhere", webhook.Config{URL: "http://x", Secrets: oneSecret, RefRequired: true}, "reference"},
		{"certain-5xx-without-keys", webhook.Config{URL: "http://x", Secrets: oneSecret, Statuses: webhook.Table{503: webhook.NotAccepted}}, "honours no keys"},
		{"certain-5xx-with-keys", webhook.Config{URL: "http://x", Secrets: oneSecret, KeyHorizon: time.Hour, Statuses: webhook.Table{503: webhook.NotAccepted}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := webhook.New(c.config)
			if c.want == "" {
				if err != nil || s.KeyHorizon() != c.config.KeyHorizon {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if !errors.Is(err, reference.ErrInvalid) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "tell-no-one") {
				t.Errorf("the error is %v, want one that says %q and no secret", err, c.want)
			}
		})
	}
}
