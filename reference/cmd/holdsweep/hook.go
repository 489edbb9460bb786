package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/seathold/seathold/reference/watch"
)

const (
	hookPath     = "/hooks/sweep-seat-holds"
	bodyBytesMax = 64 << 10
)

// hook answers the hosted cron. It tells a stranger nothing but that he is one.
type hook struct {
	sweeps  *sweeps
	callers callers
	ready   func() error
	counts  *watch.Hook
	// work ends when a sweep is to be left as it is.
	work context.Context
}

// refusal is why a call is not answered with a sweep: a status, and one word for its caller.
type refusal struct {
	status int
	word   string
}

// ServeHTTP implements http.Handler.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if no := h.refuse(w, r); no != nil {
		h.write(w, no.status, map[string]string{"error": no.word})
		return
	}
	// The sweep outlasts its caller, whose patience says nothing about what is due.
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(h.work, cancel)()
	switch e := h.sweeps.sweep(ctx); {
	case e == nil:
		h.write(w, http.StatusOK, map[string]string{"skipped": "running"})
	case e.result == watch.ResultWhole:
		h.write(w, http.StatusOK, e.answer())
	default:
		h.write(w, http.StatusInternalServerError, e.answer())
	}
}

// refuse says why a call is refused; nil if it isn't.
func (h *hook) refuse(w http.ResponseWriter, r *http.Request) *refusal {
	known := h.callers.open() || h.callers.hasToken(r.Header)
	if !known && !h.callers.maySign(r.Header) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return &refusal{http.StatusUnauthorized, "unauthorized"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyBytesMax))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &refusal{http.StatusRequestEntityTooLarge, "body too large"}
	case err != nil:
		return &refusal{http.StatusBadRequest, "body can't be read"}
	case !known && !h.callers.hasSigned(body, r.Header):
		return &refusal{http.StatusUnauthorized, "unauthorized"}
	// What a cron sends along is its own business, but what isn't JSON isn't from one.
	case strings.TrimSpace(string(body)) != "" && !json.Valid(body):
		return &refusal{http.StatusBadRequest, "body is not JSON"}
	case h.ready() != nil:
		w.Header().Set("Retry-After", "5")
		return &refusal{http.StatusServiceUnavailable, "not ready"}
	}
	return nil
}

func (h *hook) write(w http.ResponseWriter, status int, what any) {
	h.counts.Answered(status)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The caller may be gone; the sweep has been made all the same.
	_ = json.NewEncoder(w).Encode(what)
}

// routes are what the public address answers.
func routes(h *hook, ready *watch.Ready) http.Handler {
	mux := ready.Health()
	mux.Handle("POST "+hookPath, h)
	return mux
}
