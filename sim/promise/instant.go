package promise

import (
	"math"
	"time"
)

// instant is a time, or a length of time, in whole microseconds, which is how virtual time ticks
// and what a database keeps.
type instant int64

// never is after every time, and always before.
const (
	never  instant = math.MaxInt64
	always instant = math.MinInt64
)

// at gives a time's instant; that of the zero time, which stands for none, is always.
func at(t time.Time) instant {
	if t.IsZero() {
		return always
	}
	return instant(t.UnixMicro())
}

func micros(d time.Duration) instant { return instant(d / time.Microsecond) }

func (i instant) time() time.Time { return time.UnixMicro(int64(i)).UTC() }

// String gives a length of time.
func (i instant) String() string { return (time.Duration(i) * time.Microsecond).String() }

// clock gives a time of day, and the day where it isn't the one on which the run starts.
func (w *world) clock(i instant) string {
	switch i {
	case never:
		return "the end"
	case always:
		return "the beginning"
	}
	t := i.time()
	if t.YearDay() == w.start.time().YearDay() && t.Year() == w.start.time().Year() {
		return t.Format("15:04:05.999999")
	}
	return t.Format("2006-01-02T15:04:05.999999")
}

// name gives a window as hold@time.
func (w *world) name(win *window) string { return string(win.hold.id) + "@" + w.clock(win.end) }

// named gives a reminder as hold@time/channel.
func (w *world) named(r *reminder) string { return w.name(r.window) + "/" + string(r.channel) }

// spell is a length of time, both ends included.
type spell struct{ from, to instant }
