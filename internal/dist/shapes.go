package dist

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Shapes are codes of any width that have a certain form, uniform ones first.
var Shapes = []Codes{
	unsigned("uniform", Any, func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64() >> (64 - bits) }),
	unsigned("gauss", Any, func(r *rand.Rand, i, n, bits int) uint64 {
		return uint64(math.Min(math.Max(r.NormFloat64()/16+0.5, 0), 1-1e-12) * math.Ldexp(1, bits))
	}),
	unsigned("zipf", Any, func(r *rand.Rand, i, n, bits int) uint64 { // of 2^(bits-8) values
		return uint64(math.Exp(r.Float64()*math.Ln2*float64(min(bits-8, 40)))) - 1
	}),
	unsigned("16 values", Any, func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64N(16) * 0x9e3779b97f4a7c15 >> (64 - bits) }),
	unsigned("256 values", Any, func(r *rand.Rand, i, n, bits int) uint64 { return Scatter(r.Uint64N(256), bits) }),
	unsigned("4096 values", Any, func(r *rand.Rand, i, n, bits int) uint64 { return Scatter(r.Uint64N(4096), bits) }),
	unsigned("rare values", Any, rareValues),
	unsigned("log", Any, func(r *rand.Rand, i, n, bits int) uint64 { return uint64(math.Exp2(r.Float64()*float64(bits))) - 1 }),
	unsigned("low half", Any, func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64() >> (64 - bits/2) }),
	unsigned("outliers", Any, func(r *rand.Rand, i, n, bits int) uint64 {
		switch i {
		case n / 3:
			return math.MaxUint64 >> (64 - bits)
		case n / 2:
			return 0
		}
		return 1<<(bits-1) + r.Uint64()>>(64-bits*5/8)
	}),
	unsigned("sorted", Any, func(r *rand.Rand, i, n, bits int) uint64 { return inOrder(i, n, bits) }),
	unsigned("reversed", Any, func(r *rand.Rand, i, n, bits int) uint64 { return inOrder(n-1-i, n, bits) }),
	unsigned("flat", Any, func(r *rand.Rand, i, n, bits int) uint64 { return 42 }),
	unsigned("1% swapped", Any, swapped),
	unsigned("1% appended", Any, func(r *rand.Rand, i, n, bits int) uint64 {
		if i >= n-n/100 {
			i = r.IntN(n)
		}
		return inOrder(i, n, bits)
	}),
	// About as many neighbours rise as fall, but the degree of disorder is 6, below the threshold of 10
	// under which the bucket sort's authors call lists nearly sorted: windows are shuffled by an odd
	// factor each.
	unsigned("shuffled by 16", Any, func(r *rand.Rand, i, n, bits int) uint64 {
		const window = 16
		at := i / window
		return inOrder(min(at*window+(i*(at|1)+at/window)%window, n-1), n, bits)
	}),
}

// Strided is what a block of threads sees of nearly sorted codes if each of its
// threads reads in a part of the input of its own, as the bucket sort's authors
// have it: thread t of block b the code at t*blocks+b. Here the codes lie that way,
// so that a sort gets them for the price of adjacent ones.
var Strided = unsigned("1% swapped strided", Any, func(r *rand.Rand, i, n, bits int) uint64 {
	const threads = 8192
	if n < threads {
		return swapped(r, i, n, bits)
	}
	return swapped(r, i%threads*(n/threads)+i/threads, n, bits)
})

// swapped draws one code in a hundred from somewhere else in an ascending list.
func swapped(r *rand.Rand, i, n, bits int) uint64 {
	if r.IntN(100) == 0 {
		i = r.IntN(n)
	}
	return inOrder(i, n, bits)
}

// rareValues has 60 frequent values, and 1000 that a sample misses: each is as rare as one
// code in a hundred million.
func rareValues(r *rand.Rand, i, n, bits int) uint64 {
	if r.IntN(100_000) == 0 {
		return Scatter(60+r.Uint64N(1000), bits)
	}
	return Scatter(r.Uint64N(60), bits)
}

// inOrder spreads 0 … n-1 over the codes.
func inOrder(i, n, width int) uint64 {
	v, _ := bits.Div64(uint64(i), 0, uint64(n))
	return v >> (64 - width)
}
