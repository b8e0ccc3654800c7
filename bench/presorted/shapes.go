package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// shape makes n ranks in [0, n).
type shape struct {
	name  string
	ranks func(n int) []int
}

var shapes = []shape{
	{"random", func(n int) []int { return random(n).IntN(n) }},
	{"sorted", rising},
	{"reversed", func(n int) []int { return reversed(rising(n)) }},
	{"sorted, first moved to the end", func(n int) []int { return moved(rising(n), 0, n-1) }},
	{"sorted, last moved to the front", func(n int) []int { return moved(rising(n), n-1, 0) }},
	{"sorted, one moved from the middle", func(n int) []int { return moved(rising(n), n/3, n*2/3) }},
	{"reversed, one moved", func(n int) []int { return moved(reversed(rising(n)), n/3, n*2/3) }},
	{"sorted, sqrt(n) swapped", func(n int) []int {
		r, r0 := rising(n), random(n)
		for range int(math.Sqrt(float64(n))) / 2 {
			i, j := r0.r.IntN(n), r0.r.IntN(n)
			r[i], r[j] = r[j], r[i]
		}
		return r
	}},
	{"sorted, 1 % at the end random", func(n int) []int {
		r := rising(n)
		tail := r[n-(n+99)/100:]
		copy(tail, random(n).IntN(len(tail)))
		for i := range tail {
			tail[i] = tail[i] * n / len(tail)
		}
		return r
	}},
	{"equal", func(n int) []int { return make([]int, n) }},
	{"two values", func(n int) []int {
		r := random(n).IntN(n)
		for i := range r {
			r[i] = r[i] % 2 * (n - 1)
		}
		return r
	}},
	{"organ pipe", func(n int) []int {
		r := rising(n)
		for i := range r {
			r[i] = min(i, n-1-i) * 2
		}
		return r
	}},
	{"2 runs", func(n int) []int { return runs(n, 2) }},
	{"8 runs", func(n int) []int { return runs(n, 8) }},
	{"64 runs", func(n int) []int { return runs(n, 64) }},
}

func rising(n int) []int {
	r := make([]int, n)
	for i := range r {
		r[i] = i
	}
	return r
}

func reversed(r []int) []int {
	slices.Reverse(r)
	return r
}

// moved moves an element; those between make way.
func moved(r []int, from, to int) []int {
	if len(r) < 2 {
		return r
	}
	x := r[from]
	return slices.Insert(slices.Delete(r, from, from+1), to, x)
}

// runs has sorted runs of random ranks.
func runs(n, count int) []int {
	r := random(n).IntN(n)
	for run := range slices.Chunk(r, (n+count-1)/count) {
		slices.Sort(run)
	}
	return r
}

type draw struct {
	n int
	r *rand.Rand
}

func random(n int) draw { return draw{n, rand.New(rand.NewPCG(uint64(n), 3))} }

// IntN returns n numbers below most.
func (d draw) IntN(most int) []int {
	all := make([]int, d.n)
	for i := range all {
		all[i] = d.r.IntN(most)
	}
	return all
}
