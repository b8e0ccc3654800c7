package presorted

import (
	"sort"

	"example.com/sorter/internal/engine"
)

// Moves is an order found without a sort: segments of the input that move as a whole or stay.
type Moves struct {
	n        int
	segments []segment   // by place
	strays   strays      // elements in no segment
	back     bool        // sources are numbered from the input's end
	ties     bool        // with back: some elements are equal, and come in reverse input order
	alone    bool        // ties may be compared by one goroutine only
	known    engine.Ties // of a reversed input, the elements that tie with their predecessors; nil: to be compared
}

// segment is n elements that move from places src, src+1, … to places dst, dst+1, ….
type segment struct {
	dst, src, n uint32
	aside       bool // it changes the sequence: it is copied aside before other segments move
}

// strays are elements that move one by one, in order by place. They are copied aside before
// segments move.
type strays struct{ src, dst []uint32 }

// from returns the number of the first stray that belongs at a place >= place.
func (s *strays) from(place int) int {
	return sort.Search(len(s.dst), func(j int) bool { return int(s.dst[j]) >= place })
}

// Whole returns the moves of n elements that all stay.
func Whole(n int) *Moves { return &Moves{n: n, segments: []segment{{n: uint32(n)}}} }

// HasTies reports whether equal elements are found only by comparisons, or by marks: they come in reverse input order
// until then.
func (l *Moves) HasTies() bool { return l.ties }

// from returns the number of the first segment that ends after a place.
func (l *Moves) from(place int) int {
	return sort.Search(len(l.segments), func(k int) bool { return int(l.segments[k].dst)+int(l.segments[k].n) > place })
}

// order writes the elements that belong at places lo, lo+1, … to order. Equal elements are in
// input order, or in reverse if l.back.
func (l *Moves) order(order []uint32, lo int) {
	hi := lo + len(order)
	for k := l.from(lo); k < len(l.segments) && int(l.segments[k].dst) < hi; k++ {
		g := l.segments[k].clip(lo, hi)
		part := order[int(g.dst)-lo:][:g.n]
		if l.back {
			Backward(part, l.n-1-int(g.src))
		} else {
			Forward(part, int(g.src))
		}
	}
	for j := l.strays.from(lo); j < len(l.strays.dst) && int(l.strays.dst[j]) < hi; j++ {
		x := l.strays.src[j]
		if l.back {
			x = uint32(l.n-1) - x
		}
		order[int(l.strays.dst[j])-lo] = x
	}
}

// clip returns the part of g whose places are in [lo, hi); there is one.
func (g segment) clip(lo, hi int) segment {
	skip := max(lo-int(g.dst), 0)
	n := min(hi, int(g.dst)+int(g.n)) - int(g.dst) - skip
	return segment{g.dst + uint32(skip), g.src + uint32(skip), uint32(n), g.aside}
}

// walk calls f for segments and strays by place, until it returns false.
func (l *Moves) walk(f func(src, n uint32) bool) {
	j := 0
	stray := func(place uint32) bool {
		for ; j < len(l.strays.dst) && l.strays.dst[j] < place; j++ {
			if !f(l.strays.src[j], 1) {
				return false
			}
		}
		return true
	}
	for _, g := range l.segments {
		if !stray(g.dst) || !f(g.src, g.n) {
			return
		}
	}
	stray(uint32(l.n))
}

// Forward writes lo, lo+1, … to order.
func Forward(order []uint32, lo int) {
	for i := range order {
		order[i] = uint32(lo + i)
	}
}

// Backward writes hi, hi-1, … to order.
func Backward(order []uint32, hi int) {
	for i := range order {
		order[i] = uint32(hi - i)
	}
}

// InPlaces reports whether order is lo, lo+1, ….
func InPlaces(order []uint32, lo int) bool {
	for i, x := range order {
		if x != uint32(lo+i) {
			return false
		}
	}
	return true
}
