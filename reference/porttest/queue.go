package porttest

import (
	"testing"
	"time"

	"github.com/seathold/seathold/reference/porttest/queuetest"
)

// Queue is a broker under test, and what the suite needs besides; Traits are in what brokers differ.
type (
	Queue  = queuetest.Queue
	Traits = queuetest.Traits
)

// WhileStored as a KeyMemory: a key is remembered until its message is acknowledged or set aside.
const WhileStored time.Duration = queuetest.WhileStored

// TestQueue runs the suite of Publisher, Consumer and, if it is there, DeadLetters. Open gives an
// empty queue. Receive is always called with a wait of zero.
func TestQueue(t *testing.T, open func(t *testing.T) Queue) { queuetest.Run(t, open) }
