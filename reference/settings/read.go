package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Program is a command line.
type Program struct {
	Name    string
	Purpose string
	// Into is the struct to be read into, as kong takes it.
	Into any
	// Vars are the defaults that are this program's own.
	Vars kong.Vars
}

// ErrHelped says that the program was asked for its help or version, which it has printed.
var ErrHelped = errors.New("help was asked for")

// Read is a command line that was read.
type Read struct {
	// Command is the command chosen; empty where a program has none.
	Command string
	// Settings are all that are in effect.
	Settings []Setting
	// Secrets are the values that must never be shown.
	Secrets []string
}

// Read reads the command line, with environment (as os.Environ gives it), into p.Into. The error is
// a Problem, or ErrHelped.
func (p Program) Read(args, environment []string, stdout io.Writer) (*Read, error) {
	env := environ(environment)
	exited := false
	parser, err := p.parser(kong.Writers(stdout, io.Discard), kong.Exit(func(int) { exited = true }), kong.Resolvers(env))
	if err != nil {
		return nil, err
	}
	ctx, err := parser.Parse(args)
	switch {
	case exited:
		return nil, ErrHelped
	case err != nil:
		return nil, p.complain(err)
	}
	if err := env.mistyped(); err != nil {
		return nil, err
	}
	r := &Read{Command: commandOf(ctx)}
	for _, flag := range ctx.Flags() {
		if flag.Name == "help" || flag.Name == "version" {
			continue
		}
		s := settingOf(flag)
		s.source(ctx, flag, env)
		r.Settings = append(r.Settings, s)
		switch v := ctx.FlagValue(flag).(type) {
		case Secret:
			r.Secrets = append(r.Secrets, secretsIn(v)...)
		case Endpoint:
			r.Secrets = append(r.Secrets, v.secrets()...)
		}
	}
	return r, nil
}

// Source is where a setting comes from: default, a flag or a variable.
func (r *Read) Source(name string) string {
	for _, s := range r.Settings {
		if s.Name == name {
			return s.Source
		}
	}
	return ""
}

// parser is a function of its own for the table, which needs no environment.
func (p Program) parser(more ...kong.Option) (*kong.Kong, error) {
	vars := policyVars()
	maps.Copy(vars, p.Vars)
	vars["version"] = p.Name + " " + Version()
	return kong.New(p.Into, append([]kong.Option{
		kong.Name(p.Name), kong.Description(p.Purpose + "\n\nEvery flag is also a variable: --some-flag is " + prefix + "SOME_FLAG, and --some-secret-file is " +
			prefix + "SOME_SECRET_FILE, or " + prefix + "SOME_SECRET for the secret itself."),
		kong.TypeMapper(secretType, kong.MapperFunc(decodeSecret)), vars,
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	}, more...)...)
}

func (p Program) complain(err error) error {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem
	}
	return refuse(p.Name+" --help lists the commands and flags", "%v", err)
}

func commandOf(ctx *kong.Context) string {
	command, _, _ := strings.Cut(ctx.Command(), " ")
	return command
}

// secretsIn gives all of a secret that must not be shown: itself, its lines, and passwords in it.
func secretsIn(s Secret) []string {
	all := append([]string{s.Reveal()}, s.Lines()...)
	for _, line := range s.Lines() {
		all = append(all, strings.TrimPrefix(line, whsec))
	}
	all = append(all, passwords(s.Reveal())...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// variables are our part of the environment, from which flags are resolved.
type variables struct {
	values map[string]string
	// from is the variable that each flag's value came from.
	from map[string]string
}

var _ kong.Resolver = (*variables)(nil)

func environ(environment []string) *variables {
	v := &variables{map[string]string{}, map[string]string{}}
	for _, line := range environment {
		name, value, _ := strings.Cut(line, "=")
		switch {
		case !strings.HasPrefix(name, prefix):
		case value == "":
			// As good as none: that is how compose files pass what isn't set.
			delete(v.values, name)
		default:
			v.values[name] = value
		}
	}
	return v
}

// Validate implements kong.Resolver.
func (v *variables) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver. What it gives is read once before, so that an error names the
// variable and not the flag, which nobody has given.
func (v *variables) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, name, err := v.lookup(flag)
	if err != nil || name == "" {
		return nil, err
	}
	v.from[flag.Name] = name
	trial := reflect.New(flag.Target.Type()).Elem()
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: kong.Scan().PushTyped(value, kong.FlagValueToken)}, trial); err != nil {
		return nil, refuse(hintFor(trial), "%s: %v", name, err)
	}
	if err := enumerated(flag, trial); err != nil {
		return nil, refuse("", "%s: %v", name, err)
	}
	return value, nil
}

func (v *variables) lookup(flag *kong.Flag) (value any, name string, err error) {
	s := settingOf(flag)
	text, set := v.values[s.Env]
	if !s.Secret {
		if !set {
			return nil, "", nil
		}
		return text, s.Env, nil
	}
	path, inFile := v.values[s.Env+fileSuffix]
	switch {
	case set && inFile:
		return nil, "", refuse("unset one of them", "%s and %s are both set", s.Env, s.Env+fileSuffix)
	case set:
		return Secret(text), s.Env, nil
	case !inFile:
		return nil, "", nil
	}
	secret, err := readSecret(path)
	if err != nil {
		return nil, "", refuse("it must be a file that this user can read", "%s: %v", s.Env+fileSuffix, err)
	}
	return secret, s.Env + fileSuffix, nil
}

// enumerated refuses what is none of a flag's values, as kong does, but of the flag.
func enumerated(flag *kong.Flag, value reflect.Value) error {
	if flag.Enum == "" || value.Kind() != reflect.String || slices.Contains(flag.EnumSlice(), value.String()) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", value.String(), strings.Join(flag.EnumSlice(), ", "))
}

func hintFor(value reflect.Value) string {
	if value.Type() == durationType {
		return "durations are such as 500ms, 20s, 3m or 1h30m"
	}
	return ""
}

// mistyped refuses a variable that looks like one of ours and is none.
func (v *variables) mistyped() error {
	known := map[string]bool{}
	for _, p := range Programs() {
		for _, name := range p.variables() {
			known[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.values)) {
		if known[name] || slices.Contains(foreign, name) {
			continue
		}
		for _, right := range slices.Sorted(maps.Keys(known)) {
			if near(name, right) {
				return refuse("is it "+right+"?", "%s is no setting", name)
			}
		}
	}
	return nil
}

// foreign are variables with our prefix which are for tests.
var foreign = []string{"SEATHOLD_POSTGRES", "SEATHOLD_POSTGRES_IMAGE"}

// version is set by who builds a release: -ldflags "-X …/reference/settings.version=v1.2.3".
var version string

// Version is the release's, or else the module's, or else the revision that it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if version != "" || !ok {
		return cmp.Or(version, "unknown")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			return s.Value
		}
	}
	return cmp.Or(info.Main.Version, "unknown")
}
