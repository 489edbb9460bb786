package pgserver

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// DefaultImage is the image of the container where SEATHOLD_POSTGRES_IMAGE names none.
const DefaultImage = "postgres:15-alpine"

const (
	settingServer = "SEATHOLD_POSTGRES"
	settingImage  = "SEATHOLD_POSTGRES_IMAGE"

	exampleURL = "postgres://user:password@localhost:5432/postgres"
	accepted   = "want docker, local or a URL such as " + exampleURL
)

// way is how a server is had.
type way string

const (
	wayAny    way = ""
	wayDocker way = "docker"
	wayLocal  way = "local"
	wayURL    way = "url"
)

// setting is what the environment asks for. The globs are where server binaries are looked for
// beside PATH.
type setting struct {
	way   way
	url   *url.URL
	image string
	globs []string
}

// parseSetting reads the environment through getenv, such as [os.Getenv].
func parseSetting(getenv func(string) string) (setting, error) {
	s := setting{image: getenv(settingImage), globs: binaryGlobs}
	if s.image == "" {
		s.image = DefaultImage
	}
	switch value := getenv(settingServer); value {
	case "", string(wayDocker), string(wayLocal):
		s.way = way(value)
	default:
		u, err := parseURL(value)
		if err != nil {
			return setting{}, fmt.Errorf("%s: %w: %s", settingServer, err, accepted)
		}
		s.way, s.url = wayURL, u
	}
	return s, nil
}

// parseURL refuses what is no Postgres URL. A value that may hold a password is not repeated.
func parseURL(value string) (*url.URL, error) {
	scheme, _, isURL := strings.Cut(value, "://")
	switch {
	case !isURL && strings.ContainsAny(value, ":@"):
		return nil, errors.New("not a URL")
	case !isURL:
		return nil, fmt.Errorf("%q is not known", value)
	case scheme != "postgres" && scheme != "postgresql":
		return nil, fmt.Errorf("a %s URL is not a Postgres URL", scheme)
	}
	u, err := url.Parse(value)
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return nil, fmt.Errorf("malformed URL: %w", wrapped.Err)
	}
	if err == nil && !u.Query().Has("connect_timeout") {
		u = with(u, "connect_timeout", connectMax)
	}
	return u, err
}
