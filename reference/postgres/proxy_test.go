package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/lib/pq"

	"github.com/seathold/seathold/reference/postgres/pgtest"
)

// proxy stands between lib/pq and the server, and can take a reply away after the server has
// committed. It knows of the protocol how messages are framed, and which statement is executed.
type proxy struct {
	network, address string
	listener         net.Listener
	mu               sync.Mutex
	cut              *cut
}

// cut says which reply is taken away, once: that of the first execution of statement.
type cut struct {
	statement string
	// reset ends the connection by a reset, which lib/pq reports, and not in good order, after which
	// database/sql runs the statement again.
	reset bool
	// passed is how many messages of the reply are let through.
	passed int
	// executed counts executions of the statement, and fired says that the reply was taken away.
	executed int
	fired    bool
}

// proxied starts a proxy before the server of dsn, and gives it with the DSN by which it is used.
func proxied(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	config, err := pq.NewConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{network: "tcp", address: net.JoinHostPort(config.Host, fmt.Sprint(config.Port))}
	if strings.HasPrefix(config.Host, "/") {
		p.network, p.address = "unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.listener.Close() })
	go p.serve()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = p.listener.Addr().String(), query.Encode()
	return p, u.String()
}

// arm makes the next execution's reply be taken away.
func (p *proxy) arm(c cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = &c
}

// disarm gives what became of the cut.
func (p *proxy) disarm() cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.cut
	p.cut = nil
	return *c
}

// executes counts an execution, and says whether its reply is to be taken away.
func (p *proxy) executes(statement string) (cut, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil || p.cut.statement != statement {
		return cut{}, false
	}
	p.cut.executed++
	if p.cut.fired {
		return cut{}, false
	}
	p.cut.fired = true
	return *p.cut, true
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.address)
		if err != nil {
			client.Close()
			return
		}
		s := &session{proxy: p, client: client.(*net.TCPConn), server: server, statements: map[string]string{}}
		go s.requests()
		go s.replies()
	}
}

// session is one connection through the proxy. The client waits for each reply, so that which one
// is to be taken away is known before it comes.
type session struct {
	*proxy
	client     *net.TCPConn
	server     net.Conn
	statements map[string]string
	mu         sync.Mutex
	taking     *cut
}

func (s *session) close() {
	s.client.Close()
	s.server.Close()
}

func (s *session) requests() {
	defer s.close()
	if err := forward(s.client, s.server, 0, nil); err != nil { // the startup message has no type
		return
	}
	for {
		err := forward(s.client, s.server, 1, func(kind byte, body []byte) bool {
			s.request(kind, body)
			return true
		})
		if err != nil {
			return
		}
	}
}

// request looks at what the client sends: Parse names a statement, Bind and Query execute one.
func (s *session) request(kind byte, body []byte) {
	parts := bytes.SplitN(body, []byte{0}, 3)
	var statement string
	switch kind {
	case 'P':
		s.statements[string(parts[0])] = string(parts[1])
		return
	case 'B':
		statement = s.statements[string(parts[1])]
	case 'Q':
		statement = strings.TrimSpace(string(parts[0]))
	default:
		return
	}
	if c, hit := s.executes(statement); hit {
		s.mu.Lock()
		s.taking = &c
		s.mu.Unlock()
	}
}

func (s *session) replies() {
	defer s.close()
	seen := 0
	for {
		var taken *cut
		err := forward(s.server, s.client, 1, func(kind byte, _ []byte) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.taking == nil {
				return true
			}
			if kind == 'Z' { // ready for the next: what was done is committed
				taken = s.taking
			}
			seen++
			return kind != 'Z' && seen <= s.taking.passed
		})
		switch {
		case err != nil:
			return
		case taken != nil:
			if taken.reset {
				_ = s.client.SetLinger(0)
			}
			return
		}
	}
}

// forward copies one message with a type of so many bytes, if pass agrees.
func forward(from io.Reader, to io.Writer, typeBytes int, pass func(kind byte, body []byte) bool) error {
	head := make([]byte, typeBytes+4)
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	size := binary.BigEndian.Uint32(head[typeBytes:])
	if size < 4 || size > 64<<20 {
		return fmt.Errorf("a message of %d bytes", size)
	}
	message := append(head, make([]byte, size-4)...)
	if _, err := io.ReadFull(from, message[len(head):]); err != nil {
		return err
	}
	if pass != nil && !pass(message[0], message[len(head):]) {
		return nil
	}
	_, err := to.Write(message)
	return err
}

func TestProxyPassesWhatItIsNotToTakeAway(t *testing.T) {
	_, dsn := proxied(t, pgtest.Database(t))
	db := opened(t, dsn)
	var one int
	if err := db.QueryRow("select $1::int", 1).Scan(&one); err != nil || one != 1 {
		t.Errorf("through the proxy: %d, %v, want 1", one, err)
	}
}
