package wire

import (
	"strings"
	"sync"
)

// Gate holds one execution of a statement open: the first that has all its parts.
type Gate struct {
	// Statement are parts of its text.
	Statement []string
	// Skip is how many executions go by before.
	Skip int
	// Reply says that the statement is let through, and its reply held once all of it is there: what
	// was done is committed by then.
	Reply bool

	once    sync.Once
	reached chan struct{}
	verdict chan bool
}

// Before makes a gate before the execution of a statement with these parts.
func Before(statement ...string) *Gate {
	return &Gate{Statement: statement, reached: make(chan struct{}), verdict: make(chan bool, 1)}
}

// After makes a gate between the execution and its reply.
func After(statement ...string) *Gate {
	g := Before(statement...)
	g.Reply = true
	return g
}

// Skipping gives g, to let so many executions by before.
func (g *Gate) Skipping(n int) *Gate {
	g.Skip = n
	return g
}

// Reached is closed when the moment has come.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Forward lets what is held through, whether or not anybody still waits for it.
func (g *Gate) Forward() { g.once.Do(func() { g.verdict <- true }) }

// Drop ends the connection instead.
func (g *Gate) Drop() { g.once.Do(func() { g.verdict <- false }) }

func (g *Gate) matches(statement string) bool {
	for _, part := range g.Statement {
		if !strings.Contains(statement, part) {
			return false
		}
	}
	return true
}
