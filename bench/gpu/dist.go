//go:build linux && (amd64 || arm64)

package main

import (
	"math"
	"math/rand/v2"
)

var distributions = []distribution{
	{"uniform", func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64() >> (64 - bits) }},
	{"gauss", func(r *rand.Rand, i, n, bits int) uint64 {
		return uint64(math.Min(math.Max(r.NormFloat64()/16+0.5, 0), 1-1e-12) * math.Ldexp(1, bits))
	}},
	{"zipf", zipf},
	{"16 values", func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64N(16) * 0x9e3779b97f4a7c15 >> (64 - bits) }},
	{"256 values", func(r *rand.Rand, i, n, bits int) uint64 { return value(r.IntN(256), bits) }},
	{"4096 values", func(r *rand.Rand, i, n, bits int) uint64 { return value(r.IntN(4096), bits) }},
	{"rare values", rareValues},
	{"log", func(r *rand.Rand, i, n, bits int) uint64 { return uint64(math.Exp2(r.Float64()*float64(bits))) - 1 }},
	{"low half", func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64() >> (64 - bits/2) }},
	{"outliers", func(r *rand.Rand, i, n, bits int) uint64 {
		switch i {
		case n / 3:
			return math.MaxUint64 >> (64 - bits)
		case n / 2:
			return 0
		}
		return 1<<(bits-1) + r.Uint64()>>(64-bits*5/8)
	}},
	{"sorted", func(r *rand.Rand, i, n, bits int) uint64 { return inOrder(i, n, bits) }},
	{"reversed", func(r *rand.Rand, i, n, bits int) uint64 { return inOrder(n-1-i, n, bits) }},
	{"flat", func(r *rand.Rand, i, n, bits int) uint64 { return 42 }},
	{"1% swapped", nearlySorted},
	{"1% appended", func(r *rand.Rand, i, n, bits int) uint64 {
		if i >= n-n/100 {
			i = r.IntN(n)
		}
		return inOrder(i, n, bits)
	}},
}

// nearlySorted has one code in a hundred from somewhere else.
func nearlySorted(r *rand.Rand, i, n, bits int) uint64 {
	if r.IntN(100) == 0 {
		i = r.IntN(n)
	}
	return inOrder(i, n, bits)
}

// value is the k-th of some random codes.
func value(k, bits int) uint64 {
	x := uint64(k+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return (x ^ x>>31) >> (64 - bits)
}

// rareValues has 60 frequent values, and 1000 that a sample misses: each is as rare as one
// code in a hundred million.
func rareValues(r *rand.Rand, i, n, bits int) uint64 {
	if r.IntN(100_000) == 0 {
		return value(60+r.IntN(1000), bits)
	}
	return value(r.IntN(60), bits)
}

// inOrder spreads 0 … n-1 over the codes.
func inOrder(i, n, bits int) uint64 { return uint64(i) * (1 << (bits - 1) / uint64(n) * 2) }

// zipf draws from 2^(bits-8) values with exponent 1 by inversion of the
// continuous approximation.
func zipf(r *rand.Rand, i, n, bits int) uint64 {
	return uint64(math.Exp(r.Float64()*math.Ln2*float64(min(bits-8, 40)))) - 1
}
