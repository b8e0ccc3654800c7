package main

import (
	"cmp"
	"slices"
	"sort"

	"example.com/sorter"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// rec24 is a small record: 24 bytes, sorted by a float32.
type rec24 struct {
	Key  float32
	ID   uint32 // position in the input: the witness of stability
	A, B float64
}

func newRec24(v uint64, i int) rec24 {
	return rec24{Key: toFloat32(v), ID: uint32(i), A: float64(i), B: -float64(i)}
}

func rec24Key(r rec24) float32 { return r.Key }

func compareRec24(a, b rec24) int { return cmp.Compare(a.Key, b.Key) }

// compareRec24Stable is the one right order of a stable sort.
func compareRec24Stable(a, b rec24) int {
	return cmp.Or(compareRec24(a, b), cmp.Compare(a.ID, b.ID))
}

func ownRec24(d *data[rec24], extra ...sorter.Option) []contender {
	return owned(func(run int, opts ...sorter.Option) error {
		return sorter.Sort(d.run(run), rec24Key, opts...)
	}, extra...)
}

func buildRec24(values []uint64, n int) *workload {
	d := newData(values, n, newRec24)
	rows := append(ownRec24(d),
		std(sortFunc, func(run int) { slices.SortFunc(d.run(run), compareRec24) }),
		std(sortSlice, func(run int) {
			s := d.run(run)
			sort.Slice(s, func(i, j int) bool { return s[i].Key < s[j].Key })
		}),
		other(sortyName, func(run int) { sortyRec24(d.run(run)) }),
		other(pargoName, func(run int) { pargo.Sort(rec24s(d.run(run))) }),
		other(composedSorty, composed(d, packRec24, sortyWords)),
	)
	return d.workload(compareRec24, append(rows, rec24Peers(d)...)...)
}

// buildRec24Stable leaves out who is not stable. Words that hold an index are
// all different, so sorting them is stable whatever sorts them.
func buildRec24Stable(values []uint64, n int) *workload {
	d := newData(values, n, newRec24)
	rows := append(ownRec24(d, sorter.Stable()),
		std(sortStableFunc, func(run int) { slices.SortStableFunc(d.run(run), compareRec24) }),
		other(pargoName, func(run int) { pargo.StableSort(&rec24Merge{d.run(run), d.borrow}) }),
		other(composedSorty, composed(d, packRec24, sortyWords)),
	)
	rows = append(rows, rec24StablePeers(d)...)
	return d.workload(compareRec24Stable, rows...)
}

func sortyRec24(s []rec24) {
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

func packRec24(words []uint64, s []rec24) {
	for i := range s {
		words[i] = uint64(float32Code(s[i].Key))<<32 | uint64(i)
	}
}

// rec24s is for pargo's quicksort.
type rec24s []rec24

func (s rec24s) Len() int                { return len(s) }
func (s rec24s) Less(i, j int) bool      { return s[i].Key < s[j].Key }
func (s rec24s) Swap(i, j int)           { s[i], s[j] = s[j], s[i] }
func (s rec24s) SequentialSort(i, j int) { slices.SortFunc(s[i:j], compareRec24) }

// rec24Merge is for pargo's merge sort, whose buffer is kept between sorts.
type rec24Merge struct {
	s      []rec24
	borrow func() []rec24
}

func (m *rec24Merge) Len() int           { return len(m.s) }
func (m *rec24Merge) Less(i, j int) bool { return m.s[i].Key < m.s[j].Key }
func (m *rec24Merge) SequentialSort(i, j int) {
	slices.SortStableFunc(m.s[i:j], compareRec24)
}
func (m *rec24Merge) NewTemp() pargo.StableSorter { return &rec24Merge{s: m.borrow()} }
func (m *rec24Merge) Assign(source pargo.StableSorter) func(i, j, n int) {
	dst, src := m.s, source.(*rec24Merge).s
	return func(i, j, n int) { copy(dst[i:i+n], src[j:j+n]) }
}
