package pgserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeDaemon is a Docker daemon that has no image, and no registry to pull one from.
func fakeDaemon(t *testing.T, extra map[string]http.HandlerFunc) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_ping", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /images/", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such image", http.StatusNotFound) })
	mux.HandleFunc("POST /images/create", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json") // the status is 200 by then
		fmt.Fprintf(w, `{"errorDetail":{"message":"no registry for %s"}}`, r.URL.Query().Get("fromImage"))
	})
	for pattern, handler := range extra {
		mux.HandleFunc(pattern, handler)
	}
	daemon := httptest.NewServer(mux)
	t.Cleanup(daemon.Close)
	t.Setenv("DOCKER_HOST", strings.Replace(daemon.URL, "http://", "tcp://", 1))
}

func TestImageCannotBePulled(t *testing.T) {
	fakeDaemon(t, nil)
	_, err := startContainer(t.Context(), "absent:1")
	const want = "pull image absent:1, which SEATHOLD_POSTGRES_IMAGE can replace: no registry for absent:1"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestStaleContainersAreRemoved(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	now := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	fakeDaemon(t, map[string]http.HandlerFunc{
		"GET /info": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"SystemTime":%q}`, now.Format(time.RFC3339Nano))
		},
		"GET /containers/json": func(w http.ResponseWriter, r *http.Request) {
			if got := r.URL.Query().Get("filters"); got != `{"label":["`+containerLabel+`"]}` {
				t.Errorf("asked for containers %s", got)
			}
			fmt.Fprintf(w, `[{"Id":"young","Created":%d},{"Id":"old","Created":%d}]`,
				now.Add(-containerLife).Unix(), now.Add(-containerLife-time.Second).Unix())
		},
		"DELETE /containers/{id}": func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, r.PathValue("id"))
		},
	})
	removeStale(t.Context(), dockerClient(t))
	if diff := cmp.Diff([]string{"old"}, asked); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
}

func TestSplitImage(t *testing.T) {
	for image, want := range map[string][2]string{
		"postgres":                   {"postgres", "latest"},
		"postgres:15":                {"postgres", "15"},
		"seathold/postgres:15":       {"seathold/postgres", "15"},
		"registry:5000/postgres":     {"registry:5000/postgres", "latest"},
		"registry:5000/postgres:15":  {"registry:5000/postgres", "15"},
		"postgres@sha256:0123456789": {"postgres@sha256", "0123456789"},
	} {
		repository, tag := splitImage(image)
		if got := [2]string{repository, tag}; got != want {
			t.Errorf("splitImage(%q) = %q, want %q", image, got, want)
		}
	}
}

func TestDaemonHost(t *testing.T) {
	for endpoint, want := range map[string]string{
		"unix:///var/run/docker.sock": loopback,
		"tcp://10.1.2.3:2376":         "10.1.2.3",
		"http://build:2375":           "build",
		"npipe:////./pipe/engine":     loopback,
	} {
		if got := daemonHost(endpoint); got != want {
			t.Errorf("daemonHost(%q) = %q, want %q", endpoint, got, want)
		}
	}
}
