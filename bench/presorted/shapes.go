package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// shape makes n ranks in [0, n), others for each list.
type shape struct {
	name  string
	ranks func(n, list int) []int
}

// lists returns the ranks of as many lists of n elements as make a batch. They differ, as lists do in programs:
// the processor would learn the branches of a sort that meets one short list again and again.
func (s shape) lists(n, batch int) (all []int) {
	for list := 0; list == 0 || len(all) < batch; list++ {
		all = append(all, s.ranks(n, list)...)
	}
	return all
}

var shapes = []shape{
	{"random", func(n, list int) []int { return random(n, list).IntN(n) }},
	{"sorted", func(n, _ int) []int { return rising(n) }},
	{"reversed", func(n, _ int) []int { return reversed(rising(n)) }},
	{"sorted, first moved to the end", func(n, _ int) []int { return moved(rising(n), 0, n-1) }},
	{"sorted, last moved to the front", func(n, _ int) []int { return moved(rising(n), n-1, 0) }},
	{"sorted, one moved", func(n, list int) []int { return oneMoved(rising(n), list) }},
	{"reversed, one moved", func(n, list int) []int { return oneMoved(reversed(rising(n)), list) }},
	{"sorted, sqrt(n) swapped", func(n, list int) []int {
		r, r0 := rising(n), random(n, list)
		for range int(math.Sqrt(float64(n))) / 2 {
			i, j := r0.r.IntN(n), r0.r.IntN(n)
			r[i], r[j] = r[j], r[i]
		}
		return r
	}},
	{"sorted, 1 % at the end random", func(n, list int) []int {
		r := rising(n)
		tail := r[n-(n+99)/100:]
		copy(tail, random(n, list).IntN(len(tail)))
		for i := range tail {
			tail[i] = tail[i] * n / len(tail)
		}
		return r
	}},
	{"equal", func(n, _ int) []int { return make([]int, n) }},
	{"two values", func(n, list int) []int {
		r := random(n, list).IntN(n)
		for i := range r {
			r[i] = r[i] % 2 * (n - 1)
		}
		return r
	}},
	{"organ pipe", func(n, _ int) []int {
		r := rising(n)
		for i := range r {
			r[i] = min(i, n-1-i) * 2
		}
		return r
	}},
	{"2 runs", func(n, list int) []int { return runs(n, list, 2) }},
	{"8 runs", func(n, list int) []int { return runs(n, list, 8) }},
	{"64 runs", func(n, list int) []int { return runs(n, list, 64) }},
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

// oneMoved moves an element from somewhere to somewhere.
func oneMoved(r []int, list int) []int {
	places := random(len(r), list).r
	return moved(r, places.IntN(len(r)), places.IntN(len(r)))
}

// runs has sorted runs of random ranks.
func runs(n, list, count int) []int {
	r := random(n, list).IntN(n)
	for run := range slices.Chunk(r, (n+count-1)/count) {
		slices.Sort(run)
	}
	return r
}

type draw struct {
	n int
	r *rand.Rand
}

func random(n, list int) draw {
	return draw{n, rand.New(rand.NewPCG(uint64(n), 3+uint64(list)))}
}

// IntN returns n numbers below most.
func (d draw) IntN(most int) []int {
	all := make([]int, d.n)
	for i := range all {
		all[i] = d.r.IntN(most)
	}
	return all
}
