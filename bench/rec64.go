package main

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// rec64 is a record of a cache line, sorted by an int64.
type rec64 struct {
	Key int64
	ID  uint64
	Pad [6]uint64
}

func newRec64(v uint64, i int) rec64 { return rec64{Key: toInt64(v), ID: uint64(i)} }

func rec64Key(r rec64) int64 { return r.Key }

func compareRec64(a, b rec64) int { return cmp.Compare(a.Key, b.Key) }

func buildRec64(values []uint64, n int) *workload {
	d := newData(values, n, newRec64)
	rows := owned(func(run int, opts ...sorter.Option) error {
		return sorter.Sort(d.run(run), rec64Key, opts...)
	})
	rows = append(rows,
		std(sortFunc, func(run int) { slices.SortFunc(d.run(run), compareRec64) }),
		std(sortSlice, func(run int) {
			s := d.run(run)
			sort.Slice(s, func(i, j int) bool { return s[i].Key < s[j].Key })
		}),
		other(sortyName, func(run int) { sortyRec64(d.run(run)) }),
		other(pargoName, func(run int) { pargo.Sort(rec64s(d.run(run))) }),
	)
	return d.workload(compareRec64, append(rows, rec64Peers(d)...)...)
}

func sortyRec64(s []rec64) {
	sorty.Sort(len(s), func(i, k, r, q int) bool {
		if s[i].Key < s[k].Key {
			if r != q {
				s[r], s[q] = s[q], s[r]
			}
			return true
		}
		return false
	})
}

// rec64s is for pargo's quicksort.
type rec64s []rec64

func (s rec64s) Len() int                { return len(s) }
func (s rec64s) Less(i, j int) bool      { return s[i].Key < s[j].Key }
func (s rec64s) Swap(i, j int)           { s[i], s[j] = s[j], s[i] }
func (s rec64s) SequentialSort(i, j int) { slices.SortFunc(s[i:j], compareRec64) }
