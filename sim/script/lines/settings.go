package lines

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
)

// Setting is one KEY= that a directive takes, and where its value goes.
type Setting struct {
	Key string
	Set func(value string) error
}

// Wrong is an error with a hint.
type Wrong struct{ Msg, Hint string }

// Error gives the message alone.
func (w *Wrong) Error() string { return w.Msg }

// UnknownWord is the error of a word that is none of the known ones.
func UnknownWord(what, text string, known []string) error {
	return &Wrong{fmt.Sprintf("unknown %s %q; there are %s", what, text, ListOr(known, "none")), DidYouMean(faults.Suggest(text, known))}
}

// ListOr lists words, or says that there are none.
func ListOr(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}

// FailWith reports err, with its hint if it has one.
func (f *File) FailWith(pos Pos, err error) {
	var w *Wrong
	if errors.As(err, &w) {
		f.Fail(pos, w.Hint, "%s", w.Msg)
		return
	}
	f.Fail(pos, "", "%v", err)
}

// Settings reads words as KEY=VALUE into what is given, each at most once, and says which keys the
// line has. Bare words are those that may stand alone.
func (f *File) Settings(verb string, words []Word, given []Setting, bare ...string) map[string]bool {
	var keys []string
	for _, g := range given {
		keys = append(keys, g.Key)
	}
	had := make(map[string]bool)
	for _, w := range words {
		name := w.Key
		if !w.Keyed {
			name = w.Text
		}
		i := slices.Index(keys, name)
		switch {
		case had[name]:
			f.Fail(w.Pos, "", "%s is there already", name)
		case !w.Keyed && slices.Contains(bare, name):
			had[name] = true
		case !w.Keyed && i >= 0:
			f.Fail(w.Pos, "", "%s= needs a value", name)
		case !w.Keyed:
			f.Fail(w.Pos, DidYouMean(faults.Suggest(name, slices.Concat(bare, keys))), "%s has no use for %q%s", verb, name, takes(keys))
		case i < 0 && len(f.elsewhere(name)) > 0:
			f.Fail(w.Pos, "", "%s is a setting of %s", name, strings.Join(f.elsewhere(name), " and "))
		case i < 0:
			f.Fail(w.Pos, DidYouMean(faults.Suggest(name, keys)), "%s has no key %q%s", verb, name, takes(keys))
		default:
			had[name] = true
			if err := given[i].Set(w.Value); err != nil {
				f.FailWith(w.ValuePos, err)
			}
		}
	}
	return had
}

// Keys are those that a verb takes, with blanks between.
type Keys struct{ Verb, Keys string }

// elsewhere gives the verbs that take a key.
func (f *File) elsewhere(key string) []string {
	var verbs []string
	for _, k := range f.Elsewhere {
		if slices.Contains(strings.Fields(k.Keys), key) {
			verbs = append(verbs, k.Verb)
		}
	}
	return verbs
}

func takes(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "; it takes " + strings.Join(keys, ", ")
}

// Need reports keys that the line lacks, for what it says.
func (f *File) Need(d *Directive, what string, had map[string]bool, keys ...string) {
	for _, k := range keys {
		if !had[k] {
			f.Fail(d.End(), "", "%s needs %s=", what, k)
		}
	}
}

// Limits are those of a duration, both included.
type Limits struct{ Low, High time.Duration }

// The usual limits.
var (
	AnyDuration = Limits{0, faults.DurationMax}
	Positive    = Limits{time.Microsecond, faults.DurationMax}
)

func check[T cmp.Ordered](value, low, high T, print func(T) string) error {
	if value < low || value > high {
		return fmt.Errorf("%s is out of range: %s to %s", print(value), print(low), print(high))
	}
	return nil
}

// Duration reads a duration within limits.
func Duration(key string, to *time.Duration, in Limits) Setting {
	return Setting{key, func(value string) (err error) {
		if *to, err = faults.ParseDuration(value); err != nil {
			return err
		}
		return check(*to, in.Low, in.High, faults.FormatDuration)
	}}
}

// DurationOr reads a positive duration, or a word that stands for another value.
func DurationOr(key string, to *time.Duration, text string, stands time.Duration) Setting {
	plain := Duration(key, to, Positive)
	return Setting{key, func(value string) error {
		if value == text {
			*to = stands
			return nil
		}
		if err := plain.Set(value); err != nil {
			return fmt.Errorf("%w, or %s", err, text)
		}
		return nil
	}}
}

// Number reads a whole number from low to high.
func Number(key string, to *int, low, high int) Setting {
	return Setting{key, func(value string) (err error) {
		if *to, err = strconv.Atoi(value); err != nil {
			return fmt.Errorf("%q is no number", value)
		}
		return check(*to, low, high, strconv.Itoa)
	}}
}

// OneOf reads one of the known words.
func OneOf[T ~string](key string, to *T, what string, known ...T) Setting {
	return Setting{key, func(value string) error {
		*to = T(value)
		if slices.Contains(known, *to) {
			return nil
		}
		return UnknownWord(what, value, Texts(known))
	}}
}

// Texts gives words of any type as strings.
func Texts[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
