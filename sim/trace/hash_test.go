package trace

import (
	"reflect"
	"testing"
	"time"
)

// fields gives, for every field of an event and of what is inside it, an event that differs from
// the zero one in that field alone.
func fields(t *testing.T) map[string]Event {
	t.Helper()
	out := map[string]Event{}
	var walk func(index []int, typ reflect.Type, name string)
	walk = func(index []int, typ reflect.Type, name string) {
		if typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]() {
			for i := range typ.NumField() {
				walk(append(append([]int(nil), index...), i), typ.Field(i).Type, name+"."+typ.Field(i).Name)
			}
			return
		}
		var e Event
		switch f := reflect.ValueOf(&e).Elem().FieldByIndex(index); {
		case typ == reflect.TypeFor[time.Time]():
			f.Set(reflect.ValueOf(time.Date(2026, 3, 2, 12, 0, 0, 1000, time.UTC)))
		case typ.Kind() == reflect.String:
			f.SetString("x")
		case typ.Kind() == reflect.Int:
			f.SetInt(1)
		case typ.Kind() == reflect.Bool:
			f.SetBool(true)
		default:
			t.Fatalf("%s has kind %s, which this test can't set: teach it, and Hash", name, typ.Kind())
		}
		out[name] = e
	}
	walk(nil, reflect.TypeFor[Event](), "Event")
	return out
}

func TestHashAndSameSeeEveryField(t *testing.T) {
	seen := map[uint64]string{Hash(0, Event{}): "none"}
	all := fields(t)
	if len(all) < 21 {
		t.Fatalf("found %d fields", len(all))
	}
	for name, e := range all {
		if Same(e, Event{}) {
			t.Errorf("Same doesn't see %s", name)
		}
		if !Same(e, e) {
			t.Errorf("an event with %s isn't the same as itself", name)
		}
		h := Hash(0, e)
		if other, clash := seen[h]; clash {
			t.Errorf("%s and %s hash alike", name, other)
		}
		seen[h] = name
	}
}

func TestHash(t *testing.T) {
	e := Event{Seq: 7, At: time.Date(2026, 3, 2, 12, 7, 0, 0, time.UTC), Who: "sweep#7", What: SweepStart, Answer: "a longer text than eight bytes"}
	t.Run("same-on-every-machine", func(t *testing.T) {
		if got, want := Hash(0, e), uint64(0xc7470d36e4819467); got != want {
			t.Errorf("%#x, want %#x", got, want)
		}
	})
	t.Run("order-counts", func(t *testing.T) {
		f := e
		f.Seq = 8
		if Hash(Hash(0, e), f) == Hash(Hash(0, f), e) {
			t.Error("two orders hash alike")
		}
	})
	t.Run("location-does-not-count", func(t *testing.T) {
		f := e
		f.At = e.At.In(time.FixedZone("x", 3600))
		if Hash(0, e) != Hash(0, f) || !Same(e, f) {
			t.Error("one instant in two locations differs")
		}
	})
	t.Run("texts-do-not-run-together", func(t *testing.T) {
		if Hash(0, Event{Message: "m1", Token: "2"}) == Hash(0, Event{Message: "m", Token: "12"}) {
			t.Error("they do")
		}
	})
	t.Run("allocates-nothing", func(t *testing.T) {
		if n := testing.AllocsPerRun(100, func() { Hash(1, e) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func TestFirstDifference(t *testing.T) {
	a := []Event{{Seq: 1}, {Seq: 2}, {Seq: 3}}
	for name, c := range map[string]struct {
		b      []Event
		i      int
		differ bool
	}{
		"equal":   {[]Event{{Seq: 1}, {Seq: 2}, {Seq: 3}}, 3, false},
		"changed": {[]Event{{Seq: 1}, {Seq: 2, N: 1}, {Seq: 3}}, 1, true},
		"shorter": {[]Event{{Seq: 1}, {Seq: 2}}, 2, true},
		"longer":  {[]Event{{Seq: 1}, {Seq: 2}, {Seq: 3}, {Seq: 4}}, 3, true},
		"empty":   {nil, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			if i, differ := FirstDifference(a, c.b); i != c.i || differ != c.differ {
				t.Errorf("%d %v, want %d %v", i, differ, c.i, c.differ)
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	e := Event{Seq: 7, At: time.Now(), Who: "w1", What: "worker.claim", Hold: "h1", Window: time.Now(), Channel: "email",
		Kind: "remind", Message: "m1", Token: "01HV0000000000000000000000", Answer: "granted", Until: time.Now()}
	b.ReportAllocs()
	h := uint64(0)
	for b.Loop() {
		h = Hash(h, e)
	}
}
