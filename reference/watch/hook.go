package watch

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// Hook counts what callers of the sweep's endpoint are answered.
type Hook struct{ requests *prometheus.CounterVec }

// NewHook makes the metrics of the endpoint.
func NewHook(r prometheus.Registerer) *Hook {
	h := &Hook{makes{r}.counters("hook_requests_total", "Calls of the sweep's endpoint, by status: 401 is no token or signature that is known.", "status")}
	begin(h.requests, []string{"200", "400", "401", "413", "500", "503"})
	return h
}

// Answered counts one answer.
func (h *Hook) Answered(status int) { h.requests.WithLabelValues(strconv.Itoa(status)).Inc() }
