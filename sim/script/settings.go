package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seathold/seathold/faults"
	"github.com/seathold/seathold/reference"
	"github.com/seathold/seathold/sim/script/lines"
)

// settings are the keys of the setup lines, for those that are put on another's.
var settings = []lines.Keys{
	{Verb: "world", Keys: "start seed workers slots restart"},
	{Verb: "policy", Keys: "lead cutoff send-timeout store-timeout lock-timeout lease order page renominate budget backstop long-poll"},
	{Verb: "node", Keys: "slots skew restart"}, {Verb: "cron", Keys: "every spec zone timeout retries jitter"},
	{Verb: "queue", Keys: "profile visibility max-receives dedup retention latency"}, {Verb: "provider", Keys: "keys latency"},
}

// zone reads an IANA time zone; !NAME is one that is unknown on purpose.
func zone(key string, to *string) lines.Setting {
	return lines.Setting{Key: key, Set: func(value string) error {
		*to = value
		if name, meant := strings.CutPrefix(value, "!"); meant {
			*to = name
			if _, err := loadZone(name); err == nil {
				return fmt.Errorf("%s is a known zone; ! is for those that are unknown on purpose", name)
			}
			return nil
		}
		_, err := loadZone(value)
		return err
	}}
}

func loadZone(name string) (*time.Location, error) {
	if z, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return z, nil
	}
	return nil, &lines.Wrong{Msg: fmt.Sprintf("unknown time zone %q", name), Hint: "zones are IANA names, such as Europe/Berlin or UTC"}
}

// channels reads email, sms, or both with a comma between, in brackets or not.
func channels(key string, to *[]reference.Channel) lines.Setting {
	return lines.Setting{Key: key, Set: func(value string) error {
		*to = nil
		for _, c := range strings.Split(strings.Join(faults.List(value), ","), ",") {
			if !slices.Contains(reference.Channels, reference.Channel(c)) {
				return lines.UnknownWord("channel", c, lines.Texts(reference.Channels))
			}
			*to = append(*to, reference.Channel(c))
		}
		return nil
	}}
}

// name reads what can name a hold, a learner or a section.
func name[T ~string](key string, to *T) lines.Setting {
	return lines.Setting{Key: key, Set: func(value string) error {
		if !faults.IsName(value) {
			return fmt.Errorf("%q is no name of letters, digits, dots and dashes", value)
		}
		*to = T(value)
		return nil
	}}
}

// instant reads a time of the world; inSeconds one in whole seconds.
func (p *parser) instant(key string, to *time.Time) lines.Setting {
	return lines.Setting{Key: key, Set: func(value string) (err error) {
		*to, err = p.time(value)
		return err
	}}
}

func (p *parser) inSeconds(key string, to *time.Time) lines.Setting {
	return lines.Setting{Key: key, Set: func(value string) (err error) {
		*to, err = p.second(value)
		return err
	}}
}

// time reads a time of the world.
func (p *parser) time(text string) (time.Time, error) {
	at, err := faults.ParseInstant(text)
	if err != nil {
		return time.Time{}, err
	}
	return at.In(p.s.Start), nil
}

// second reads a time in whole seconds.
func (p *parser) second(text string) (time.Time, error) {
	t, err := p.time(text)
	if err == nil && t.Nanosecond() != 0 {
		return time.Time{}, fmt.Errorf("%s is %s, not in whole seconds", text, t.Format(time.RFC3339Nano))
	}
	return t, err
}

// Clock gives a time as a scenario on the day of start would write it.
func Clock(t, start time.Time) string {
	t, start = t.UTC(), start.UTC()
	if !t.Truncate(24*time.Hour).Equal(start.Truncate(24*time.Hour)) || t.Nanosecond()%int(time.Millisecond) != 0 {
		return t.Format(time.RFC3339Nano)
	}
	text, whole := strings.CutSuffix(t.Format("15:04:05.000"), ".000")
	if whole {
		text = strings.TrimSuffix(text, ":00")
	}
	return text
}

func (p *parser) clock(t time.Time) string { return Clock(t, p.s.Start) }
