package words

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	cycleMax   = 10 // lines in a cycle
	cycleTimes = 3  // from how often on a cycle is told once
)

// line is one golden line before it is printed.
type line struct {
	at, last time.Time // last is that of the latest line folded in
	who      []string
	sentence string
	// loose and shape are the sentence with less of the detail, by which lines are told as one;
	// empty where they never are.
	loose, shape string
	// sweep is the number of a sweep that did nothing.
	sweep int
	// again and alike count what was folded in: the same again, or the same of others.
	again, alike int
}

func (l line) text(start time.Time) string {
	who := strings.Join(l.who, " ")
	if n := len(l.who); n > listMax {
		who = fmt.Sprintf("%s %s … %s (%d)", l.who[0], l.who[1], l.who[n-1], n)
	}
	s := fmt.Sprintf("%s  %s  %s", Clock(l.at, start), who, l.sentence)
	until := Clock(l.last, start)
	switch {
	case l.alike > 0:
		s += fmt.Sprintf("  (and %d more like it until %s)", l.alike, until)
	case l.sweep > 0:
	case l.again == 1:
		s += fmt.Sprintf("  (once more, until %s)", until)
	case l.again > 1:
		s += fmt.Sprintf("  (%d times more, until %s)", l.again, until)
	}
	return strings.TrimRight(s, " ")
}

// foldIdle tells consecutive sweeps that found nothing as one.
func foldIdle(lines []line) []line {
	var out []line
	for i := 0; i < len(lines); {
		j := i + 1
		for lines[i].sweep > 0 && j < len(lines) && lines[j].sweep == lines[j-1].sweep+1 {
			j++
		}
		l := lines[i]
		if j-i > 1 {
			l.who = []string{fmt.Sprintf("sweep#%d..#%d", l.sweep, lines[j-1].sweep)}
			l.sentence, l.last, l.again = "find nothing", lines[j-1].at, j-i-1
		}
		out = append(out, l)
		i = j
	}
	return out
}

// foldCycles tells what happens again and again once, and how often it came.
func foldCycles(lines []line) []line {
	var out []line
	for i := 0; i < len(lines); {
		length, times := cycle(lines[i:])
		if times == 0 {
			out = append(out, lines[i])
			i++
			continue
		}
		end := i + length*times
		told := lines[i : i+length]
		out = append(out, told...)
		if length == 1 {
			l := &out[len(out)-1]
			l.again, l.last, l.who = times-1, lines[end-1].at, actors(lines[i:end])
		} else {
			l := lines[i+length]
			l.again, l.last, l.who = times-1, lines[end-1].at, actors(lines[i+length:end])
			l.sentence, l.loose, l.shape = "the same", "", ""
			out = append(out, l)
		}
		i = end
	}
	return out
}

// cycle finds the cycle at the head of lines that saves the most of them; times is 0 if there is none.
func cycle(lines []line) (length, times int) {
	saved := 0
	for n := 1; n <= cycleMax && n*cycleTimes <= len(lines); n++ {
		k := 1
		for (k+1)*n <= len(lines) && sameLines(lines[:n], lines[k*n:(k+1)*n]) {
			k++
		}
		if s := (k - 1) * n; k >= cycleTimes && s > saved {
			length, times, saved = n, k, s
		}
	}
	return length, times
}

func sameLines(a, b []line) bool {
	return slices.EqualFunc(a, b, func(x, y line) bool { return x.loose != "" && x.loose == y.loose })
}

func actors(lines []line) []string {
	var names []string
	for _, l := range lines {
		for _, w := range l.who {
			if !slices.Contains(names, w) {
				names = append(names, w)
			}
		}
	}
	return names
}

// foldAlike tells what was done for many once, where it was first done: what was done most first,
// and no more than is needed to come down to so many lines.
func foldAlike(lines []line, most int) []line {
	count := map[string]int{}
	var shapes []string
	for _, l := range lines {
		if count[l.shape]++; count[l.shape] == 1 {
			shapes = append(shapes, l.shape)
		}
	}
	slices.SortStableFunc(shapes, func(a, b string) int { return count[b] - count[a] })
	fold := map[string]bool{}
	left := len(lines)
	for _, s := range shapes {
		if left > most && s != "" {
			fold[s] = true
			left -= count[s] - 1
		}
	}
	var out []line
	at := map[string]int{}
	for _, l := range lines {
		i, seen := at[l.shape]
		if seen && fold[l.shape] {
			out[i].absorb(l)
			continue
		}
		at[l.shape] = len(out)
		out = append(out, l)
	}
	return out
}

// absorb folds in another line of the same shape.
func (l *line) absorb(other line) {
	if l.alike == 0 {
		l.alike = l.again
	}
	l.alike += 1 + other.again
	l.last = other.last
	l.who = actors([]line{*l, other})
}
