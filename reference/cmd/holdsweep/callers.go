package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/seathold/seathold/reference/settings"
)

// callers are those who may call the hook: whoever has one of the tokens, or signs by one of the
// secrets, as Standard Webhooks has it. With neither, everybody may.
type callers struct {
	// tokens are hashed, so that comparing takes the same time whatever a token's length is.
	tokens  [][sha256.Size]byte
	secrets []*standardwebhooks.Webhook
}

func newCallers(s settings.Hook) (callers, error) {
	var c callers
	for _, token := range s.HookToken.Lines() {
		c.tokens = append(c.tokens, sha256.Sum256([]byte(token)))
	}
	for _, secret := range s.HookSecret.Lines() {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return c, fmt.Errorf("hook-secret: %w", err)
		}
		c.secrets = append(c.secrets, verifier)
	}
	return c, nil
}

// open says that nothing is asked of callers.
func (c callers) open() bool { return len(c.tokens) == 0 && len(c.secrets) == 0 }

// hasToken compares in constant time, and with every token.
func (c callers) hasToken(h http.Header) bool {
	scheme, given, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return false
	}
	sum, equal := sha256.Sum256([]byte(strings.TrimSpace(given))), 0
	for _, token := range c.tokens {
		equal |= subtle.ConstantTimeCompare(sum[:], token[:])
	}
	return equal == 1
}

// maySign says that a call has a signature, for which its body must be read.
func (c callers) maySign(h http.Header) bool {
	return len(c.secrets) > 0 && h.Get(standardwebhooks.HeaderWebhookSignature) != ""
}

// hasSigned verifies the signature, and that it is no older than five minutes. A call that is
// replayed within them makes one sweep more, which does no harm.
func (c callers) hasSigned(body []byte, h http.Header) bool {
	for _, secret := range c.secrets {
		if secret.Verify(body, h) == nil {
			return true
		}
	}
	return false
}
