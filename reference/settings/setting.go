package settings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

const (
	prefix     = "SEATHOLD_"
	fileSuffix = "_FILE"
)

var durationType = reflect.TypeFor[time.Duration]()

// Setting is one setting, as it is documented and, once read, as it is in effect.
type Setting struct {
	// Name is the setting's, Flag the flag's, without dashes, and Env the variable's; a secret may
	// also come from the file that Env with _FILE appended names.
	Name, Flag, Env string
	Group, Help     string
	Default         string
	Secret          bool
	// Value is masked where it is secret.
	Value string
	// Source is default, a flag or a variable.
	Source string
}

func settingOf(flag *kong.Flag) Setting {
	s := Setting{Name: flag.Name, Flag: flag.Name, Help: flag.Help, Default: flag.Default, Secret: flag.Target.Type() == secretType}
	if s.Secret {
		s.Name = strings.TrimSuffix(flag.Name, "-file")
	}
	s.Env = envOf(s.Name)
	if flag.Group != nil {
		s.Group = flag.Group.Title
	}
	return s
}

// source fills in what came of it.
func (s *Setting) source(ctx *kong.Context, flag *kong.Flag, env *variables) {
	s.Value = show(ctx.FlagValue(flag))
	s.Source = "default"
	for _, step := range ctx.Path {
		switch {
		case step.Flag != flag:
		case step.Resolved:
			s.Source = env.from[flag.Name]
		default:
			s.Source = "--" + flag.Name
		}
	}
}

func show(value any) string {
	switch v := value.(type) {
	case Secret:
		if strings.Contains(v.Reveal(), "://") {
			return maskURL(v.Reveal())
		}
		return v.String()
	case time.Duration:
		return duration(v)
	case []string:
		return strings.Join(v, ",")
	case map[string]string:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, name+"="+v[name])
		}
		return strings.Join(pairs, ",")
	}
	return fmt.Sprint(value)
}

func envOf(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// setBy is the hint for a setting that isn't set. It is short, for the program's help has the rest.
func setBy(name string) string { return "set " + envOf(name) }

func number(n int) string { return strconv.Itoa(n) }

// duration gives d without zeros at its end: 3m and not 3m0s.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// near says that two names differ by one or two letters put in, left out or changed.
func near(a, b string) bool {
	const most = 2
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)] <= most
}
