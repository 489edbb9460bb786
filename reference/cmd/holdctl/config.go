package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/reference/settings"
)

type configCommand struct {
	Program string `arg:"" optional:"" help:"holdsweep, holdworker or holdctl; all of them if not given. Named, it is an error if its settings can't be."`
}

// shownSetting is a setting as it is shown.
type shownSetting struct {
	Name     string   `json:"name"`
	Value    string   `json:"value"`
	Source   string   `json:"source"`
	Secret   bool     `json:"secret,omitempty"`
	Programs []string `json:"programs"`
}

// wrong is why a program can't have the settings.
type wrong struct {
	Program string `json:"program"`
	What    string `json:"what"`
	Hint    string `json:"hint,omitempty"`
}

var programs = []string{"holdsweep", "holdworker", name}

func (g *configCommand) run(_ context.Context, c *control) error {
	if g.Program != "" && !slices.Contains(programs, g.Program) {
		return usage("there are "+strings.Join(programs, ", "), "config: there is no program %q", g.Program)
	}
	var all []shownSetting
	problems := []wrong{}
	var last error
	for _, program := range programs {
		if g.Program != "" && g.Program != program {
			continue
		}
		own, err := c.settingsOf(program)
		all = merge(all, program, own)
		if err != nil {
			last = err
			w := wrong{Program: program, What: err.Error()}
			var p *settings.Problem
			if errors.As(err, &p) {
				w.What, w.Hint = p.What, p.Hint // the first, where there are several
			}
			problems = append(problems, w)
		}
	}
	err := c.print(map[string]any{"settings": all, "problems": problems}, func(w io.Writer) {
		fmt.Fprintln(w, "SETTING\tVALUE\tSOURCE\tPROGRAMS")
		for _, s := range all {
			value := s.Value
			if value == "" {
				value = "-"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, value, s.Source, strings.Join(s.Programs, ", "))
		}
		for _, p := range problems {
			fmt.Fprintf(w, "\n%s would refuse: %s\n", p.Program, p.What)
			if p.Hint != "" {
				fmt.Fprintf(w, "hint: %s\n", p.Hint)
			}
		}
	})
	if err != nil || g.Program == "" {
		return err
	}
	return last
}

// settingsOf gives the settings that a program would have by this environment, and why it would
// refuse them.
func (c *control) settingsOf(program string) ([]settings.Setting, error) {
	if program == name {
		return c.read.Settings, errors.Join(c.Database.Check(), c.Queue.Check(), c.Policy.Check(len(reference.Channels)))
	}
	commandLine, args := settings.Named(program), []string(nil)
	if program == "holdsweep" {
		args = []string{"serve"} // the command with the most settings
	}
	read, err := commandLine.Read(args, c.environment, io.Discard)
	if err != nil {
		return nil, err
	}
	switch s := commandLine.Into.(type) {
	case *settings.Sweep:
		err = errors.Join(s.Serve.Check(), s.Check(-1))
	case *settings.Worker:
		err = s.Check()
	}
	return read.Settings, err
}

// merge adds the settings of a program to those of others; what is the same is one line.
func merge(all []shownSetting, program string, own []settings.Setting) []shownSetting {
	for _, s := range own {
		i := slices.IndexFunc(all, func(o shownSetting) bool { return o.Name == s.Name && o.Value == s.Value && o.Source == s.Source })
		if i >= 0 {
			all[i].Programs = append(all[i].Programs, program)
			continue
		}
		all = append(all, shownSetting{s.Name, s.Value, s.Source, s.Secret, []string{program}})
	}
	return all
}
