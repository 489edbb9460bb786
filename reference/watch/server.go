package watch

import (
	"log/slog"
	"net/http"
	"time"
)

const headerBytesMax = 16 << 10

// Server makes a server that no caller can hold up: every phase of a request has its time, and its
// headers a size. Answer is how long answering may take.
func Server(h http.Handler, answer time.Duration, log *slog.Logger) *http.Server {
	const read = 10 * time.Second
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: read, IdleTimeout: time.Minute,
		// It counts from the end of the headers, so that the body's time is in it.
		WriteTimeout:   read + answer,
		MaxHeaderBytes: headerBytesMax,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
