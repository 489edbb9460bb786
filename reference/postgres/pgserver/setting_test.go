package pgserver

import (
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		name, value, image string
		way                way
		url, wantImage     string
	}{
		{name: "unset", way: wayAny, wantImage: DefaultImage},
		{name: "docker", value: "docker", way: wayDocker, wantImage: DefaultImage},
		{name: "image", value: "docker", image: "other:1", way: wayDocker, wantImage: "other:1"},
		{name: "local", value: "local", way: wayLocal, wantImage: DefaultImage},
		{name: "url", value: "postgres://u:p@h:1/d", way: wayURL, url: "postgres://u:p@h:1/d?connect_timeout=10", wantImage: DefaultImage},
		{name: "url-keeps-timeout", value: "postgresql://h/d?connect_timeout=3", way: wayURL, url: "postgresql://h/d?connect_timeout=3", wantImage: DefaultImage},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := parseSetting(environment(test.value, test.image))
			if err != nil {
				t.Fatal(err)
			}
			if s.way != test.way || s.image != test.wantImage {
				t.Errorf("way %q, image %q; want %q, %q", s.way, s.image, test.way, test.wantImage)
			}
			if test.url != "" && s.url.String() != test.url {
				t.Errorf("url %s, want %s", s.url, test.url)
			}
		})
	}
}

func TestBadSettings(t *testing.T) {
	for name, test := range map[string]struct{ value, want string }{
		"unknown-word":  {"podman", `"podman" is not known`},
		"capitals":      {"Docker", `"Docker" is not known`},
		"no-scheme":     {"user:secret@host/db", "not a URL"},
		"other-scheme":  {"mysql://user:secret@host/db", "a mysql URL is not a Postgres URL"},
		"bad-port":      {"postgres://user:secret@host:port/db", `malformed URL: invalid port ":port" after host`},
		"bad-escape":    {"postgres://user:secret@host/%zz", `malformed URL: invalid URL escape "%zz"`},
		"broken-host":   {"postgres://user:secret@[::1/db", "malformed URL: missing ']' in host"},
		"control-bytes": {"postgres://user:secret@host/\x01", "malformed URL: net/url: invalid control character in URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseSetting(environment(test.value, ""))
			if err == nil {
				t.Fatal("no error")
			}
			if want := "SEATHOLD_POSTGRES: " + test.want + ": " + accepted; err.Error() != want {
				t.Errorf("error\n%s\nwant\n%s", err, want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Error("the error gives the password away")
			}
		})
	}
}

func environment(server, image string) func(string) string {
	return func(name string) string {
		return map[string]string{settingServer: server, settingImage: image}[name]
	}
}
