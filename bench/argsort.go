package main

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
	"example.com/sorter/perm"
	pargo "github.com/exascience/pargo/sort"
	"github.com/jfcg/sorty/v2"
)

// argsort asks for the order of float32 keys and leaves the keys alone. The
// result's memory exists before the sort for everyone but the library, which
// allocates it.
type argsort struct {
	n     int
	keys  []float32
	index []uint32   // results of those who sort an index, for all runs
	perms [][]uint32 // the result of each run
}

func (a *argsort) run(i int) (keys []float32, index []uint32) {
	return a.keys[i*a.n : (i+1)*a.n], a.index[i*a.n : (i+1)*a.n]
}

// indexed turns a sort of an index into a contender's.
func (a *argsort) indexed(order func(keys []float32, index []uint32)) func(run int) {
	return func(run int) {
		keys, index := a.run(run)
		for i := range index {
			index[i] = uint32(i)
		}
		order(keys, index)
		a.perms[run] = index
	}
}

func (a *argsort) own(run int, opts ...sorter.Option) error {
	keys, _ := a.run(run)
	p, err := sorter.OrderKeys(keys, opts...)
	a.perms[run] = p
	return err
}

func buildArgsort(values []uint64, n int) *workload {
	a := &argsort{n: n, keys: make([]float32, len(values)), index: make([]uint32, len(values))}
	for i, v := range values {
		a.keys[i] = toFloat32(v)
	}
	a.perms = make([][]uint32, len(values)/n)
	rows := append(owned(a.own),
		std(sortFunc, a.indexed(func(keys []float32, index []uint32) {
			slices.SortFunc(index, func(i, j uint32) int { return cmp.Compare(keys[i], keys[j]) })
		})),
		std(sortSlice, a.indexed(func(keys []float32, index []uint32) {
			sort.Slice(index, func(i, j int) bool { return keys[index[i]] < keys[index[j]] })
		})),
		other(sortyName, a.indexed(sortyIndex)),
		other(pargoName, a.indexed(func(keys []float32, index []uint32) { pargo.Sort(&keyIndex{keys, index}) })),
		other(composedSorty, a.composed(sortyWords)),
	)
	return &workload{
		N: n, Count: len(a.perms), Borrowed: new(int64),
		Contenders: append(rows, argsortPeers(a)...),
		Restore:    func() { clear(a.perms) },
		Check:      a.check,
	}
}

func (a *argsort) check() error {
	for run, p := range a.perms {
		keys, _ := a.run(run)
		if len(p) != len(keys) {
			return fmt.Errorf("a permutation of %d, want %d", len(p), len(keys))
		}
		if err := perm.Perm(p).Valid(); err != nil {
			return err
		}
		if err := list.InOrder(p, func(i, j uint32) int { return cmp.Compare(keys[i], keys[j]) }); err != nil {
			return err
		}
	}
	return nil
}

func sortyIndex(keys []float32, index []uint32) {
	sorty.Sort(len(index), func(i, k, r, q int) bool {
		if keys[index[i]] < keys[index[k]] {
			if r != q {
				index[r], index[q] = index[q], index[r]
			}
			return true
		}
		return false
	})
}

// composed sorts code and index in one word; the low halves are the result.
func (a *argsort) composed(order func([]uint64)) func(run int) {
	var words []uint64
	return func(run int) {
		keys, index := a.run(run)
		words = grown(words, len(keys))
		for i, k := range keys {
			words[i] = uint64(float32Code(k))<<32 | uint64(i)
		}
		order(words)
		for i, w := range words {
			index[i] = uint32(w)
		}
		a.perms[run] = index
	}
}

// keyIndex is for pargo's quicksort.
type keyIndex struct {
	keys  []float32
	index []uint32
}

func (s *keyIndex) Len() int           { return len(s.index) }
func (s *keyIndex) Less(i, j int) bool { return s.keys[s.index[i]] < s.keys[s.index[j]] }
func (s *keyIndex) Swap(i, j int)      { s.index[i], s.index[j] = s.index[j], s.index[i] }
func (s *keyIndex) SequentialSort(i, j int) {
	slices.SortFunc(s.index[i:j], func(a, b uint32) int { return cmp.Compare(s.keys[a], s.keys[b]) })
}
