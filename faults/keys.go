package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/reference"
)

// key is one KEY= of a fault line: how it is read, and how it is printed; nothing if it is not set.
type key struct {
	name  string
	read  func(f *Fault, value string) error
	print func(f Fault) string
}

// keys are all keys, in the order in which a line has them in normal form.
var keys = []key{
	callKey(Before), callKey(In), callKey(After),
	{"on", readOn, func(f Fault) string { return string(f.On) }},
	{"channel", readChannel, func(f Fault) string { return string(f.Channel) }},
	{"nth", readNth, func(f Fault) string { return f.Nth.String() }},
	instantKey("at", func(f *Fault) *Instant { return &f.At }),
	instantKey("from", func(f *Fault) *Instant { return &f.From }),
	instantKey("until", func(f *Fault) *Instant { return &f.Until }),
	{"by", readBy, printBy},
	{"per-item", readPerItem, func(f Fault) string { return printDuration(f.PerItem) }},
	{"status", readStatus, func(f Fault) string { return printNumber(f.Status) }},
	{"retry-after", readRetryAfter, func(f Fault) string { return printDurationOr(f.RetryAfter, "none") }},
	{"restart", readRestart, func(f Fault) string { return printDurationOr(f.Restart, "never") }},
	{"nodes", readNodes, printNodes},
}

func keyNamed(name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// isSet says whether f has that key; "call" is any of before, in and after.
func isSet(f Fault, name string) bool {
	if name == aCall {
		return f.Point != ""
	}
	k, _ := keyNamed(name)
	return k.print(f) != ""
}

func callKey(phase Phase) key {
	return key{string(phase), func(f *Fault, value string) error {
		point, found := PointNamed(value)
		if !found {
			return unknown("point", value, shorts(func(call) bool { return true }))
		}
		f.Phase, f.Point = phase, point
		return nil
	}, func(f Fault) string {
		if f.Phase != phase {
			return ""
		}
		return f.Point.Short()
	}}
}

func instantKey(name string, field func(*Fault) *Instant) key {
	return key{name, func(f *Fault, value string) (err error) {
		*field(f), err = ParseInstant(value)
		return err
	}, func(f Fault) string { return field(&f).String() }}
}

func shorts(which func(call) bool) []string {
	var names []string
	for _, c := range calls {
		if which == nil || which(c) {
			names = append(names, c.short)
		}
	}
	return names
}

// nearError is an error with the word that somebody may have meant.
type nearError struct{ msg, near string }

func (e *nearError) Error() string { return e.msg }

func unknown(what, word string, known []string) error {
	return &nearError{fmt.Sprintf("unknown %s %q; there are %s", what, word, strings.Join(known, ", ")), Suggest(word, known)}
}

func readOn(f *Fault, value string) error {
	if !IsName(value) {
		return fmt.Errorf("%q can't be a hold's name", value)
	}
	f.On = reference.HoldID(value)
	return nil
}

func readChannel(f *Fault, value string) error {
	f.Channel = reference.Channel(value)
	if slices.Contains(reference.Channels, f.Channel) {
		return nil
	}
	var known []string
	for _, c := range reference.Channels {
		known = append(known, string(c))
	}
	return unknown("channel", value, known)
}

func readNth(f *Fault, value string) (err error) {
	f.Nth, err = ParseNth(value)
	return err
}

func readBy(f *Fault, value string) (err error) {
	f.By, err = ParseDuration(value)
	switch {
	case err != nil:
		return err
	case f.By == 0:
		return fmt.Errorf("by=%s does nothing; leave it out, or say how long", value)
	case f.By < 0 && f.Kind != Skew:
		return fmt.Errorf("%s is negative", value)
	}
	return nil
}

func readPerItem(f *Fault, value string) (err error) {
	f.PerItem, err = readPositive(value)
	return err
}

func readPositive(value string) (time.Duration, error) {
	d, err := ParseDuration(value)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s is not positive", value)
	}
	return d, err
}

func readStatus(f *Fault, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 400 || n > 599 {
		return fmt.Errorf("%q is no HTTP status of an error, 400 to 599", value)
	}
	f.Status = n
	return nil
}

func readRetryAfter(f *Fault, value string) error {
	return readDurationOr(&f.RetryAfter, value, "none")
}

func readRestart(f *Fault, value string) error { return readDurationOr(&f.Restart, value, "never") }

// readDurationOr reads a positive duration, or a word that stands for a negative one.
func readDurationOr(d *time.Duration, value, word string) (err error) {
	if value == word {
		*d = -1
		return nil
	}
	if *d, err = readPositive(value); err != nil {
		return fmt.Errorf("%w; it can also be %s", err, word)
	}
	return nil
}

func readNodes(f *Fault, value string) error {
	f.Nodes = List(value)
	if len(f.Nodes) == 0 {
		return fmt.Errorf("no nodes; leave nodes= out for all of them")
	}
	for i, name := range f.Nodes {
		if !IsName(name) && !isSweepRun(name) {
			return fmt.Errorf("%q can't be a node's name", name)
		}
		if slices.Contains(f.Nodes[:i], name) {
			return fmt.Errorf("%s is there twice", name)
		}
	}
	return nil
}

func printNodes(f Fault) string {
	if len(f.Nodes) == 0 {
		return ""
	}
	return "(" + strings.Join(f.Nodes, ", ") + ")"
}

func printBy(f Fault) string {
	if f.Kind == Skew && f.By > 0 {
		return "+" + printDuration(f.By)
	}
	return printDuration(f.By)
}

func printDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return FormatDuration(d)
}

func printDurationOr(d time.Duration, negative string) string {
	if d < 0 {
		return negative
	}
	return printDuration(d)
}

func printNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
