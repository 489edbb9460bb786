package faults

import "strings"

// Suggest gives the known word that somebody may have meant: the nearest one, if it is near.
func Suggest(word string, known []string) string {
	best, distance := "", len(word)/3+2
	word = strings.ToLower(word)
	for _, k := range known {
		if d := editDistance(word, strings.ToLower(k)); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}

const suggestBytesMax = 40 // longer words are nobody's misspelling, and cost the square of their length

// editDistance counts insertions, deletions, replacements and swaps of neighbours.
func editDistance(a, b string) int {
	if len(a) > suggestBytesMax || len(b) > suggestBytesMax {
		return suggestBytesMax
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
