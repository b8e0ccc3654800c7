package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// BenchmarkPairs compares keys and values in two slices with the same data in one
// slice of structs, with the keys alone, and with the standard library. Choose by
// name:
//
//	go test -run - -bench 'Pairs/uint64,uint64/uniform/n=10000000/workers=2' ./internal/conformance
func BenchmarkPairs(b *testing.B) {
	sizes := []int{1e6, 1e7}
	if !testkit.Long() {
		sizes = []int{2e4}
	}
	for _, n := range sizes {
		for _, d := range []string{"uniform", "sorted", "nearly sorted", "16 values"} {
			draws := dist.Named(d).Draw(n, dist.Rand(1))
			where := fmt.Sprintf("%s/n=%d", d, n)
			number := func(i int) uint32 { return uint32(i) }
			benchPairs(b, "uint32,uint32/"+where, draws, func(v uint64) uint32 { return uint32(v >> 32) }, number)
			benchPairs(b, "uint64,uint64/"+where, draws, func(v uint64) uint64 { return v }, func(i int) uint64 { return uint64(i) })
			benchPairs(b, "float32,int32/"+where, draws, func(v uint64) float32 { return asFloat32(2*fraction(v) - 1) }, func(i int) int32 { return int32(i) })
			benchPairs(b, "string,int/"+where, draws, func(v uint64) string { return strconv.FormatUint(v, 36) }, func(i int) int { return i })
			benchPairs(b, "uint64,24 bytes/"+where, draws, func(v uint64) uint64 { return v }, func(i int) [3]uint64 { return [3]uint64{uint64(i)} })
		}
	}
}

func benchPairs[K interface {
	cmp.Ordered
	sorter.Key
}, V any](b *testing.B, name string, draws []uint64, key func(uint64) K, value func(int) V) {
	type pair struct {
		key   K
		value V
	}
	n := len(draws)
	keys, values, pairs := make([]K, n), make([]V, n), make([]pair, n)
	for i, v := range draws {
		keys[i], values[i] = key(v), value(i)
		pairs[i] = pair{keys[i], values[i]}
	}
	someKeys, someValues, somePairs := slices.Clone(keys), slices.Clone(values), slices.Clone(pairs)
	run := func(name string, sort func(opts ...sorter.Option) error, opts ...sorter.Option) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				copy(someKeys, keys)
				copy(someValues, values)
				copy(somePairs, pairs)
				b.StartTimer()
				if err := sort(opts...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/pair")
		})
	}
	for _, workers := range []int{1, 2} {
		name, opt := fmt.Sprintf("%s/workers=%d", name, workers), sorter.Workers(workers)
		run(name+"/SortPairs", func(opts ...sorter.Option) error { return sorter.SortPairs(someKeys, someValues, opts...) }, opt)
		run(name+"/SortPairs by index", func(opts ...sorter.Option) error { return sorter.SortPairs(someKeys, someValues, opts...) }, opt, sorter.Use(sorter.IndexGather))
		run(name+"/Sort of structs", func(opts ...sorter.Option) error {
			return sorter.Sort(somePairs, func(p pair) K { return p.key }, opts...)
		}, opt)
		run(name+"/SortKeys", func(opts ...sorter.Option) error { return sorter.SortKeys(someKeys, opts...) }, opt)
	}
	run(name+"/slices.SortFunc of structs", func(...sorter.Option) error {
		slices.SortFunc(somePairs, func(x, y pair) int { return cmp.Compare(x.key, y.key) })
		return nil
	})
}
