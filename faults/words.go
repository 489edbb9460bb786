package faults

import (
	"fmt"
	"strings"
)

// Word is one word of a line, as written, with the byte at which it begins.
type Word struct {
	Text string
	Col  int
}

// Words splits a line at blanks. A list in brackets, KEY=(V, V), and a quoted value, KEY="…", are
// parts of one word; a word that begins with # and all after it is a comment. An open bracket or
// quote is an error, and the words before it are given.
func Words(line string) ([]Word, error) {
	var words []Word
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		if line[i] == '#' {
			break
		}
		n, closed := wordLen(line[i:])
		words = append(words, Word{line[i : i+n], i})
		if !closed {
			opened := strings.IndexByte(line[i:], '=') + 2
			return words, fmt.Errorf("%s is not closed", line[i:i+opened])
		}
		i += n
	}
	return words, nil
}

// wordLen measures the word that s begins with.
func wordLen(s string) (n int, closed bool) {
	end := blankAt(s, 0)
	value := strings.IndexByte(s[:end], '=') + 1
	if value == 0 || value == end || s[value] != '(' && s[value] != '"' {
		return end, true
	}
	closing := byte(')')
	if s[value] == '"' {
		closing = '"'
	}
	length := strings.IndexByte(s[value+1:], closing)
	if length < 0 {
		return len(s), false
	}
	return blankAt(s, value+1+length+1), true
}

// blankAt is where the first blank from there on is, or the end.
func blankAt(s string, from int) int {
	if n := strings.IndexAny(s[from:], " \t"); n >= 0 {
		return from + n
	}
	return len(s)
}

// List reads (a, b) as its items; a single item needs no brackets.
func List(text string) []string {
	inner, bracketed := strings.CutPrefix(text, "(")
	if !bracketed {
		return []string{text}
	}
	inner = strings.TrimSuffix(inner, ")")
	if strings.TrimSpace(inner) == "" {
		return nil
	}
	items := strings.Split(inner, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// IsName says whether text can name a hold or a node: letters, digits, dots, dashes and
// underscores, a letter or digit first, no two dots together, at most 100 bytes.
func IsName(text string) bool {
	if text == "" || len(text) > 100 || strings.Contains(text, "..") {
		return false
	}
	for i := range len(text) {
		c := text[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !plain && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return true
}

// IsNode says whether text can name a worker node: a name that means nothing else in a fault line.
func IsNode(text string) bool { return IsName(text) && !isReserved(text) && text != "maybe" }

// isSweepRun says whether text names one sweep, as in sweep#7.
func isSweepRun(text string) bool {
	number, found := strings.CutPrefix(text, roleSweep+"#")
	if !found || number == "" || number[0] == '0' || len(number) > 9 {
		return false
	}
	return strings.Trim(number, "0123456789") == ""
}
