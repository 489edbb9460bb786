package once

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// gate is what the bytes of one call have to pass.
type gate struct {
	mu    sync.Mutex
	state gateState
	// conn is the connection that the call was given last; no other may carry it.
	conn *conn
	// start is asked before the first byte, and its error keeps the gate shut.
	start   func() error
	refusal error
}

type gateState int

const (
	waiting gateState = iota
	started           // something may have been written
	shut              // nothing was written, and nothing will be
)

var (
	errShut    = errors.New("the call is over")
	errElsehow = errors.New("the connection has no gate")
)

// bind gives the call a connection, before anything of the call is written there. A call that was
// started on another may be written there only.
func (g *gate) bind(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state != waiting {
		c.gate.Store(&gate{state: shut})
		return
	}
	g.conn = c
	c.gate.Store(g)
}

// pass is asked before every write.
func (g *gate) pass(c *conn) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.state == shut || g.conn != c:
		return errShut
	case g.state == started:
		return nil
	}
	if err := g.start(); err != nil {
		g.state, g.refusal = shut, err
		return err
	}
	g.state = started
	return nil
}

// end says whether it is certain that nothing was written, and sees to it that nothing will be. The
// error is what start said, if that was why.
func (g *gate) end() (certain bool, refusal error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.state == waiting {
		g.state = shut
	}
	return g.state == shut, g.refusal
}

// conn is a connection with a gate. Bytes that belong to no call, those of a TLS handshake or of a
// proxy's CONNECT, come before the first gate is bound.
type conn struct {
	net.Conn
	gate atomic.Pointer[gate]
}

// Write writes if the gate lets it.
func (c *conn) Write(b []byte) (int, error) {
	if g := c.gate.Load(); g != nil {
		if err := g.pass(c); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(b)
}

// gated finds the connection of ours below what the Transport made of it.
func gated(c net.Conn) (*conn, error) {
	for {
		switch at := c.(type) {
		case *conn:
			return at, nil
		case *tls.Conn:
			c = at.NetConn()
		default:
			return nil, errElsehow
		}
	}
}
