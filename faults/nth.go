package faults

import (
	"fmt"
	"strconv"
	"strings"
)

// Nth is which of the matching calls of a run are struck, counted from 1; the zero Nth is the first.
type Nth struct {
	from, to int // to 0 is no end
}

// ParseNth reads 3, 2..4, or all.
func ParseNth(text string) (Nth, error) {
	if text == "all" {
		return Nth{from: 1}, nil
	}
	low, high, ranged := strings.Cut(text, "..")
	if !ranged {
		high = low
	}
	from, err := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || from < 1 || to < from {
		return Nth{}, fmt.Errorf("%q is none of 3, 2..4 and all", text)
	}
	return Nth{from, to}, nil
}

// Set says whether the line named any.
func (n Nth) Set() bool { return n.from > 0 }

// Has says whether the i-th match, from 1, is one of them.
func (n Nth) Has(i int) bool {
	switch {
	case !n.Set():
		return i == 1
	case n.to == 0:
		return true
	}
	return n.from <= i && i <= n.to
}

// String gives it as a line says it.
func (n Nth) String() string {
	switch {
	case !n.Set():
		return ""
	case n.to == 0:
		return "all"
	case n.from == n.to:
		return strconv.Itoa(n.from)
	}
	return fmt.Sprintf("%d..%d", n.from, n.to)
}
