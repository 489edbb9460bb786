package once

// Secret is a text that prints as stars, so that no log, error or dump of a configuration gives it
// away. A conversion to string gives it.
type Secret string

const masked = "***"

// String gives stars, or nothing if there is no secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString gives what String gives.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText gives what String gives, for JSON and for log/slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
