package memory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type number int

var _ ordered[number] = number(0)

func (a number) compare(b number) int { return int(a - b) }

// all reads x from just beyond v to its end.
func all(x *index[number], v number) []number {
	var got []number
	p := x.after(v)
	for n, ok := x.at(&p); ok; n, ok = x.at(&p) {
		got = append(got, n)
		p.i++
	}
	return got
}

// TestIndex does the same to an index and to a sorted slice, growing and shrinking in turn.
func TestIndex(t *testing.T) {
	for name, next := range map[string]func(r *rand.Rand, i int) number{
		"in-order":  func(_ *rand.Rand, i int) number { return number(i) },
		"backwards": func(_ *rand.Rand, i int) number { return number(-i) },
		"random":    func(r *rand.Rand, _ int) number { return number(r.IntN(20_000)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var x index[number]
			var model []number
			for i := range 6_000 {
				v := next(r, i)
				if at, found := slices.BinarySearch(model, v); !found {
					x.insert(v)
					model = slices.Insert(model, at, v)
				}
				if len(model) > 0 && r.IntN(3) == 0 {
					at := r.IntN(len(model))
					x.remove(model[at])
					model = slices.Delete(model, at, at+1)
				}
				x.remove(-1_000_000)
			}
			if got := all(&x, -1_000_000); !slices.Equal(model, got) {
				t.Fatalf("elements (-want +got):\n%s", cmp.Diff(model, got))
			}
			for i := 0; i < len(model); i += 97 {
				if got := all(&x, model[i]); !slices.Equal(model[i+1:], got) {
					t.Fatalf("beyond %d (-want +got):\n%s", model[i], cmp.Diff(model[i+1:], got))
				}
			}
			for _, v := range model {
				x.remove(v)
			}
			if len(x.chunks) != 0 {
				t.Errorf("%d chunks are left of nothing", len(x.chunks))
			}
		})
	}
}
