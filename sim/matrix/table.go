package matrix

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/sim/report"
)

// Text writes a line for each defect: how many bases kill it, by what, and which one first, with
// the time from its start and the number of events.
func (m *Matrix) Text(w io.Writer) {
	width := 0
	for _, d := range m.Defects {
		width = max(width, len(d.Name))
	}
	for i, d := range m.Defects {
		k, b := m.first(i)
		if k == nil {
			fmt.Fprintf(w, "%-*s  SURVIVES   %s%s\n", width, d.Name, d.Mistake, m.searched(i, "; search, "))
			continue
		}
		fmt.Fprintf(w, "%-*s  %3d kill it  %-28s  first %s by %s, %s%s\n", width, d.Name, m.killers(i), words(m.ways(i)), b.Name, k.First.By, k.First.when(), m.searched(i, "; search, "))
	}
}

// searched is what the search came to, after some words; nothing if there was none.
func (m *Matrix) searched(d int, before string) string {
	if m.Hunts == nil {
		return ""
	}
	return before + m.Hunts[d].words()
}

// killers counts the bases that kill a defect.
func (m *Matrix) killers(d int) int {
	n := 0
	for _, k := range m.Kills[d] {
		if k != nil {
			n++
		}
	}
	return n
}

func words(ways []Way) string {
	text := make([]string, len(ways))
	for i, w := range ways {
		text[i] = string(w)
	}
	return strings.Join(text, " ")
}

func (f Finding) when() string {
	if f.By == Restless {
		return "never at rest"
	}
	return fmt.Sprintf("after %s, %d events", report.Span(f.After.Round(time.Millisecond)), f.Events)
}

type jsonKill struct {
	Scenario string  `json:"scenario"`
	By       []Way   `json:"by"`
	First    Way     `json:"first"`
	Class    string  `json:"class,omitempty"`
	After    float64 `json:"after_seconds"`
	Events   int     `json:"events"`
	Sentence string  `json:"sentence"`
}

type jsonHunt struct {
	Found bool   `json:"found"`
	Runs  int    `json:"runs"`
	By    Way    `json:"by,omitempty"`
	Class string `json:"class,omitempty"`
	Case  string `json:"case,omitempty"`
}

// JSON writes a line for each defect, with all who kill it, and a last line that sums up.
func (m *Matrix) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	for i, d := range m.Defects {
		line := struct {
			Defect  string     `json:"defect"`
			Mistake string     `json:"mistake"`
			Kills   []jsonKill `json:"kills"`
			Search  *jsonHunt  `json:"search,omitempty"`
		}{d.Name, d.Mistake, []jsonKill{}, nil}
		if m.Hunts != nil {
			h := m.Hunts[i]
			line.Search = &jsonHunt{h.found(), h.Runs, h.By, h.Class, h.Case}
		}
		for j, k := range m.Kills[i] {
			if k != nil {
				f := k.First
				line.Kills = append(line.Kills, jsonKill{m.Bases[j].Name, k.By, f.By, f.Class, f.After.Seconds(), f.Events, f.Sentence})
			}
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	idle := []string{}
	for _, b := range m.Idle() {
		idle = append(idle, b.Name)
	}
	return enc.Encode(struct {
		Defects   int      `json:"defects"`
		Survive   int      `json:"survive"`
		Scenarios int      `json:"scenarios"`
		Idle      []string `json:"idle"`
	}{len(m.Defects), len(m.Survivors()), len(m.Bases), idle})
}

const markdownHead = `# Who kills whom

Written by ` + "`holdsim matrix -write`" + `; don't edit it. Each defect of package faults/defects is the reference
with one thing done otherwise, and a scenario kills it if its run with the defect breaks a promise or
an expectation, or isn't the same twice. Times are virtual, from the scenario's start. The last column
is a search of a fixed budget that knows no defect: in which of its runs it was noticed first.
`

// Markdown writes the tables of defects and of scenarios.
func (m *Matrix) Markdown(w io.Writer) {
	fmt.Fprintf(w, "%s\n%s\n\n## Defects\n\n", markdownHead, m.Summary()+".")
	fmt.Fprint(w, "| defect | what is wrong, and who does so | killed by | promises | first | search |\n|---|---|---|---|---|---|\n")
	for i, d := range m.Defects {
		k, b := m.first(i)
		first := "**survives**"
		if k != nil {
			first = fmt.Sprintf("%s: %s, %s", b.Name, strings.TrimSpace(string(k.First.By)+" "+k.First.Class), k.First.when())
		}
		fmt.Fprintf(w, "| %s | %s. Seen: %s | %d | %s | %s | %s |\n", d.Name, d.Mistake, d.Seen, m.killers(i), words(m.ways(i)), first, m.searched(i, ""))
	}
	fmt.Fprint(w, "\n## Scenarios\n\nA defect in bold is killed by no other scenario.\n\n| scenario | kills | which, and by what |\n|---|---|---|\n")
	for j, b := range m.Bases {
		fmt.Fprintf(w, "| %s | %d | %s |\n", b.Name, m.killsOf(j), cmp.Or(m.victims(j), "documentation: "+b.Documentation))
	}
}

// victims lists what a base kills: first what nobody else does.
func (m *Matrix) victims(base int) string {
	var alone, others []string
	for i, kills := range m.Kills {
		k := kills[base]
		switch {
		case k == nil:
		case m.killers(i) == 1:
			alone = append(alone, fmt.Sprintf("**%s** (%s)", m.Defects[i].Name, words(k.By)))
		default:
			others = append(others, fmt.Sprintf("%s (%s)", m.Defects[i].Name, words(k.By)))
		}
	}
	return strings.Join(slices.Concat(alone, others), ", ")
}
