package watch

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Ready is whether a program can do its work. The zero Ready can't yet.
type Ready struct {
	mu      sync.Mutex
	known   bool
	err     error
	leaving bool
}

var (
	errStarting = errors.New("starting")
	errLeaving  = errors.New("on its way out")
)

// Set notes what the last look came to, and says whether that is news.
func (r *Ready) Set(err error) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	news = !r.known || (r.err == nil) != (err == nil)
	r.known, r.err = true, err
	return news
}

// Leave says that the program is on its way out.
func (r *Ready) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaving = true
}

// Err is why the program isn't ready; nil if it is.
func (r *Ready) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.leaving:
		return errLeaving
	case !r.known:
		return errStarting
	}
	return r.err
}

// Health answers /healthz and /readyz, without saying why: it may be on the public internet.
func (r *Ready) Health() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if r.Err() != nil {
			say(w, http.StatusServiceUnavailable, "not ready")
			return
		}
		say(w, http.StatusOK, "ok")
	})
	return mux
}

// Pages answers /metrics, /healthz and /readyz.
func Pages(r *Ready, metrics prometheus.Gatherer) http.Handler {
	mux := r.Health()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return mux
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	// The caller may be gone, which is nobody's trouble.
	_, _ = io.WriteString(w, text+"\n")
}
