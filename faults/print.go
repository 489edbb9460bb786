package faults

import "strings"

// String gives the line that makes f, without the verb, in normal form: Parse gives f back.
func (f Fault) String() string {
	words := make([]string, 0, 8)
	if f.Maybe {
		words = append(words, "maybe")
	}
	words = append(words, string(f.Kind))
	if f.Who != "" {
		words = append(words, f.Who)
	}
	for _, k := range keys {
		if value := k.print(f); value != "" {
			words = append(words, k.name+"="+value)
		}
	}
	return strings.Join(words, " ")
}
