package main

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// vec4 is a vector of four floats, sorted by the first.
type vec4 [4]float32

func newVec4(v uint64, i int) vec4 {
	return vec4{toFloat32(v), float32(i), float32(i / 2), 1}
}

func vec4Key(v vec4) float32 { return v[0] }

func compareVec4(a, b vec4) int { return cmp.Compare(a[0], b[0]) }

func buildVec4(values []uint64, n int) *workload {
	d := newData(values, n, newVec4)
	rows := owned(func(run int, opts ...sorter.Option) error {
		return sorter.Sort(d.run(run), vec4Key, opts...)
	})
	rows = append(rows,
		std(sortFunc, func(run int) { slices.SortFunc(d.run(run), compareVec4) }),
		std(sortSlice, func(run int) {
			s := d.run(run)
			sort.Slice(s, func(i, j int) bool { return s[i][0] < s[j][0] })
		}),
		other(sortyName, func(run int) { sortyVec4(d.run(run)) }),
		other(pargoName, func(run int) { pargo.Sort(vec4s(d.run(run))) }),
		other(composedSorty, composed(d, packVec4, sortyWords)),
	)
	return d.workload(compareVec4, append(rows, vec4Peers(d)...)...)
}

func sortyVec4(s []vec4) {
	sorty.Sort(len(s), func(i, k, r, q int) bool {
		if s[i][0] < s[k][0] {
			if r != q {
				s[r], s[q] = s[q], s[r]
			}
			return true
		}
		return false
	})
}

func packVec4(words []uint64, s []vec4) {
	for i := range s {
		words[i] = uint64(float32Code(s[i][0]))<<32 | uint64(i)
	}
}

// vec4s is for pargo's quicksort.
type vec4s []vec4

func (s vec4s) Len() int                { return len(s) }
func (s vec4s) Less(i, j int) bool      { return s[i][0] < s[j][0] }
func (s vec4s) Swap(i, j int)           { s[i], s[j] = s[j], s[i] }
func (s vec4s) SequentialSort(i, j int) { slices.SortFunc(s[i:j], compareVec4) }
