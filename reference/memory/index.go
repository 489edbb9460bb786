package memory

import "slices"

// chunkMax is how many elements a chunk of an index holds before it is split: few enough to move
// in a fraction of a microsecond, and enough to keep the list of chunks short at 100,000 elements.
const chunkMax = 256

// ordered is what an index can keep.
type ordered[T any] interface{ compare(T) int }

var (
	_ ordered[windowKey]  = windowKey{}
	_ ordered[*message]   = (*message)(nil)
	_ ordered[deadLetter] = deadLetter{}
)

// index is an ordered set, kept as a sorted list of sorted chunks. Nothing is allocated before the
// first insert, and a dozen elements are one slice.
type index[T ordered[T]] struct {
	chunks [][]T
	// spare is the last chunk that became empty, kept for an index that empties and fills in turn.
	spare []T
}

// place is where an element of an index is. Inserting and removing make places invalid.
type place struct{ chunk, i int }

// find gives the place of v, or where it belongs.
func (x *index[T]) find(v T) (place, bool) {
	c, found := slices.BinarySearchFunc(x.chunks, v, func(chunk []T, v T) int { return chunk[0].compare(v) })
	switch {
	case found:
		return place{c, 0}, true
	case c == 0:
		return place{}, false
	}
	i, found := slices.BinarySearchFunc(x.chunks[c-1], v, T.compare)
	return place{c - 1, i}, found
}

// insert adds v, which must not be there.
func (x *index[T]) insert(v T) {
	p, _ := x.find(v)
	if len(x.chunks) == 0 {
		x.chunks, x.spare = append(x.chunks, x.spare), nil
	}
	if len(x.chunks[p.chunk]) == chunkMax {
		p = x.split(p)
	}
	x.chunks[p.chunk] = slices.Insert(x.chunks[p.chunk], p.i, v)
}

// split makes room at p and gives its new place. A chunk that grows at its end, as all do when
// elements come in order, is left full.
func (x *index[T]) split(p place) place {
	full, keep := x.chunks[p.chunk], chunkMax/2
	if p.i == chunkMax {
		keep = chunkMax
	}
	rest := make([]T, chunkMax-keep, chunkMax)
	copy(rest, full[keep:])
	clear(full[keep:])
	x.chunks[p.chunk] = full[:keep]
	x.chunks = slices.Insert(x.chunks, p.chunk+1, rest)
	if p.i > keep || keep == chunkMax {
		return place{p.chunk + 1, p.i - keep}
	}
	return p
}

// remove takes v out, if it is there.
func (x *index[T]) remove(v T) {
	p, found := x.find(v)
	if !found {
		return
	}
	chunk := slices.Delete(x.chunks[p.chunk], p.i, p.i+1)
	x.chunks[p.chunk] = chunk
	if len(chunk) == 0 {
		x.chunks, x.spare = slices.Delete(x.chunks, p.chunk, p.chunk+1), chunk
	}
}

// after gives the place of the first element beyond v.
func (x *index[T]) after(v T) place {
	p, found := x.find(v)
	if found {
		p.i++
	}
	return p
}

// at gives the element at p, which moves on to the next chunk if its own is at its end; false
// says that there is none.
func (x *index[T]) at(p *place) (v T, ok bool) {
	if p.chunk < len(x.chunks) && p.i == len(x.chunks[p.chunk]) {
		*p = place{p.chunk + 1, 0}
	}
	if p.chunk >= len(x.chunks) {
		return v, false
	}
	return x.chunks[p.chunk][p.i], true
}
