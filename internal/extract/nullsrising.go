package extract

import (
	"math/bits"

	"example.com/sorter/internal/presorted"
)

// Rise describes the codes of elements that are not null, in input order.
type Rise struct {
	First, Last uint64
	Some        bool // there are any
	Falls       bool // one is below its predecessor; the others are unspecified then
	Ties        bool // one equals its predecessor
}

// After returns the codes of p followed by those of r.
func (r Rise) After(p Rise) Rise {
	switch {
	case !p.Some:
		return r
	case !r.Some:
		return p
	}
	return Rise{First: p.First, Last: r.Last, Some: true,
		Falls: p.Falls || r.Falls || r.First < p.Last, Ties: p.Ties || r.Ties || r.First == p.Last}
}

// RiseWithout describes the codes of the elements [lo, hi), at most a block from a multiple of 64 on, that
// set leaves. The column has keys of all rows in memory, and no nulls.
func (c *Column) RiseWithout(rows Input, set NullSet, lo, hi int) (r Rise) {
	var codes [1 + Piece]uint64
	rows.Block(&Word{needsNoElement: true}, lo, hi, func(b Batch) {
		for i := 0; i < hi-lo && !r.Falls; i += Piece {
			n := min(Piece, hi-lo-i)
			c.Codes(codes[1:1+n], b.part(i, i+n))
			r = r.with(&codes, n, set[(lo+i)/64:])
		}
	})
	return r
}

// with adds the codes at codes[1] to codes[n], those that set leaves. It overwrites codes.
func (r Rise) with(codes *[1 + Piece]uint64, n int, set NullSet) Rise {
	nulls, first := 0, -1
	for at := 0; at < n; at += 64 {
		word := set[at/64]
		nulls += bits.OnesCount64(word)
		if other := bits.TrailingZeros64(^word); first < 0 && at+other < n && other < 64 {
			first = at + other
		}
	}
	if first < 0 {
		return r
	}
	if !r.Some {
		r = Rise{First: codes[1+first], Last: codes[1+first], Some: true}
		nulls++ // the first equals itself
	}
	codes[0] = r.Last
	for at := 0; at < n; at += 64 { // nulls get the code before: steps by vectors need no branches
		for word := set[at/64]; word != 0; word &= word - 1 {
			i := 1 + at + bits.TrailingZeros64(word)
			codes[i] = codes[i-1]
		}
	}
	steps := presorted.StepsOf(codes[:1+n])
	r.Last, r.Falls, r.Ties = codes[n], steps.Falls > 0, r.Ties || steps.Ties > nulls
	return r
}
