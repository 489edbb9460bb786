package once

import (
	"errors"
	"net"
	"testing"
)

// TestGate: whatever a transport does with connections, the bytes of a call pass on one of them.
func TestGate(t *testing.T) {
	open := func() *conn { return &conn{Conn: &net.TCPConn{}} }
	yes := func() error { return nil }
	a, b := open(), open()
	g := &gate{start: yes}
	g.bind(a)
	g.bind(b)
	if g.pass(a) == nil {
		t.Error("written on the connection that was given back")
	}
	if err := errors.Join(g.pass(b), g.pass(b)); err != nil {
		t.Error(err)
	}
	c := open()
	g.bind(c)
	if err := c.gate.Load().pass(c); !errors.Is(err, errShut) {
		t.Errorf("a started call on another connection: %v, want %v", err, errShut)
	}
	if certain, _ := g.end(); certain || g.pass(b) != nil {
		t.Error("a call that was started is not over by its end")
	}
	next := &gate{start: yes}
	next.bind(b)
	if certain, _ := next.end(); !certain || next.pass(b) == nil {
		t.Error("written after the end")
	}
	if _, err := gated(&net.UDPConn{}); err == nil {
		t.Error("a connection without a gate was taken")
	}
}
