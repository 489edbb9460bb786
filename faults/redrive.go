package faults

// Redrive is an operator who puts dead letters back into the queue.
const Redrive Kind = "redrive"

var redriveKind = kind{
	name:   Redrive,
	doc:    "an operator puts the dead letters back into the queue: all, or those on one hold",
	needs:  []string{"at"},
	takes:  []string{"on"},
	manner: AtInstant,
}
