package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/faults/defects"
	"github.com/seathold/seathold/sim/matrix"
	"github.com/seathold/seathold/sim/script/lines"
	"github.com/seathold/seathold/sim/suite"
)

// matrixDefault is where the scenarios are, if no files are named.
const matrixDefault = "scenarios"

func matrixCommand(a *app, args []string) (int, error) {
	f := flag.NewFlagSet("matrix", flag.ContinueOnError)
	asJSON := f.Bool("json", false, "")
	write := f.String("write", "", "")
	name := f.String("defect", "", "")
	budget := f.Int("budget", -1, "")
	jobs := f.Int("jobs", runtime.GOMAXPROCS(0), "")
	files, err := parseFlags(f, args)
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		files = []string{matrixDefault}
	}
	began := time.Now()
	scenarios, err := load(files)
	if err != nil {
		return 0, err
	}
	if *name != "" {
		return a.oneDefect(*name, scenarios)
	}
	bases := make([]matrix.Base, len(scenarios))
	for i, s := range scenarios {
		bases[i] = matrix.OfScenario(s)
	}
	m, err := matrix.Run(defects.All(), bases, *jobs)
	var failed *matrix.ReferenceError
	switch {
	case errors.As(err, &failed):
		fmt.Fprintf(a.stderr, "holdsim: matrix: %v\nhint: a scenario judges defects once it passes: %s run\n", err, a.program)
		return exitFailed, nil
	case err != nil:
		return 0, err
	}
	cases, err := matrix.Budget()
	if err != nil {
		return 0, err
	}
	if *budget >= 0 {
		cases = cases[:min(*budget, len(cases))]
	}
	if err := m.Hunt(cases, *jobs); err != nil {
		return 0, err
	}
	return a.sayMatrix(m, *asJSON, *write, time.Since(began))
}

func (a *app) sayMatrix(m *matrix.Matrix, asJSON bool, write string, took time.Duration) (int, error) {
	if write != "" {
		var doc bytes.Buffer
		m.Markdown(&doc)
		if err := os.WriteFile(write, doc.Bytes(), 0o644); err != nil {
			return 0, err
		}
	}
	findings := m.Findings()
	code := exitHeld
	if len(findings) > 0 {
		code = exitFailed
	}
	if asJSON {
		return code, m.JSON(a.stdout)
	}
	m.Text(a.stdout)
	for _, s := range findings {
		fmt.Fprintf(a.stdout, "\n%s\n", s)
	}
	fmt.Fprintf(a.stdout, "%s; %.1f s\n", m.Summary(), took.Seconds())
	return code, nil
}

// oneDefect runs scenarios with a defect, and tells every failure in full.
func (a *app) oneDefect(name string, scenarios []*scenario) (int, error) {
	d, err := defectNamed("matrix", name)
	if err != nil {
		return 0, err
	}
	width, code := suite.Width(scenarios), exitHeld
	r := suite.Runner{Backend: matrix.On(d)}
	r.Say = func(o suite.Outcome) {
		o.Text, _, _ = strings.Cut(o.Text, "\nnext:\n") // those commands are the reference's
		a.say(o, width, false, false)
		if !o.OK() {
			code = exitFailed
		}
	}
	_, err = r.Run(scenarios)
	return code, err
}

// defectNamed is the defect that a command names.
func defectNamed(command, name string) (defects.Defect, error) {
	d, found := defects.Named(name)
	if found {
		return d, nil
	}
	var names []string
	for _, d := range defects.All() {
		names = append(names, d.Name)
	}
	hint := "holdsim matrix lists them"
	if near := faults.Suggest(name, names); near != "" {
		hint = lines.DidYouMean(near)
	}
	return d, usageError{fmt.Sprintf("%s: no defect %q", command, name), hint}
}
