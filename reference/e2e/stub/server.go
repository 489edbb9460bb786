package stub

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server serves a Stub on one address, and can be away from it for a while.
type Server struct {
	stub    *Stub
	address string

	mu   sync.Mutex
	http *http.Server // nil while it is away
}

// Serve serves s on an address, such as 127.0.0.1:0.
func Serve(s *Stub, address string) (*Server, error) {
	v := &Server{stub: s, address: address}
	return v, v.Up()
}

// URL is where it is.
func (v *Server) URL() string { return "http://" + v.address }

// Up makes it be there again, on the same port.
func (v *Server) Up() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.http != nil {
		return nil
	}
	l, err := net.Listen("tcp", v.address)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	v.address = l.Addr().String()
	server := &http.Server{Handler: v.stub, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	v.http = server
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(fmt.Sprintf("stub: serve %s: %v", v.address, err))
		}
	}()
	return nil
}

// Down closes everything: connections are refused.
func (v *Server) Down() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.http != nil {
		v.http.Close()
		v.http = nil
	}
}
