package tell

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/seathold/seathold/sim/explore"
	"github.com/seathold/seathold/sim/explore/marks"
)

type jsonFinding struct {
	Promise    string `json:"promise"`
	Class      string `json:"class"`
	Cases      int    `json:"cases"`
	Plan       string `json:"plan"`
	Case       string `json:"case"`
	Again      string `json:"again,omitempty"`
	Sentence   string `json:"sentence"`
	Scenario   string `json:"scenario"`
	Note       string `json:"note,omitempty"`
	Directives int    `json:"directives,omitempty"`
	Attempts   int    `json:"attempts,omitempty"`
	Saved      string `json:"saved,omitempty"`
}

type jsonPlan struct {
	Name             string  `json:"name"`
	Runs             int     `json:"runs"`
	Idle             int     `json:"idle"`
	Events           int     `json:"events"`
	SimulatedSeconds float64 `json:"simulated_seconds"`
	Sends            int     `json:"sends"`
	SendsAfterChange int     `json:"sends_after_change"`
}

type jsonOrders struct {
	Base     string  `json:"base"`
	Runs     int     `json:"runs"`
	Ended    int     `json:"ended_in_a_known_state"`
	States   int     `json:"states"`
	Complete bool    `json:"complete"`
	Seconds  float64 `json:"seconds"`
}

type jsonReport struct {
	OK               bool           `json:"ok"`
	Complete         bool           `json:"complete"`
	Runs             int            `json:"runs"`
	Twice            int            `json:"runs_made_twice"`
	SimulatedSeconds float64        `json:"simulated_seconds"`
	WallSeconds      float64        `json:"wall_seconds"`
	Cores            int            `json:"cores"`
	Error            string         `json:"error,omitempty"`
	Plans            []jsonPlan     `json:"plans"`
	Orders           []jsonOrders   `json:"orders,omitempty"`
	Findings         []jsonFinding  `json:"findings"`
	Marks            map[string]int `json:"marks"`
	NeverStruck      []string       `json:"never_struck"`
}

// JSON writes the report as one object.
func JSON(w io.Writer, r *explore.Report, findings []Finding) error {
	j := jsonReport{
		OK: len(findings) == 0 && r.Err == nil, Complete: r.Complete, Runs: r.Runs(), Twice: r.Twice,
		SimulatedSeconds: r.Simulated().Seconds(), WallSeconds: r.Took.Seconds(), Cores: r.Cores,
		Plans: []jsonPlan{}, Findings: []jsonFinding{}, Marks: map[string]int{}, NeverStruck: r.Coverage.Missing(),
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	for _, p := range r.Plans {
		j.Plans = append(j.Plans, jsonPlan{p.Name, p.Runs, p.Idle, p.Events, p.Simulated.Seconds(), p.Sends, p.SendsAfterChange})
	}
	for _, o := range r.Orders {
		j.Orders = append(j.Orders, jsonOrders{o.Base, o.Runs, o.Ended, o.States, o.Complete, o.Took.Seconds()})
	}
	for _, f := range findings {
		j.Findings = append(j.Findings, f.json())
	}
	for _, m := range marks.All() {
		j.Marks[m.Name] = r.Marks.Hit(m.Name)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}

func (f Finding) json() jsonFinding {
	j := jsonFinding{
		Promise: f.Broken.Promise, Class: f.Broken.Class, Cases: f.Cases, Plan: f.Plan, Case: f.Case.Name, Again: f.Case.Command(f.program),
		Sentence: f.Sentence, Scenario: string(f.File), Note: f.Note, Saved: f.Saved,
	}
	if f.Shrunk != nil {
		j.Directives, j.Attempts = f.Shrunk.After, f.Shrunk.Attempts
	}
	return j
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class    string         `xml:"classname,attr"`
	Name     string         `xml:"name,attr"`
	Failures []junitFailure `xml:"failure"`
	Error    *junitFailure  `xml:"error"`
	Out      string         `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a test case for every plan, and its findings as failures.
func JUnit(w io.Writer, r *explore.Report, findings []Finding) error {
	suite := junitSuite{Name: "holdsim explore", Time: fmt.Sprintf("%.3f", r.Took.Seconds()), Failures: len(findings)}
	for _, p := range r.Plans {
		c := junitCase{Class: "explore", Name: p.Name, Out: fmt.Sprintf("%d runs, %d events", p.Runs, p.Events)}
		for _, f := range findings {
			if f.Plan == p.Name {
				var text strings.Builder
				f.Text(&text)
				c.Failures = append(c.Failures, junitFailure{f.Broken.String(), text.String()})
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if r.Err != nil {
		suite.Errors = 1
		suite.Cases = append(suite.Cases, junitCase{Class: "explore", Name: "harness", Error: &junitFailure{"the harness is at fault", r.Err.Error()}})
	}
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
