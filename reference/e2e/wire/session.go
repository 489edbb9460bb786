package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// session is one connection through the proxy. The client waits for each reply, so that which one
// is to be held is known before it comes.
type session struct {
	proxy          *Proxy
	client, server net.Conn
	statements     map[string]string

	mu   sync.Mutex
	hold *Gate // of the reply that comes
}

var errDropped = errors.New("dropped at a gate")

func (s *session) close() {
	s.client.Close()
	s.server.Close()
}

// requests passes on what the client sends. A client that is gone leaves the server to finish what
// it was sent.
func (s *session) requests() {
	defer s.server.Close()
	if _, err := forward(s.client, s.server, 0, nil); err != nil { // the startup message has no type
		return
	}
	for {
		if _, err := forward(s.client, s.server, 1, s.request); err != nil {
			return
		}
	}
}

// request looks at what the client sends: Parse names a statement, Bind and Query execute one.
func (s *session) request(kind byte, body []byte) error {
	parts := bytes.SplitN(body, []byte{0}, 3)
	var statement string
	switch {
	case kind == 'P' && len(parts) > 1:
		s.statements[string(parts[0])] = string(parts[1])
		return nil
	case kind == 'B' && len(parts) > 1:
		statement = s.statements[string(parts[1])]
	case kind == 'Q':
		statement = strings.TrimSpace(string(parts[0]))
	default:
		return nil
	}
	g := s.proxy.gate(statement)
	switch {
	case g == nil:
		return nil
	case g.Reply:
		s.mu.Lock()
		s.hold = g
		s.mu.Unlock()
		return nil
	}
	return wait(g)
}

func wait(g *Gate) error {
	close(g.reached)
	if !<-g.verdict {
		return errDropped
	}
	return nil
}

// replies passes on what the server sends, and keeps a held reply together until it may go.
func (s *session) replies() {
	defer s.close()
	var kept bytes.Buffer
	for {
		s.mu.Lock()
		hold := s.hold
		s.mu.Unlock()
		if hold == nil {
			if _, err := forward(s.server, s.client, 1, nil); err != nil {
				return
			}
			continue
		}
		kind, err := forward(s.server, &kept, 1, nil)
		if err != nil {
			return
		}
		if kind != 'Z' { // ready for the next: what was done is committed
			continue
		}
		s.mu.Lock()
		s.hold = nil
		s.mu.Unlock()
		if wait(hold) != nil {
			return
		}
		if _, err := kept.WriteTo(s.client); err != nil {
			return
		}
	}
}

const messageBytesMax = 64 << 20

// forward copies one message with a type of so many bytes, once look has let it.
func forward(from io.Reader, to io.Writer, typeBytes int, look func(kind byte, body []byte) error) (kind byte, err error) {
	head := make([]byte, typeBytes+4)
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, err
	}
	length := binary.BigEndian.Uint32(head[typeBytes:])
	if length < 4 || length > messageBytesMax {
		return 0, fmt.Errorf("a message of %d bytes", length)
	}
	message := append(head, make([]byte, length-4)...)
	if _, err := io.ReadFull(from, message[len(head):]); err != nil {
		return 0, err
	}
	if look != nil {
		if err := look(message[0], message[len(head):]); err != nil {
			return 0, err
		}
	}
	_, err = to.Write(message)
	return message[0], err
}
