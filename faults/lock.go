package faults

// Lock is somebody else who holds a hold's row; calls that lock it wait.
const Lock Kind = "lock"

var lockKind = kind{
	name:   Lock,
	doc:    "somebody else keeps a hold's row locked, and calls that lock it wait",
	needs:  []string{"on", "from", "until"},
	manner: Throughout,
}
