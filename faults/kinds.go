package faults

// kind is one row of the table of kinds: what its lines may say, and what it does. One file each.
type kind struct {
	name Kind
	doc  string
	// who lists whom a line may name; the word "node" there stands for a worker node or a sweep's
	// run. whoDefault is who it is where the line names nobody; "caller" there stands for the role
	// that makes the call.
	who        []string
	whoDefault string
	// calls are the port calls that a line may name; of every point if points is nil.
	phases []Phase
	points func(call) bool
	// strikesAt is the call that it strikes without naming it.
	strikesAt Point
	// needs are keys that a line must have, takes those that it may have, and oneOf sets of which
	// it must have exactly one. "call" there stands for before=, in= and after=.
	needs, takes []string
	oneOf        [][]string
	// check gives the key that is wrong, and how. It may be nil.
	check func(Fault) (key, problem string)
	// effect is what a strike does; nil if the kind strikes no calls.
	effect func(Fault, Moment) Effect
	// manner is how it comes about where that doesn't depend on the line.
	manner Manner
}

const (
	anyNode   = "node"
	theCaller = "caller"
	aCall     = "call"
)

// table holds all kinds, in the order of the documentation.
func table() []kind {
	return []kind{
		crashKind, stallKind, slowKind, errorKind, ambiguousKind, reExecuteKind,
		duplicateKind, delayKind, loseKind, poisonKind, rejectKind, throttleKind,
		outageKind, lockKind, skewKind, pauseKind, doubleKind, retryKind, redriveKind,
	}
}

var kinds = table()

func kindOf(name Kind) (kind, bool) {
	for _, k := range kinds {
		if k.name == name {
			return k, true
		}
	}
	return kind{}, false
}

// Kinds are all kinds, in the order of the documentation.
func Kinds() []Kind {
	names := make([]Kind, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Doc says in a sentence what a fault of that kind is.
func (k Kind) Doc() string {
	row, _ := kindOf(k)
	return row.doc
}

// Call is a moment of a port call, as a line names it.
type Call struct {
	Phase Phase
	Point Point
}

// String gives in=claim.
func (c Call) String() string { return string(c.Phase) + "=" + c.Point.Short() }

// Calls are the moments that a line of that kind may name, in the order of the pipeline.
func (k Kind) Calls() []Call {
	row, _ := kindOf(k)
	var all []Call
	for _, c := range calls {
		for _, phase := range row.phases {
			if row.points == nil || row.points(c) {
				all = append(all, Call{phase, c.point})
			}
		}
	}
	return all
}

// Manner is how a fault comes about.
type Manner string

// The manners.
const (
	// AtCalls strikes port calls: ask Armed.Strike at each.
	AtCalls Manner = "at-calls"
	// AtInstant does something to the world once, where its Span begins.
	AtInstant Manner = "at-instant"
	// Throughout changes the world where its Span begins, and changes it back where it ends.
	Throughout Manner = "throughout"
)

// Manner says how f comes about. A crash or a stall strikes calls, or does so at an instant.
func (f Fault) Manner() Manner {
	k, _ := kindOf(f.Kind)
	if (f.Kind == Crash || f.Kind == Stall) && f.At.Set() {
		return AtInstant
	}
	return k.manner
}
