package wire

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/lib/pq"
)

// Proxy is one address that stands for a server.
type Proxy struct {
	network, server string
	url             string

	mu       sync.Mutex
	address  string
	listener net.Listener // nil while connections are refused
	sessions map[*session]bool
	gates    []*Gate
	away     bool
}

// Start starts a proxy before the server of a DSN that is a URL.
func Start(dsn string) (*Proxy, error) {
	config, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	p := &Proxy{
		network: "tcp", server: net.JoinHostPort(config.Host, fmt.Sprint(config.Port)),
		address: "127.0.0.1:0", sessions: map[*session]bool{}, away: true,
	}
	if strings.HasPrefix(config.Host, "/") {
		p.network, p.server = "unix", fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	}
	if err := p.Restore(); err != nil {
		return nil, err
	}
	query := u.Query()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = p.address, query.Encode()
	p.url = u.String()
	return p, nil
}

// URL is the DSN by which the server is reached through the proxy.
func (p *Proxy) URL() string { return p.url }

// Arm adds a gate. Each holds one moment, once.
func (p *Proxy) Arm(g *Gate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gates = append(p.gates, g)
}

// Cut ends every connection, and refuses new ones until Restore.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = true
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
	for s := range p.sessions {
		s.close()
	}
}

// Restore takes connections again, on the same port.
func (p *Proxy) Restore() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.away {
		return nil
	}
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	p.address, p.listener, p.away = l.Addr().String(), l, false
	go p.serve(l)
	return nil
}

// Close ends the proxy, and drops what its gates hold.
func (p *Proxy) Close() {
	p.Cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.gates {
		g.Drop()
	}
	p.gates = nil
}

func (p *Proxy) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go p.connect(client)
	}
}

func (p *Proxy) connect(client net.Conn) {
	server, err := net.Dial(p.network, p.server)
	if err != nil {
		client.Close()
		return
	}
	s := &session{proxy: p, client: client, server: server, statements: map[string]string{}}
	if !p.add(s) {
		s.close()
		return
	}
	go s.requests()
	s.replies()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, s)
}

func (p *Proxy) add(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		return false
	}
	p.sessions[s] = true
	return true
}

// gate gives the gate that an execution has come to, if it has; it is not armed any more.
func (p *Proxy) gate(statement string) *Gate {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, g := range p.gates {
		switch {
		case !g.matches(statement):
			continue
		case g.Skip > 0:
			g.Skip--
			continue
		}
		p.gates = append(p.gates[:i], p.gates[i+1:]...)
		return g
	}
	return nil
}
