package promise

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seathold/seathold/sim/trace"
)

func TestOrderOfViolations(t *testing.T) {
	s := tell(t, "h2", "h1")
	s.at("12:07").remind("w1", "h1", email).accept("h1", email, "t1").send("w1", "h1", email, "t8", "repeat")
	run := s.at("12:08").person(confirmed, "h2", "done").person(cancelled, "h2", "done").end("12:25")
	var got []string
	for _, v := range Check(run) {
		got = append(got, v.Promise+" "+v.Class+" "+string(v.Hold))
	}
	want := []string{
		"P1 accepted twice h1", "P3 sent without a grant h1", "P7 sent again after sent h1", "P4 overwrote confirmed h2", "P5 never freed h1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

func TestCheckIsPure(t *testing.T) {
	for _, b := range brokenOnce {
		run := b.tell(tell(t, "h1"))
		before := slices.Clone(run.Events)
		first, second := Check(run), Check(run)
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%s: two checks differ", b.class.Name)
		}
		if i, differ := trace.FirstDifference(before, run.Events); differ {
			t.Errorf("%s: event %d was changed", b.class.Name, i+1)
		}
	}
}

func TestTimesOfOtherDays(t *testing.T) {
	w := &world{start: at(clock("12:00"))}
	for i, want := range map[instant]string{
		at(clock("12:07:00.25")):                "12:07:00.25",
		at(clock("12:07").AddDate(0, 0, 1)):     "2026-03-03T12:07:00",
		at(clock("12:07").AddDate(1, 0, 0)):     "2027-03-02T12:07:00",
		never:                                   "the end",
		at(time.Time{}):                         "the beginning",
		at(clock("12:07").Add(time.Nanosecond)): "12:07:00",
	} {
		if got := w.clock(i); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
