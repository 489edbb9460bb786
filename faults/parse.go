package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ParseError says which word of a fault line is wrong.
type ParseError struct {
	// Word counts the words given to Parse from 0; it is their number where something is missing
	// at the end. Col is the byte within the word.
	Word, Col int
	Msg       string
	// Near is what somebody may have meant; it may be empty.
	Near string
}

// Error gives the message, and what may have been meant.
func (e *ParseError) Error() string {
	if e.Near == "" {
		return e.Msg
	}
	return fmt.Sprintf("%s; did you mean %s?", e.Msg, e.Near)
}

// Parse reads the words of a fault line after the verb: [maybe] KIND [WHO] [KEY=VALUE …]. It
// refuses what the kind has no use for, and what could never strike. Its errors are *ParseError.
func Parse(words []string) (Fault, error) {
	p := parser{words: words}
	if err := p.parse(); err != nil {
		return Fault{}, err
	}
	return p.fault, nil
}

// ParseLine is Parse for a line that is not split yet, as Fault.String gives it.
func ParseLine(line string) (Fault, error) {
	split, err := Words(line)
	if err != nil {
		return Fault{}, &ParseError{Word: len(split) - 1, Msg: err.Error()}
	}
	words := make([]string, len(split))
	for i, w := range split {
		words[i] = w.Text
	}
	return Parse(words)
}

type parser struct {
	words []string
	next  int
	fault Fault
	kind  kind
	// at is the word of each key that the line has.
	at map[string]int
	// whoAt is the word that names whom, or the kind's.
	whoAt int
}

func (p *parser) parse() error {
	if err := p.readKind(); err != nil {
		return err
	}
	if err := p.readWho(); err != nil {
		return err
	}
	p.at = make(map[string]int)
	for ; p.next < len(p.words); p.next++ {
		if err := p.readKey(p.words[p.next]); err != nil {
			return err
		}
	}
	return p.check()
}

func (p *parser) wrong(word int, near, format string, args ...any) error {
	return &ParseError{Word: word, Msg: fmt.Sprintf(format, args...), Near: near}
}

func (p *parser) readKind() error {
	if len(p.words) > 0 && p.words[0] == "maybe" {
		p.fault.Maybe = true
		p.next++
	}
	var names []string
	for _, k := range kinds {
		names = append(names, string(k.name))
	}
	if p.next == len(p.words) {
		return p.wrong(p.next, "", "which fault? There are %s", strings.Join(names, ", "))
	}
	word := p.words[p.next]
	k, found := kindOf(Kind(word))
	if !found {
		return p.wrong(p.next, Suggest(word, names), "unknown fault %q; there are %s", word, strings.Join(names, ", "))
	}
	p.kind, p.fault.Kind, p.whoAt = k, k.name, p.next
	p.next++
	return nil
}

func (p *parser) readWho() error {
	if p.next == len(p.words) || strings.Contains(p.words[p.next], "=") {
		return nil
	}
	word := p.words[p.next]
	named := IsNode(word) || isSweepRun(word)
	switch {
	case len(p.kind.who) == 0:
		return p.wrong(p.next, "", "%s names nobody, and %q is no KEY=VALUE", p.kind.name, word)
	case slices.Contains(p.kind.who, word):
	case slices.Contains(p.kind.who, anyNode) && named:
	default:
		whom := strings.ReplaceAll(strings.Join(p.kind.who, ", "), anyNode, "a node such as w1 or sweep#7")
		return p.wrong(p.next, Suggest(word, p.kind.who), "%s can't be of %q; it can be of %s", p.kind.name, word, whom)
	}
	p.fault.Who, p.whoAt = word, p.next
	p.next++
	return nil
}

// isReserved says that a word names a role, a port or a kind of thing, and so no node.
func isReserved(word string) bool {
	return slices.Contains([]string{
		roleWorker, roleSweep, roleLearner, roleOperator, portStore, portQueue, portProvider, whoCron, anyNode, theCaller,
	}, word)
}

func (p *parser) readKey(word string) error {
	name, value, found := strings.Cut(word, "=")
	if !found {
		return p.wrong(p.next, "", "%q is no KEY=VALUE", word)
	}
	k, known := keyNamed(name)
	if allowed := p.kind.keys(); !known || !slices.Contains(allowed, name) {
		return p.wrong(p.next, Suggest(name, allowed), "%s has no key %q; it takes %s", p.kind.name, name, strings.Join(allowed, ", "))
	}
	if slot := slotOf(name); p.has(slot) {
		return p.wrong(p.next, "", "%s= is there already", p.nameIn(slot))
	}
	if err := k.read(&p.fault, value); err != nil {
		wrong := &ParseError{Word: p.next, Col: len(name) + 1, Msg: err.Error()}
		var near *nearError
		if errors.As(err, &near) {
			wrong.Near = near.near
		}
		return wrong
	}
	p.at[slotOf(name)] = p.next
	return nil
}

// slotOf puts before, in and after into one slot: a fault strikes at one call.
func slotOf(name string) string {
	if name == string(Before) || name == string(In) || name == string(After) {
		return aCall
	}
	return name
}

func (p *parser) has(slot string) bool {
	_, found := p.at[slot]
	return found
}

// nameIn is the key that the line has in a slot.
func (p *parser) nameIn(slot string) string {
	name, _, _ := strings.Cut(p.words[p.at[slot]], "=")
	return name
}

// keys are those that lines of the kind may have, in normal order.
func (k kind) keys() []string {
	slots := slices.Concat(append([][]string{k.needs, k.takes}, k.oneOf...)...)
	var names []string
	for _, key := range keys {
		slot := slotOf(key.name)
		if slices.Contains(slots, slot) && (slot != aCall || slices.Contains(k.phases, Phase(key.name))) {
			names = append(names, key.name)
		}
	}
	return names
}
