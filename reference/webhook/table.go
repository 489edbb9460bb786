package webhook

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seathold/seathold/reference"
)

// Class is what an answer means.
type Class string

// The classes.
const (
	Accepted    Class = "accepted"
	Rejected    Class = "rejected"     // refused for good: nothing was accepted
	NotAccepted Class = "not-accepted" // nothing was accepted, and it may be asked again
	Unknown     Class = "unknown"      // nobody knows
	TooLate     Class = "too-late"     // not asked, for the time to start by had passed
)

// Table is what one provider documents of its statuses, where that differs from the rules of the
// package comment.
type Table map[int]Class

// ParseTable reads a table from text: 503=not-accepted,404=not-accepted.
func ParseTable(text string) (Table, error) {
	t := Table{}
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		left, right, _ := strings.Cut(item, "=")
		status, err := strconv.Atoi(strings.TrimSpace(left))
		class := Class(strings.TrimSpace(right))
		_, twice := t[status]
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is no STATUS=CLASS, such as 503=not-accepted: %w", item, reference.ErrInvalid)
		case twice:
			return nil, fmt.Errorf("status %d is there twice: %w", status, reference.ErrInvalid)
		}
		t[status] = class
	}
	return t, nil
}

// String gives the table as ParseTable reads it, in the order of the statuses.
func (t Table) String() string {
	var items []string
	for _, status := range slices.Sorted(maps.Keys(t)) {
		items = append(items, fmt.Sprintf("%d=%s", status, t[status]))
	}
	return strings.Join(items, ",")
}

// check refuses what no provider can document.
func (t Table) check(honoursKeys bool) error {
	for _, status := range slices.Sorted(maps.Keys(t)) {
		class := t[status]
		certain := class == Rejected || class == NotAccepted
		switch {
		case status < 200 || status > 599:
			return fmt.Errorf("status %d is not from 200 to 599: %w", status, reference.ErrInvalid)
		case class != Accepted && class != Unknown && !certain:
			return fmt.Errorf("status %d: %q is none of %s, %s, %s and %s: %w", status, class, Accepted, Rejected, NotAccepted, Unknown, reference.ErrInvalid)
		case class == Accepted && status >= 300:
			return fmt.Errorf("status %d is no success and can't mean %s: %w", status, Accepted, reference.ErrInvalid)
		case certain && status < 300:
			return fmt.Errorf("status %d is a success and can't mean %s: %w", status, class, reference.ErrInvalid)
		case certain && status >= 500 && !honoursKeys:
			return fmt.Errorf("status %d can't mean %s of a provider that honours no keys, for it may break after it has accepted: %w", status, class, reference.ErrInvalid)
		}
	}
	return nil
}

// class is what the status means: by the table, or else by the rules of the package comment.
func (t Table) class(status int, honoursKeys bool) Class {
	if class, ok := t[status]; ok {
		return class
	}
	switch {
	case 200 <= status && status <= 299:
		return Accepted
	case status == 425, status == 429:
		return NotAccepted
	case status == 408, status == 409 && honoursKeys:
		return Unknown
	case 400 <= status && status <= 499:
		return Rejected
	}
	return Unknown
}
