package settings

import (
	"fmt"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// Secret is a value that nothing shows: it prints as a mask, in whatever way it is printed.
type Secret string

const mask = "…"

// Reveal gives the value to whom it is for.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Lines gives the values of a secret that may have several, one a line: the old and the new one
// while one is replaced by the other.
func (s Secret) Lines() []string {
	var lines []string
	for line := range strings.Lines(string(s)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

const (
	secretBytesMax = 64 << 10
	queryBytesMin  = 8
)

// readSecret reads a secret from a file, less the line end that editors put there.
func readSecret(path string) (Secret, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", fmt.Errorf("%s is a directory", path)
	case info.Size() > secretBytesMax:
		return "", fmt.Errorf("%s has %d bytes, and %d is the most for a secret", path, info.Size(), secretBytesMax)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	s := strings.TrimRight(string(content), "\r\n")
	if s == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return Secret(s), nil
}

var secretType = reflect.TypeFor[Secret]()

// decodeSecret takes a Secret as it is, and text, which comes from a command line, as the name of
// a file.
func decodeSecret(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("file")
	if err != nil {
		return err
	}
	value, direct := token.Value.(Secret)
	if !direct {
		if value, err = readSecret(fmt.Sprint(token.Value)); err != nil {
			return err
		}
	}
	target.SetString(string(value))
	return nil
}

// Endpoint is the URL of another program.
type Endpoint string

// String leaves out what may be secret in a URL: its password and its query.
func (e Endpoint) String() string { return maskURL(string(e)) }

// secrets are what may be secret in it: its query, as a whole and value by value. A short value is
// a word that may stand elsewhere.
func (e Endpoint) secrets() []string {
	u, err := url.Parse(string(e))
	if err != nil || u.RawQuery == "" {
		return nil
	}
	found := []string{u.RawQuery}
	for _, pair := range strings.Split(u.RawQuery, "&") {
		if _, value, _ := strings.Cut(pair, "="); len(value) >= queryBytesMin {
			found = append(found, value)
		}
	}
	return found
}

// Check wants an absolute http or https URL without a password in it.
func (e Endpoint) Check() error {
	u, err := url.Parse(string(e))
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a URL", e.String())
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%q is not an http or https URL", e.String())
	case u.User != nil:
		return fmt.Errorf("%q has a user in it, which ends up in logs", e.String())
	case u.Fragment != "":
		return fmt.Errorf("%q has a fragment, which is never sent", e.String())
	}
	return nil
}

// maskURL keeps the scheme, the user, the host and the path of a URL, and nothing of what is none.
func maskURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" && u.Path == "" || u.Scheme == "" {
		return mask
	}
	shown := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	if u.RawQuery != "" {
		return shown.String() + "?" + mask
	}
	return shown.String()
}

var pairPassword = regexp.MustCompile(`(?i)password\s*=\s*('(?:[^'\\]|\\.)*'|[^\s&]+)`)

// passwords are what is secret in a DSN: the password, as it is written and as it is meant.
func passwords(dsn string) []string {
	var found []string
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		if p, set := u.User.Password(); set {
			_, written, _ := strings.Cut(u.User.String(), ":")
			found = append(found, p, written)
		}
	}
	for _, m := range pairPassword.FindAllStringSubmatch(dsn, -1) {
		found = append(found, m[1], strings.Trim(m[1], "'"))
	}
	return found
}
